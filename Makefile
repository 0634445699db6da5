# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One thread a process: on a busy machine two threads of a small model wait for each other.
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: demo test test-slow check format install clean

demo: install  ## notebooks → dataset → tokenizer → model → predictions → scores → submission
	$(BIN)/python examples/demo.py

test: install  ## the default tests, in two to four minutes
	$(BIN)/python -m pytest -m "not slow" --numprocesses auto --maxprocesses 4

test-slow: $(VENV)/.everything  ## what takes longer: kills and resumes, a real course, two Ray nodes
	$(BIN)/python -m pytest -m slow --numprocesses auto --maxprocesses 2

check: install  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "JuICe needs Python 3.11 or later: make demo PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[train,dev]'
	touch $@

# What only the slow tests need: nbgrader, datatrove, Ray.
$(VENV)/.everything: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[train,dev,course,cluster,ray]'
	touch $@

clean:  ## what the demo made, but neither the virtual environment nor ./juice, which may be yours
	rm -rf runs/demo tokenizer/demo
