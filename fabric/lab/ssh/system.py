"""A system behind an SSH server: its files, its shell, its faults and its cables.

Assumed: the host key is made at the start and is not kept.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from fabric.lab.faults import FaultScript
from fabric.lab.shell.clocks import CLOCKS
from fabric.lab.shell.files import FILE_TOOLS
from fabric.lab.shell.interpreter import Shell
from fabric.lab.shell.rootfs import RootFs
from fabric.lab.shell.runners import RUNNERS
from fabric.lab.shell.state import ShellExit, Streams
from fabric.lab.shell.text import TEXT_TOOLS
from fabric.lab.standin import Cabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.clock import LabClock
    from fabric.lab.faults import Fault
    from fabric.lab.shell.state import Tool
    from fabric.lab.spec import StandInSpec


class SshSystem(Cabled):
    """What the sessions of a stand-in work on.

    Parameters
    ----------
    spec : StandInSpec
        Who the stand-in is.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec)
        self.clock = clock
        self.faults = FaultScript()
        self.rebooting = False
        self.lock = threading.RLock()
        home = "/root" if spec.username == "root" else f"/home/{spec.username}"
        self.fs = RootFs(home)
        self.tools: dict[str, Tool] = {**FILE_TOOLS, **TEXT_TOOLS, **RUNNERS, **CLOCKS}
        self._identity = ""
        self.started_s = clock.now_s()
        self.fs.computed("/proc/uptime", self._uptime)

    def _uptime(self) -> str:
        """Return the file of proc(5): seconds since the start, and idle ones."""
        up_s = self.clock.now_s() - self.started_s
        return f"{up_s:.2f} {up_s:.2f}\n"

    # -- faults ----------------------------------------------------------------------------------

    def strike_session(self, line: str) -> Fault | None:
        """Return the fault that decides how the session goes on, if one strikes at ``line``."""
        return self.faults.strike(
            line, "cut_at_byte", "cut_at_command", "hang", "reboot", "refuse_line"
        )

    def strike_identity(self, line: str) -> None:
        """Answer ``line`` with another hostname when a fault says so."""
        fault = self.faults.strike(line, "identity")
        self._identity = fault.text if fault else ""

    def drop(self, connection: Any) -> None:
        """Break a connection off, without a word to the client."""
        if connection is not None:
            connection.abort()

    def reboot(self, seconds: float) -> None:
        """Close all sessions and come back after lab seconds; the server does it."""
        raise NotImplementedError

    def on_reboot(self) -> None:
        """Forget what does not survive a restart; devices extend it."""

    def expire_timers(self) -> None:
        """Let every running commit timer expire now; devices extend it."""

    @property
    def armed(self) -> bool:
        """Whether a commit timer may run that a fault can end."""
        return True

    # -- shell -----------------------------------------------------------------------------------

    def hostname(self) -> str:
        """Return the name that the system reports."""
        return self._identity or self.spec.name

    def new_shell(self) -> Shell:
        """Return a login shell."""
        return Shell(
            self.fs,
            self.tools,
            user=self.spec.username,
            delay=asyncio.sleep,
            guard=self.lock,
        )

    def start_service(self, words: list[str]) -> Callable[[], None] | None:
        """Start a server in the background; return what stops it, or None when it is none."""
        del words
        return None

    def run_detached(self, command: str) -> tuple[int, str]:
        """Run a command as root outside of any session; return its code and what it printed.

        Waits of the command take no time: the job runs while the lab clock stands.
        """
        printed: list[str] = []

        async def no_wait(_seconds: float) -> None:
            return

        shell = Shell(self.fs, self.tools, user="root", delay=no_wait, guard=self.lock)
        shell.cwd, shell.line = "/", command
        job = shell.run(command, Streams(printed.append, printed.append))
        try:
            job.send(None)
        except StopIteration as finished:
            return finished.value, "".join(printed)
        except ShellExit as jump:
            return jump.code, "".join(printed)
        job.close()
        raise RuntimeError(f"the detached command {command!r} waits for something")
