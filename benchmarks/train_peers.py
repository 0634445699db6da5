"""Environments of other trainers, made once from the package index, each with pinned versions."""

from __future__ import annotations

import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

ALL = ("transformer", "lstm", "lstm-feeding")


@dataclass(frozen=True)
class Peer:
    """What to install for it, and what it can train."""

    script: str
    requirements: tuple[str, ...]
    alone: tuple[str, ...] = ()
    """Installed without what they ask for: an older torch, or parts that no tensor needs."""
    models: tuple[str, ...] = ALL


PEERS = {
    "fairseq 0.12.2": Peer(
        "fairseq_side",
        ("torch==2.13.0", "fairseq==0.12.2", "numpy<1.24", "pip<24.1"),
        models=("transformer", "lstm-feeding"),
    ),
    "OpenNMT-py 3.5.1": Peer(
        "opennmt",
        (
            "torch==2.13.0",
            "numpy<2",
            "configargparse==1.7",
            "PyYAML",
            "rapidfuzz",
            "six",
            "tensorboard==2.21.0",
        ),
        alone=("opennmt-py==3.5.1",),
    ),
    "JoeyNMT 2.3.0": Peer(
        "joey",
        ("torch==2.13.0", "joeynmt==2.3.0", "importlib_metadata==8.5.0"),
        models=("transformer", "lstm-feeding"),
    ),
}


def python_of(name: str, peer: Peer, folder: Path, seconds: int = 600) -> Path | None:
    """The interpreter of the peer's environment, made if need be; None, said aloud, if it fails."""
    home = (folder / peer.script).absolute()
    python, done = home / "bin" / "python", home / "installed"
    if done.exists():
        return python
    print(f"{name}: installing into {home}", flush=True)
    venv.create(home, clear=True, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    steps = [[f"{pin}" for pin in peer.requirements if pin.startswith("pip")]]
    steps.append([pin for pin in peer.requirements if not pin.startswith("pip")])
    steps.append(["--no-deps", *peer.alone] if peer.alone else [])
    for step in filter(None, steps):
        try:
            subprocess.run(
                [*pip, *step], check=True, timeout=seconds, capture_output=True, text=True
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            said = error.stderr or f"not within {seconds} s"
            print(f"{name}: does not install: {str(said).strip().rpartition(chr(10))[2]}")
            return None
    done.touch()
    return python
