"""The Juniper Junos stand-in: a switch that answers NETCONF over SSH.

Known and assumed facts stand in the modules of this package, each for its subject. The statements
that it takes are those of the grammar of ``fabric.systems.junos.platforms``; all others are syntax
errors. A commit that takes away NETCONF or the account cuts the switch off, as it does on the real
system; the timer brings it back. The host key is made at the start.

Faults match the operation: a command (``show bgp summary``), ``load-configuration``, ``commit
check``, ``commit confirmed 1``, ``commit``, ``rollback 1`` or the name of another operation. With
``cut_at_command``, ``hang`` and ``reboot`` it is not run. ``refuse_line`` matches each line that is
loaded, and commands; ``accept_part`` lets only the first ``count`` lines of a load take effect.
``identity`` holds for one operation.

``tells_log`` says whether the answer about the last commit holds its message.

Options of the specification: ``release`` and ``ports`` (names of the ports, separated by commas).
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.systems.junos.lab.netconf import NetconfSession
from fabric.systems.junos.lab.show import PortCounters, View, discovering, page
from fabric.systems.junos.lab.store import JunosError, Store, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from xml.etree import ElementTree as ET

    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.spec import StandInSpec
    from fabric.lab.ssh.channel import Process
    from fabric.systems.junos.platforms.text import Words

_CONFIGURATION = 'xmlns="http://xml.juniper.net/xnm/1.1/xnm"'
_NETCONF = ("system", "services", "netconf", "ssh")


_OWN_AS = ("routing-options", "autonomous-system")


@stand_ins.add("junos")
class JunosStandIn(SshStandIn):
    """One Junos switch.

    Parameters
    ----------
    spec : StandInSpec
        Who it is; ``running`` is its configuration as ``set`` lines.
    clock : LabClock
        Runs the commit timer.

    Raises
    ------
    JunosError
        When the configuration holds a statement that the switch refuses.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.store = Store(str(spec.running or ""), clock, spec.username)
        self.view = View(spec)
        self.tells_log = True
        self._numbers = itertools.count(1001)
        self._access = self._ways_in()
        self._operations: dict[str, Callable[[ET.Element, int], str]] = {
            "lock-configuration": lambda _, session: self._take_lock(session),
            "unlock-configuration": lambda _, session: self._give_lock(session),
            "load-configuration": self._load,
            "commit-configuration": self._commit,
            "get-configuration": lambda operation, _: self._configuration(operation),
            "command": lambda operation, _: self._command(operation),
            "get-software-information": lambda *_: self._software(),
            "get-chassis-inventory": lambda *_: self._chassis(),
            "get-commit-revision-information": lambda *_: self._revision(),
            "get-commit-information": lambda *_: self._commits(),
            "get-system-uptime-information": lambda *_: self._uptime(),
            "close-session": lambda *_: "<ok/>",
        }

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch with nothing but management access has."""
        return page("factory", name=design.name)

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        has = [words[6:] for words in self.lines if words[4:6] == ("neighbor", session)]
        if not has and session not in discovering(self.lines):
            return None
        own = (words[2] for words in self.lines if (*words[:2],) == _OWN_AS and words[2:])
        expected = (words[1] for words in has if words[:1] == ("peer-as",))
        return BgpEnd(as_number(next(own, 0)), as_number(next(expected, 0)))

    def watch_bgp(
        self, up: Callable[[str], bool], asn_there: Callable[[str], int] = lambda _peer: 0
    ) -> None:
        """Take what tells whether the far end has a session too, and its AS number; 0 for none."""
        self.view.watch_bgp(up, asn_there)

    def watch_routes(self, routes: Callable[[str], Collection[str]]) -> None:
        """Take what returns the prefixes that a VRF has routes to."""
        self.view.watch_routes(routes)
        super().watch_routes(routes)

    def watch_light(self, lit: Callable[[str], bool]) -> None:
        """Take what tells whether the far end of the cable of a port sends light."""
        self.view.watch_light(lit)

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not disabled."""
        return ("interfaces", port, "disable") not in self.lines

    @property
    def lines(self) -> list[Words]:
        """The statements of the active configuration."""
        return [words for verb, words in self.store.committed if verb == "set"]

    @property
    def running_text(self) -> str:
        """The active configuration as ``set`` lines."""
        with self.lock:
            return lines_of(self.store.committed)

    @property
    def reachable(self) -> bool:
        """Whether NETCONF and the account of the start are still configured."""
        return self._access <= self._ways_in()

    def _ways_in(self) -> set[Words]:
        user = ("system", "login", "user", self.spec.username)
        return {
            words[: len(user)] for words in self.lines if words == _NETCONF or words[:4] == user
        }

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self.view.counters.setdefault(port, PortCounters())

    def hand_edit(self, lines: str) -> None:
        """Commit lines as a person at the console would.

        Raises
        ------
        JunosError
            When a line is refused, or the commit.
        """
        with self.lock:
            self.store.commit_by("operator", lines)

    def foreign_edit(self, lines: str) -> None:
        """Leave lines of somebody else in the candidate, not committed."""
        with self.lock:
            self.store.load_set(lines)

    def expire_timers(self) -> None:
        """Let a commit timer that runs expire now."""
        with self.lock:
            self.store.expire()

    # -- NETCONF ---------------------------------------------------------------------------------

    async def _serve(self, process: Process) -> None:
        if process.subsystem != "netconf" or not self.reachable:
            process.exit(1)
            return
        await NetconfSession(self, process, next(self._numbers)).serve()

    def answer(self, operation: ET.Element, label: str, session: int) -> str:
        """Return the inside of the answer to an operation.

        Raises
        ------
        JunosError
            When the system refuses it.
        """
        refused = self.faults.strike(label, "refuse_line")
        if refused is not None or operation.tag not in self._operations:
            text = refused.text if refused and refused.text else "syntax error"
            raise JunosError(text, operation.tag)
        return self._operations[operation.tag](operation, session)

    def _take_lock(self, session: int) -> str:
        self.store.lock(session)
        return "<ok/>"

    def _give_lock(self, session: int) -> str:
        self.store.unlock(session)
        return "<ok/>"

    def _load(self, operation: ET.Element, session: int) -> str:
        self.store.check_free(session)
        if operation.get("rollback"):
            self.store.rollback(int(operation.get("rollback", "0")))
        elif operation.get("action") == "set":
            lines = operation.findtext("configuration-set") or ""
            for row in lines.splitlines():
                refused = self.faults.strike(row, "refuse_line")
                if refused is not None:
                    raise JunosError(refused.text or "syntax error", row)
            part = self.faults.strike("load-configuration", "accept_part")
            self.store.load_set(lines, part.count if part else None)
        else:
            text = operation.findtext("configuration-text")
            if text is None:
                raise JunosError("syntax error", "load-configuration")
            self.store.load_tree(text, replace=operation.get("action") == "override")
        return "<load-configuration-results><ok/></load-configuration-results>"

    def _commit(self, operation: ET.Element, session: int) -> str:
        self.store.check_free(session)
        if operation.find("check") is not None:
            self.store.check()
            return "<ok/>"
        minutes = operation.findtext("confirm-timeout") or "0"
        if operation.find("confirmed") is not None and minutes == "0":
            minutes = "10"  # Juniper, commit confirmed: the default
        self.store.commit(minutes=int(minutes), log=operation.findtext("log") or "")
        return "<ok/>"

    def _configuration(self, operation: ET.Element) -> str:
        if operation.get("compare") == "rollback":
            diff = escape(f"\n{self.store.compare()}\n".replace("\n\n", "\n"))
            inner = f"<configuration-output>{diff}</configuration-output>"
            return f"<configuration-information>{inner}</configuration-information>"
        committed = operation.get("database") == "committed"
        lines = self.store.committed if committed else tuple(self.store.candidate)
        if operation.get("format") == "set":
            text = escape(lines_of(lines))
            return f"<configuration-set {_CONFIGURATION}>\n{text}</configuration-set>"
        if operation.get("format") == "text" and committed:
            text = escape(self.store.tree)
            return f"<configuration-text {_CONFIGURATION}>\n{text}</configuration-text>"
        raise JunosError("syntax error", "get-configuration")

    def _command(self, operation: ET.Element) -> str:
        command = " ".join((operation.text or "").split())
        xml = self.view.xml(command, self.lines)
        if xml is not None and operation.get("format") != "text":
            return xml
        text = self.view.text(command, self.lines, self._name())
        if text is None:
            raise JunosError("syntax error, expecting <command>", command)
        return f"<output>\n{escape(text)}</output>"

    def _name(self) -> str:
        """Return the configured host name, or the one of a fault."""
        names = [words[2] for words in self.lines if words[:2] == ("system", "host-name")]
        return self._identity or (names[0] if names else "")

    def _software(self) -> str:
        return (
            f"<software-information {_space('junos')}><host-name>{escape(self._name())}</host-name>"
            f"<product-model>{self.spec.model.lower()}</product-model></software-information>"
        )

    def _chassis(self) -> str:
        serial = escape(self.spec.serial)
        inner = f"<name>Chassis</name><serial-number>{serial}</serial-number>"
        space = _space("junos-chassis")
        return f"<chassis-inventory {space}><chassis>{inner}</chassis></chassis-inventory>"

    def _revision(self) -> str:
        last = self.store.history[0]
        comment = f"<comment>{escape(last.comment)}</comment>" if last.comment else ""
        log = f"<log>{escape(last.log)}</log>" if last.log and self.tells_log else ""
        return (
            f"<commit-revision-information {_space('junos')}>"
            f"<revision>re0-{int(last.time_s)}-{last.number}</revision>"
            f'<date-time junos:seconds="{int(last.time_s)}">lab time</date-time>'
            f"<user>{escape(last.user)}</user><client>{last.client}</client>{comment}{log}"
            "</commit-revision-information>"
        )

    def _commits(self) -> str:
        rows = []
        for number, item in enumerate(self.store.history):
            at = f"{datetime.fromtimestamp(item.time_s, UTC):%Y-%m-%d %H:%M:%S UTC}"
            log = f"<log>{escape(item.log)}</log>" if item.log else ""
            rows.append(
                f"<commit-history><sequence-number>{number}</sequence-number>"
                f"<user>{escape(item.user)}</user><client>{item.client}</client>"
                f'<date-time junos:seconds="{int(item.time_s)}">{at}</date-time>{log}'
                "</commit-history>"
            )
        return f"<commit-information {_space('junos')}>{''.join(rows)}</commit-information>"

    def _uptime(self) -> str:
        now = f'<date-time junos:seconds="{int(self.clock.now_s())}">lab time</date-time>'
        inner = f"<current-time>{now}</current-time>"
        return f"<system-uptime-information>{inner}</system-uptime-information>"


def _space(name: str) -> str:
    """Return the namespace of an answer."""
    return f'xmlns="http://xml.juniper.net/junos/23.4X100/{name}"'
