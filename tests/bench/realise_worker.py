"""Times loading and realising one inventory in a process of its own; prints JSON.

``python -m tests.bench.realise_worker FOLDER MODELS``: MODELS is a folder of switch models to use
in place of ours.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from fabric.platforms import catalogue


def main(folder: str, models: str) -> dict[str, Any]:
    """Return seconds of each stage, counts, and the peak of the memory in MiB."""
    ours = catalogue.data_files
    more = {path.stem: path for path in Path(models).glob("*.toml")}
    catalogue.data_files = lambda kind: ours(kind) | (more if kind == "skus" else {})
    from fabric.intent.inventory import load
    from fabric.topology import realise

    start = time.perf_counter()
    intent = load(Path(folder))
    loaded = time.perf_counter()
    made = realise(intent)
    return {
        "load": loaded - start,
        "realise": time.perf_counter() - loaded,
        "switches": len(made.switches),
        "nics": len(made.nics),
        "cables": int(made.nics.enabled.sum()) + len(made.uplinks),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
