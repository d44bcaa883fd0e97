"""Servers for the tests: one in a thread of this process, and `rocefab serve` as a user runs it."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cli.runs import ROCEFAB, ROOT, clean_environment
from tests.waiting import until

if TYPE_CHECKING:
    import httpx

DEMO = ROOT / "inventory" / "demo"
JSON = {"Content-Type": "application/json"}


@contextlib.contextmanager
def served(state: Path, inventory: Path = DEMO, **settings) -> Iterator[httpx.Client]:
    """Serve an inventory from a thread; the client has the service as its `service`."""
    import httpx
    import uvicorn

    from fabric.serve.app import create_app
    from fabric.serve.protocol import LimitedProtocol
    from fabric.serve.run import listen
    from fabric.serve.service import Service
    from fabric.serve.settings import Settings
    from fabric.serve.store import Store

    listening = listen("127.0.0.1", 0)
    with Store(state) as store:
        service = Service(inventory, store, Settings(**settings))
        config = uvicorn.Config(
            create_app(service),
            http=LimitedProtocol,
            log_config=None,
            access_log=False,
            ssl_certfile=settings.get("tls_cert"),
            ssl_keyfile=settings.get("tls_key"),
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            until(lambda: server.started, "the server starts")
            scheme = "https" if config.is_ssl else "http"
            url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
            with httpx.Client(base_url=url, timeout=60, trust_env=False, verify=False) as client:
                client.service = service
                yield client
        finally:
            server.should_exit = True
            thread.join(60)
            listening.close()


@dataclass
class Running:
    """`rocefab serve` in a process of its own."""

    process: subprocess.Popen
    client: httpx.Client
    out: Path

    def log(self) -> list[dict]:
        """Return the lines of the access log."""
        return [json.loads(line) for line in self.out.read_text().splitlines()]


@contextlib.contextmanager
def process(folder: Path, *words: object, verify=True, **environment: str) -> Iterator[Running]:
    """Run `rocefab serve` on a free port until it answers; it is stopped by SIGTERM."""
    import httpx

    out, err = folder / "out", folder / "err"
    line = [*ROCEFAB, "serve", *map(str, words), "--listen", "127.0.0.1:0"]
    env = {**clean_environment(), **environment}
    with (
        out.open("wb") as stdout,
        err.open("wb") as stderr,
        subprocess.Popen(line, cwd=ROOT, env=env, stdout=stdout, stderr=stderr) as child,
    ):
        try:
            until(lambda: child.poll() is not None or " on http" in err.read_text(), "it starts")
            found = re.search(r" on (https?://\S+)", err.read_text())
            assert found, err.read_text()
            with httpx.Client(
                base_url=found[1], timeout=60, verify=verify, trust_env=False
            ) as client:
                yield Running(child, client, out)
        finally:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(60)
            child.kill()
    assert "Traceback" not in err.read_text()


def copy_of_demo(folder: Path) -> Path:
    """Return an inventory that a test may change."""
    return Path(shutil.copytree(DEMO, folder / "inventory"))
