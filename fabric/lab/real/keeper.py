"""The process that all daemons of a lab end with: process 1 of a PID namespace.

It dies with its owner (``PR_SET_PDEATHSIG``, prctl(2)), and every process of the namespace with it
(pid_namespaces(7)): not even SIGKILL of the owner leaves a daemon behind.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import LabError
from fabric.lab.real.state import LONG_S, NAMESPACES, Process
from fabric.programs.run import Background, run, start

if TYPE_CHECKING:
    from collections.abc import Sequence

_START_S = 5.0


class Answer(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


class Keeper:
    """Starts process 1, and runs commands in the namespaces of the lab.

    It has to be made by a thread that lasts as long as the lab: its end is taken for the owner's.
    """

    def __init__(self) -> None:
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork"]
        self._process = start([*command, "--kill-child=KILL", "sleep", "infinity"])
        self._started: list[Background] = []
        self.first = self._first()

    def _first(self) -> Process:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        until_s = time.monotonic() + _START_S
        while time.monotonic() < until_s and self._process.poll() is None:
            pids = children.read_text(encoding="ascii").split()
            if pids and Path(f"/proc/{pids[0]}/comm").read_text().strip() == "sleep":
                return Process.of(int(pids[0]))
            time.sleep(0.01)
        self._process.kill()
        raise LabError("lab", "it could not start a PID namespace: are there any here?")

    def inside(self, namespace: str, argv: Sequence[str]) -> list[str]:
        """Return the words that run a command in a namespace."""
        pid = str(self.first.pid)
        network = f"--net={NAMESPACES / namespace}"
        return ["nsenter", "--target", pid, "--pid", network, "--", *argv]

    def run(self, namespace: str, argv: Sequence[str], timeout_s: float = 60.0) -> Answer:
        """Run a command in a namespace and wait for its end."""
        done = run(self.inside(namespace, argv), timeout_s)
        return Answer(done.code, done.text, done.complaint)

    def start(self, namespace: str, argv: Sequence[str], log: Path) -> None:
        """Run a command in a namespace in the background, as long as the lab runs."""
        with log.open("ab") as file:
            self._started.append(start(self.inside(namespace, argv), file))

    def end(self) -> None:
        """End every process of the lab."""
        self._process.kill()
        self._process.wait()
        self.first.kill()
        for process in self._started:
            process.wait()


def batch(lines: Sequence[str], namespace: str = "") -> None:
    """Run lines of ``ip``, in a namespace or in that of the machine.

    Raises
    ------
    LabError
        When the kernel does not take one of them.
    """
    where = ["-netns", namespace] if namespace else []
    text = "".join(f"{line}\n" for line in lines)
    done = run(["ip", *where, "-batch", "-"], LONG_S, given=text.encode())
    if done.code:
        raise LabError(namespace or "ip", _first_error(done.complaint, lines))


def _first_error(text: str, lines: Sequence[str]) -> str:
    """Return what ``ip`` says, with the line that it says it of."""
    said = " ".join(text.split())
    _, _, number = said.rpartition("-:")
    place = int(number) - 1 if number.isdecimal() else -1
    return f"{said} ({lines[place]})" if 0 <= place < len(lines) else said
