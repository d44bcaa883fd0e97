"""Serves a fabric of 16,384 hosts from tables, with jobs that run: ``serve_worker FOLDER SEED``.

With a third word, 60 % of the hosts are busy, in jobs whose hosts are all over the fabric.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from fabric.placement.engine.engine import Engine
from fabric.serve import service as service_module
from fabric.serve.answers import Names
from fabric.serve.book import Book
from fabric.serve.run import listen, prepare
from fabric.serve.service import Service
from fabric.serve.settings import Limits, Settings
from fabric.serve.source import Loaded
from fabric.serve.store import Store
from tests.placement.instances import LARGEST, built, scattered, state


def main(folder: str, seed: str, where: str = "") -> None:
    """Print the port, then serve until SIGTERM."""
    plain = built(LARGEST)
    file = plain.intent.fabric
    units = tuple(
        file.units[0].model_copy(update={"name": f"su{number}"})
        for number in range(len(LARGEST.units))
    )
    intent = replace(plain.intent, fabric=file.model_copy(update={"units": units}))
    large = replace(plain, intent=intent)
    engine = Engine(large, (scattered if where else state)(large, int(seed)))
    project = SimpleNamespace(fabric=large)
    loaded = Loaded(project, engine, Book(), Names(large), time.time())
    service_module.load = lambda *_: loaded
    Loaded.with_state = lambda self, _: self
    with Store(Path(folder)) as store:
        settings = Settings(limits=Limits(rate=0), watch_s=3600)
        listening = listen("127.0.0.1", 0)
        server = prepare(Service(Path(folder), store, settings))
        sys.stderr.write(f"port {listening.getsockname()[1]}\n")
        server.run([listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
