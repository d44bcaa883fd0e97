"""How fast `rocefab serve` answers at 16,384 hosts: 8 clients on loopback, measured by wrk."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import ROOT, clean_environment
from tests.serve.servers import until

CLIENTS, DURATION_S, SEED = 8, 15, 1
SCRIPT = Path(__file__).with_name("serve.lua")
#: Name, pause of each client in ms (8 clients that wait 39 ms ask 200 times a second at most), and
#: whether each request is another one, from which number on.
LOADS = (
    ("each request another, as fast as it answers", 0, 1),
    ("each request another, at most 200 a second", 39, 8193),
    ("24 requests again and again, as fast as it answers", 0, 0),
    ("24 requests again and again, at most 200 a second", 39, 0),
)


@contextlib.contextmanager
def _server(folder: Path):
    error = folder / "err"
    with (
        error.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.serve_worker", str(folder), str(SEED)],
            cwd=ROOT,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as child,
    ):
        try:
            until(lambda: child.poll() is not None or "port " in error.read_text(), "it serves")
            found = re.search(r"port (\d+)", error.read_text())
            assert found, error.read_text()
            yield f"http://127.0.0.1:{found[1]}", child.pid
        finally:
            child.terminate()


def _memory_mib(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


@pytest.mark.benchmark
def test_placements_over_http(tmp_path) -> None:
    wrk = shutil.which("wrk")
    if wrk is None:
        pytest.skip("wrk (Debian package wrk) is not installed")
    with _server(tmp_path) as (url, process):
        print()
        for name, pause_ms, unique in LOADS:
            before = _memory_mib(process)
            done = subprocess.run(
                [wrk, "-t1", f"-c{CLIENTS}", f"-d{DURATION_S}s", "-s", str(SCRIPT), url],
                env={
                    **os.environ,
                    "DELAY": str(pause_ms),
                    **({"UNIQUE": str(unique)} if unique else {}),
                },
                capture_output=True,
                text=True,
                check=True,
            )
            rate, wrong, *times = re.search(r"FIGURES (.*)", done.stdout)[1].split()
            p50, p99, p999, most = times
            print(
                f"{name}: {rate} requests/s, {wrong} not answered with 200; p50 {p50} ms, p99 "
                f"{p99} ms, p99.9 {p999} ms, longest {most} ms; memory {before:.0f} -> "
                f"{_memory_mib(process):.0f} MiB"
            )
