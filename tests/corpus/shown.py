"""A candidate as it is written: with its context."""

import pyarrow as pa

from nl2code.corpus.contexts import above


def with_context(row, notebook, max_cells=None):
    cells = notebook.cells
    types, sources = (
        pa.array([getattr(cell, name) for cell in cells]) for name in ("cell_type", "source")
    )
    index, given = row["metadata"]["cell_index"], row.get("boilerplate_code")
    (context,) = above(types, sources, [index], [given], max_cells).to_pylist()
    return row | {"context": context}
