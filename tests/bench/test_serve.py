"""How fast `rocefab serve` answers at 16,384 hosts: 8 clients on loopback."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import paced
from tests.cli.runs import ROOT, clean_environment
from tests.serve.servers import until

CLIENTS, DURATION_S, SEED = paced.CLIENTS, 15, 1
SCRIPT = Path(__file__).with_name("serve.lua")
#: As fast as it answers, by wrk: name, and from which number on each request is another one.
FULL_SPEED = (("each another", 1), ("24 again and again", 0))
#: Each request another, 200 a second, by `tests.bench.paced`.
PACES = ("steady", "poisson", "bursts")


@contextlib.contextmanager
def _server(folder: Path, *more: str):
    error = folder / "err"
    with (
        error.open("wb") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.serve_worker", str(folder), str(SEED), *more],
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


def _busy_s(process: int) -> float:
    """Return the processor time of all threads of a process."""
    times = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in times) / 1e9


def _measured(name: str, command: list[object], process: int, **environment: str) -> None:
    """Run a load and print its figures."""
    before_s = _busy_s(process)
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    count, rate, wrong, *times = re.search(r"FIGURES (.*)", done.stdout)[1].split()
    cpu_ms = (_busy_s(process) - before_s) / int(count) * 1e3
    p50, p99, p999, most = times
    print(
        f"{name}: {rate} requests/s, {wrong} not answered with 200; p50 {p50} ms, p99 {p99} ms, "
        f"p99.9 {p999} ms, longest {most} ms; {cpu_ms:.2f} ms of processor time each; "
        f"memory {_memory_mib(process):.0f} MiB"
    )


@pytest.mark.benchmark
def test_placements_over_http(tmp_path) -> None:
    wrk = shutil.which("wrk")
    with _server(tmp_path) as (url, process):
        print()
        for name, unique in FULL_SPEED if wrk else ():  # Debian package wrk
            command = [wrk, "-t1", f"-c{CLIENTS}", f"-d{DURATION_S}s", "-s", SCRIPT, url]
            more = {"UNIQUE": str(unique)} if unique else {}
            _measured(f"{name}, as fast as it answers", command, process, **more)
        for number, how in enumerate(PACES):
            first = 50_000 + number * DURATION_S * paced.RATE
            command = [sys.executable, "-m", "tests.bench.paced", url, how, DURATION_S, first]
            _measured(f"each another, 200 a second, {how}", command, process)


@pytest.mark.benchmark
def test_placements_where_other_jobs_are_scattered(tmp_path) -> None:
    """60 % of the hosts are busy, in jobs all over the fabric; jobs of up to 64 hosts."""
    with _server(tmp_path, "scattered") as (url, process):
        print()
        for number, how in enumerate(PACES):
            first = 50_000 + number * DURATION_S * paced.RATE
            command = [sys.executable, "-m", "tests.bench.paced", url, how, DURATION_S, first, 64]
            _measured(f"each another, 200 a second, {how}", command, process)
