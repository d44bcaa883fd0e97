"""A host with systemd as process 1, reached over SSH; nothing of rocefab is on it at first."""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.lab.real.booted.tree import pack
from fabric.lab.real.keeper import Answer, batch
from fabric.lab.real.state import NAMESPACES
from fabric.programs.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.host_model import HostDesign
    from fabric.lab.real.booted.management import Management
    from fabric.lab.real.keeper import Keeper

_BOOT = Path(__file__).with_name("boot.sh")
_PATIENCE_S = 60.0
_SSH_PORT = 22
#: PID namespaces around the first process of a host: of the machine, the lab, and the host.
_DEPTH = 3


@dataclass(frozen=True, eq=False)
class BootedHost:
    """One host that is booted.

    Parameters
    ----------
    management : Management
        How it is reached.
    namespace, folder :
        Where it runs, and where its archive and log are.
    """

    design: HostDesign
    management: Management
    namespace: str
    folder: Path

    def up(self, keeper: Keeper) -> None:
        """Plug in the management cable, and boot."""
        name, access = self.design.name, self.management.accesses[self.design.name]
        interface = self.design.management_interface
        far = f"peer name {interface} netns {self.namespace}"
        batch([
            f"link add name {access.interface} type veth {far}",
            f"address add {access.near} dev {access.interface}",
            f"link set dev {access.interface} up",
        ])
        pack(self.folder / "host.tar", self.design, access, self.management)
        nics = [interface, *(nic.interface for nic in self.design.nics)]
        words = ["sh", str(_BOOT), str(self.folder), name, self.namespace, *nics]
        keeper.start(self.namespace, ["unshare", "--mount", *words], self.folder / "boot.log")

    def settle(self, keeper: Keeper) -> None:
        """Wait until its sshd answers.

        Raises
        ------
        LabError
            When it does not; with the end of its log.
        """
        self._wait_for_sshd()

    def _wait_for_sshd(self) -> None:
        until_s = time.monotonic() + _PATIENCE_S
        while not self.answers():
            if time.monotonic() > until_s:
                log = (self.folder / "boot.log").read_text(encoding="utf-8", errors="replace")
                raise LabError(self.design.name, f"no sshd: {'; '.join(log.splitlines()[-3:])}")
            time.sleep(0.1)

    def answers(self) -> bool:
        """Whether its sshd greets."""
        address = self.management.accesses[self.design.name].address
        try:
            with socket.create_connection((address, _SSH_PORT), timeout=1) as link:
                return link.recv(4) == b"SSH-"
        except OSError:
            return False

    def run(self, argv: Sequence[str], timeout_s: float = 60.0) -> Answer:
        """Run a command inside the host, without SSH."""
        words = ["nsenter", "--target", str(self.first), "--all", "--", *argv]
        done = run(words, timeout_s, folder=Path("/"))
        return Answer(done.code, done.text, done.complaint)

    @property
    def first(self) -> int:
        """Number of its process 1, as the machine counts.

        Raises
        ------
        LabError
            When it does not run.
        """
        number = self._first()
        if number is None:
            raise LabError(self.design.name, "it does not run")
        return number

    def _first(self) -> int | None:
        space = (NAMESPACES / self.namespace).stat().st_ino
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                numbers = _numbers((folder / "status").read_text(encoding="utf-8"))
                if len(numbers) < _DEPTH or numbers[-1] != "1":
                    continue
                if (folder / "ns" / "net").stat().st_ino == space:
                    return int(folder.name)
        return None

    def wait_for_boot(self, before: int) -> None:
        """Wait until it booted again.

        Parameters
        ----------
        before : int
            ``first`` of the boot before.

        Raises
        ------
        LabError
            When its sshd does not answer.
        """
        until_s = time.monotonic() + _PATIENCE_S
        while self._first() in (None, before) and time.monotonic() < until_s:
            time.sleep(0.1)
        self._wait_for_sshd()


def _numbers(status: str) -> list[str]:
    """Return the numbers of a process, the outermost PID namespace first (proc(5), NSpid)."""
    found = re.search(r"^NSpid:(.*)$", status, re.MULTILINE)
    return found[1].split() if found else []
