"""Serves one inventory for a browser: ``page_worker FOLDER STATE MODELS``; prints its port.

MODELS is a folder of switch models to use beside ours, or empty.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fabric.platforms import catalogue


def main(folder: str, state: str, models: str = "") -> None:
    """Print the port and how long loading took, then serve until SIGTERM."""
    if models:
        ours = catalogue.data_files
        more = {path.stem: path for path in Path(models).glob("*.toml")}
        catalogue.data_files = lambda kind: ours(kind) | (more if kind == "skus" else {})
    from fabric.serve.run import listen, prepare
    from fabric.serve.service import Service
    from fabric.serve.settings import Settings
    from fabric.serve.store import Store

    began_s = time.perf_counter()
    with Store(Path(state)) as store:
        service = Service(Path(folder), store, Settings(watch_s=3600))
        listening = listen("127.0.0.1", 0)
        server = prepare(service)
        took_s = time.perf_counter() - began_s
        sys.stderr.write(f"port {listening.getsockname()[1]}, loaded in {took_s:.2f} s\n")
        server.run([listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
