"""The Comware 7 stand-in: a switch whose command line is reached over SSH on the loopback address.

Known and assumed facts stand in the modules ``comware7_*`` of this package, each for its subject.
Lines act at once; `configuration commit delay` keeps the state of the moment and brings it back
when nothing is committed in time (H3C configuration guide "Configuration file management"). A
second delay moves the time and not the state to go back to. Option ``commit_delay`` set to ``no``
stands for a release without it. Files and what was saved survive a reboot, a timer does not.

Faults: ``accept_part`` counts lines of one session from the one that it strikes at; those beyond
``count`` are answered as if they had been taken. ``expire_timer`` strikes only while the commit
timer runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.core.units import S_PER_MIN
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.systems.comware7.lab.cli import CliSession
from fabric.systems.comware7.lab.config import Editor, read_text
from fabric.systems.comware7.lab.show import View, display_configuration, page

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock, Timer
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec
    from fabric.lab.ssh.channel import Process
    from fabric.systems.comware7.lab.show import PortCounters

DEFAULT_VERSION = "7.1.070, Release 6555P01"


@stand_ins.add("comware7")
class Comware7StandIn(SshStandIn):
    """One Comware 7 switch.

    Parameters
    ----------
    spec : StandInSpec
        Who it is; ``running`` is its configuration as text.
    clock : LabClock
        Runs the commit timer.

    Raises
    ------
    ValueError
        When the configuration holds a line that the switch refuses.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.ports = tuple(name for name in spec.options.get("ports", "").split(",") if name)
        self.running = read_text(str(spec.running or ""), self.ports)
        version = spec.options.get("version", DEFAULT_VERSION)
        self.view = View(self, lambda: self.running, self.ports, version)
        self.startup = self.text
        self.files: dict[str, str] = {}
        self.has_commit_delay = spec.options.get("commit_delay") != "no"
        self._before: Section | None = None
        self._timer: Timer | None = None

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch with nothing but management access has."""
        return page("factory", name=design.name)

    # -- configuration ---------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The running configuration as it is displayed."""
        with self.lock:
            return display_configuration(self.running, self.view.version)

    @property
    def running_text(self) -> str:
        """The running configuration, as its reader takes it."""
        return self.text

    def editor(self) -> Editor:
        """Return an editor of the running configuration."""
        return Editor(self.running, self.ports)

    def become(self, text: str) -> None:
        """Make a whole configuration the running one."""
        self.running = read_text(text, self.ports)

    def save(self, name: str = "") -> None:
        """Save the running configuration, to a file of its own or for the next start."""
        if name:
            self.files[name] = self.text
        elif not self.faults.strike("save", "forget_save"):
            self.startup = self.text

    def directory(self) -> str:
        """Return ``dir``."""
        rows = [
            f"{number:>4} -rw- {len(text):>11} Nov 20 2026 09:00:00   {name}"
            for number, (name, text) in enumerate(sorted(self.files.items()))
        ]
        return "\n".join(["Directory of flash:", *rows, "", "524288 KB total (400000 KB free)", ""])

    def hand_edit(self, lines: str) -> None:
        """Change the running configuration as a person at the console would.

        Raises
        ------
        ValueError
            When a line is refused; the lines before it are applied.
        """
        with self.lock:
            editor = self.editor()
            for line in lines.splitlines():
                try:
                    editor.feed(line.strip())
                except LineRefusedError as error:
                    raise ValueError(f"{line!r}: {error}") from error

    # -- commit timer ----------------------------------------------------------------------------

    @property
    def armed(self) -> bool:
        """Whether the commit timer runs."""
        return self._timer is not None

    def arm(self, minutes: int) -> None:
        """Start the commit timer, or give it another time."""
        with self.lock:
            if self._timer is not None:
                self._timer.cancel()
            else:
                self._before = self.running.copy()
            self._timer = self.clock.call_later(minutes * S_PER_MIN, self.expire_timers)

    def disarm(self) -> None:
        """Stop the commit timer: what was changed stays."""
        with self.lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._before = None

    def expire_timers(self) -> None:
        """Let the commit timer run out now."""
        with self.lock:
            if self._before is not None:
                self.running = self._before
            self.disarm()

    def on_reboot(self) -> None:
        """Load what was saved; a timer is forgotten."""
        self.disarm()
        self.become(self.startup)

    # -- what the wires do -----------------------------------------------------------------------

    def strike_identity(self, line: str) -> None:
        """Answer ``line`` with another hostname when a fault says so."""
        super().strike_identity(line)
        self.view.alias = self._identity

    def hostname(self) -> str:
        """Return the name in the configuration."""
        return self.view.hostname

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self.view.count(port)

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        with self.lock:
            bgp = next(iter(self.running.below("bgp ")), None)
            expected = bgp.value(f"peer {session} as-number") if bgp else ""
            if bgp is None or not expected:
                return None
            return BgpEnd(as_number(bgp.line.split()[1]), as_number(expected))

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not shut and has its cable."""
        with self.lock:
            return self.view.sends_light(port)

    async def _serve(self, process: Process) -> None:
        await CliSession(self, process).serve()
