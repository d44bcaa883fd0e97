"""The OS10 stand-in: not Dell's real system; a test of the plug-in layout.

Lines act at once. ``rollback-timer TOKEN SECONDS`` keeps what runs at that moment, and brings it
back in time unless ``rollback-timer TOKEN confirm`` comes first; ``now`` ends it at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from fabric.book.book import books
from fabric.book.grammar import Grammar, InvalidInputError, LineRefusedError
from fabric.design.model import DeviceDesign
from fabric.lab.clock import LabClock, Timer
from fabric.lab.lines.editor import Editor, feed_text
from fabric.lab.lines.tree import Section, indented
from fabric.lab.spec import StandInSpec
from fabric.lab.ssh.channel import Channel, Process
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins

GRAMMAR = Grammar(books()["os10"].tables()[0], frozenset())
FACTORY = """\
hostname {name}
username admin password $6$LAB
management route 0.0.0.0/0 192.0.2.1
"""


class Os10Editor(Editor):
    """Applies lines to a tree; the ports of the hardware are there and stay."""

    prefix = "% Error: "

    def __init__(self, root: Section, ports: Iterable[str]) -> None:
        super().__init__(root, GRAMMAR)
        for port in ports:
            self.store(root, GRAMMAR["config"].match(["interface", port]))

    def invalid(self, words: list[str], error: InvalidInputError) -> LineRefusedError:
        """Return a refusal in the words of the system."""
        return LineRefusedError(f"{self.prefix}{error}\n")

    def reason(self, context: Section, line: str) -> str:
        """Refuse what names something that is not there."""
        name = line.rsplit(maxsplit=1)[-1]
        named = {
            "switchport access vlan ": f"interface vlan{name}",
            "trust-map dscp ": f"trust dscp-map {name}",
            "service-policy qos-map ": f"qos-map traffic-class {name}",
            "random-detect queue ": f"wred {name}",
        }
        missing = next((owner for head, owner in named.items() if line.startswith(head)), "")
        return f"{missing} does not exist" if missing and not self.root.has(missing) else ""

    def removal_reason(self, context: Section, node: Section) -> str:
        """Refuse to remove a port."""
        return "a port cannot be removed" if node.line.startswith("interface ethernet") else ""


@stand_ins.add("os10")
class Os10StandIn(SshStandIn):
    """One OS10 switch; ``running`` of its specification is its configuration as text."""

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.ports = spec.options["ports"].split(",")
        self.running = Section()
        feed_text(Os10Editor(self.running, self.ports), spec.running)
        self.startup = self.running.copy()
        self.waiting: tuple[str, Section, Timer] | None = None

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch fresh from the box has."""
        return FACTORY.format(name=design.name)

    def end_timer(self) -> None:
        """Stop the timer: what was changed stays."""
        if self.waiting:
            self.waiting[2].cancel()
            self.waiting = None

    def expire_timers(self) -> None:
        """Bring back what ran before the change that waits."""
        with self.lock:
            if self.waiting:
                self.running = self.waiting[1]
            self.end_timer()

    def rollback_timer(self, token: str, what: str) -> None:
        """Run ``rollback-timer TOKEN SECONDS|confirm|now``."""
        if what.isdecimal() and not self.waiting:
            timer = self.clock.call_later(int(what), self.expire_timers)
            self.waiting = (token, self.running.copy(), timer)
        elif not self.waiting or self.waiting[0] != token or what.isdecimal():
            raise LineRefusedError("% Error: another change waits, or this one does not\n")
        elif what == "now":
            self.expire_timers()
        else:
            self.end_timer()

    # -- what the wires do -----------------------------------------------------------------------

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not shut and has its cable."""
        node = self.running.get(f"interface {port}") or Section()
        return port not in self.unplugged and not node.has("shutdown")

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        own = next((node.line.split()[2] for node in self.running.below("router bgp ")), "")
        ends = (as_number(asn) for peer, asn in self._peers() if peer == session)
        return next((BgpEnd(as_number(own), asn) for asn in ends), None)

    def _peers(self) -> list[tuple[str, str]]:
        return [
            (peer.line.split()[1], peer.value("remote-as"))
            for router in self.running.below("router bgp ")
            for peer in router.below("neighbor ")
        ]

    def _is_up(self, port: str) -> bool:
        return port in self.neighbours and self.sends_light(port) and self.lit(port)

    # -- what it shows ---------------------------------------------------------------------------

    def show(self, what: str) -> str:
        """Return the output of a command."""
        trees = {"running-configuration": self.running, "startup-configuration": self.startup}
        if what in trees:
            return "\n".join([*indented(trees[what], "!", depth=0), "end", ""])
        table = self._tables().get(what)
        if table is None:
            raise LineRefusedError("% Error: unrecognized command\n")
        return "\n".join([f"{len(table)} rows", *(" ".join(row) for row in table), ""])

    def _tables(self) -> dict[str, list[tuple[str, ...]]]:
        ports = [(port, self.running.get(f"interface {port}") or Section()) for port in self.ports]
        name = self._identity or self.running.value("hostname")
        return {
            "system": [
                *(("hostname", name), ("model", self.spec.model)),
                *(("serial", self.spec.serial), ("mac", self.spec.mac)),
            ],
            "rollback-timer": [(self.waiting[0],)] if self.waiting else [],
            "lldp neighbors": [
                (port, far.system_name, far.port_id)
                for port in self.ports
                for far in (self.neighbours.get(port, []) if self._is_up(port) else [])
            ],
            "ip bgp summary": [
                (peer, asn, "Established" if self.peer_up(peer) else "Idle")
                for peer, asn in self._peers()
            ],
            "priority-flow-control": [
                (
                    port,
                    node.value("priority-flow-control no-drop")
                    if node.has("priority-flow-control mode on")
                    else "none",
                )
                for port, node in ports
            ],
        }

    async def _serve(self, process: Process) -> None:
        await CliSession(self, process).serve()


class CliSession(Channel):
    """A login on the command line."""

    def __init__(self, switch: Os10StandIn, process: Process) -> None:
        super().__init__(switch, process)
        self._switch = switch
        self._editor: Os10Editor | None = None

    async def _interact(self) -> int:
        while True:
            editor, name = self._editor, self._switch.running.value("hostname")
            mode = editor.context.mode.replace("config", "conf") if editor else ""
            self._write(f"{name}({mode})# " if mode else f"{name}# ")
            line = await self._read_line(empty_ends=True)
            if line is None:
                return 0
            if line.strip():
                await self._line(line.strip())

    async def _line(self, line: str) -> None:
        fault = await self._struck(line)
        try:
            with self._switch.lock:
                self._write(fault.text if fault else self._answer(line))
        except LineRefusedError as error:
            self._write(str(error))

    def _answer(self, line: str) -> str:
        switch, words = self._switch, line.split()
        if self._editor is not None and line == "end":
            self._editor = None
        elif self._editor is not None:
            if self._editor.root is not switch.running:  # it went back meanwhile
                self._editor = Os10Editor(switch.running, switch.ports)
            self._editor.feed(line)
        elif line == "configure terminal":
            self._editor = Os10Editor(switch.running, switch.ports)
        elif line == "write memory":
            switch.startup = switch.running.copy()
        elif words[0] == "rollback-timer" and len(words) == 3:
            switch.rollback_timer(*words[1:])
        elif line != "terminal length 0":
            return switch.show(line.removeprefix("show "))
        return ""
