"""The Cisco NX-OS stand-in: a switch that answers NX-API on the loopback address.

Known and assumed facts stand in the modules ``nxos_*`` of this package, each for its subject. A
change that takes away `feature nxapi` cuts the switch off; a schedule that goes back brings it
back. SSH and SCP are not served, so NAPALM's replacement of the whole configuration, which opens
port 22 whatever it is told, does not work here.

Faults: with ``hang`` and ``cut_at_command`` the command is not run; with ``cut_at_byte`` the whole
batch runs and the HTTP answer stops after ``count`` bytes. ``accept_part`` counts batches that edit
the configuration: only the first ``count`` lines take effect, the others are answered as if they
had. ``expire_timer`` strikes only while a schedule is armed.

Known of NX-API (napalm 5.2.0 ``nxapi_plumbing``, after Cisco): POST to ``/ins``, a list of calls
with method ``cli`` or ``cli_ascii`` and the command in ``params.cmd``; basic authentication, 401
when it fails; a result has ``body`` or ``msg``, an error has the text in ``data.msg``; one answer
comes as an object, several as a list; the first error ends a batch. Assumed: the status is 200 for
errors of commands too; other paths answer 404.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import LineRefusedError
from fabric.lab.https.standin import HttpsStandIn
from fabric.lab.lines.editor import feed_text
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.systems.nxos.lab.config import text_lines
from fabric.systems.nxos.lab.show import BODIES, NEEDS, TEXTS, PortCounters, View, page, show_route
from fabric.systems.nxos.lab.state import NxosState

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec
    from fabric.systems.nxos.lab.config import Editor

DEFAULT_VERSION = "10.4(3)"
INVALID = "% Invalid command\n"
_NAMED = re.compile(
    r"(?P<what>no checkpoint|checkpoint file|checkpoint|rollback running-config checkpoint"
    r"|rollback running-config file|show diff rollback-patch checkpoint|delete|dir)"
    r" (?P<name>[\w.:/-]+)(?P<rest>.*)"
)
_EXEC = ("show ", "checkpoint", "no checkpoint", "rollback ", "copy ", "terminal ", "no terminal ")


_PART = re.compile(r"(Ethernet\d+/\d+)/\d+")


def _whole_port(name: str) -> str:
    """Return the port of the cage that a part of a port comes from."""
    part = _PART.fullmatch(name)
    return part[1] if part else name


@stand_ins.add("nxos")
class NxosStandIn(HttpsStandIn):
    """One NX-OS switch.

    Parameters
    ----------
    spec : StandInSpec
        Who it is; ``running`` is its configuration as text.
    clock : LabClock
        Runs uptime and schedules.

    Raises
    ------
    ValueError
        When the configuration holds a line that the switch refuses.
    """

    state: NxosState
    path = "/ins"
    realm = "Secure Zone"

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        names = map(_whole_port, spec.options.get("ports", "").split(","))
        ports = tuple(dict.fromkeys(names))
        self.state = NxosState(clock, str(spec.running or ""), ports)
        self.view = View(self, self.state, spec.options.get("version", DEFAULT_VERSION))

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch with nothing but management access has."""
        return page("factory", name=design.name)

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        with self.lock:
            ends = (
                BgpEnd(as_number(bgp.line.split()[2]), as_number(node.value("remote-as")))
                for bgp in self.state.running.below("router bgp ")
                for node in bgp.children.values()
                if node.line == f"neighbor {session}" and node.value("remote-as")
            )
            return next(ends, None)

    def sends_light(self, port: str) -> bool:
        """Tell whether there is such a port and it is not shut."""
        with self.lock:
            node = self.state.running.children.get(f"interface {port}")
            return node is not None and not node.has("shutdown")

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self.view.counters.setdefault(port, PortCounters())

    def text_of(self, tree: Section) -> str:
        """Return a configuration as text."""
        return "\n".join([*text_lines(tree), ""])

    def edit(self, tree: Section, lines: str) -> None:
        """Apply lines to a configuration."""
        feed_text(self.state.editor(), lines)
        for line in lines.splitlines():
            self.state.account("operator", "192.0.2.7@pts/1", line)

    def is_reachable(self) -> bool:
        """Tell whether the API is on."""
        with self.lock:
            return self.state.running.has("feature nxapi")

    async def run(self, calls: Any) -> tuple[Any, int | None]:
        """Run one batch; the first error ends it."""
        calls = [calls] if isinstance(calls, dict) else calls
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            return {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}}, None
        self.clock.run_due()
        commands = [str(call.get("params", {}).get("cmd", "")).strip() for call in calls]
        editor = self.state.editor()
        edits = not all(command.startswith(_EXEC) for command in commands)
        keep = self.kept_lines(commands) if edits else []
        answers: list[dict[str, Any]] = []
        cut_after: int | None = None
        for call, command in zip(calls, commands, strict=True):
            cut = await self.strike_before(command)
            cut_after = cut if cut_after is None else cut_after
            answers.append(self._answer(editor, call, command, keep))
            if "error" in answers[-1]:
                break
        return answers[0] if len(answers) == 1 else answers, cut_after

    def _answer(
        self, editor: Editor, call: dict[str, Any], command: str, keep: list[int]
    ) -> dict[str, Any]:
        head = {"jsonrpc": "2.0", "id": call.get("id")}
        text = call.get("method") == "cli_ascii"
        with self.lock:
            try:
                result = self._one(editor, command, keep, text=text)
            except LineRefusedError as error:
                data = {"msg": str(error)}
                failed = {"code": -32602, "message": "Invalid params", "data": data}
                return {**head, "error": failed}
        return {**head, "result": result}

    def _one(
        self, editor: Editor, command: str, keep: list[int], *, text: bool
    ) -> dict[str, Any] | None:
        refused = self.faults.strike(command, "refuse_line")
        if refused is not None:
            raise LineRefusedError(refused.text or INVALID)
        alias = self.faults.strike(command, "identity")
        self.view.alias = alias.text if alias else ""
        if command.startswith("show ") and not command.startswith("show diff"):
            return self._show(command, text=text)
        in_job = editor.context.mode == "job"
        said = None if in_job else self._exec(command)
        if said is None:
            if not keep or keep[0] > 0:
                self.state.feed(editor, command)
                self.state.account(self.spec.username, "127.0.0.1", command)
            keep[:] = [count - 1 for count in keep]
            said = ""
        return {"msg": said} if said else None

    def _show(self, command: str, *, text: bool) -> dict[str, Any]:
        feature = NEEDS.get(command)
        if feature and not self.state.running.has(f"feature {feature}"):
            raise LineRefusedError(INVALID)
        if text and command in TEXTS:
            return {"msg": TEXTS[command](self.view)}
        if not text and command in BODIES:
            return {"body": BODIES[command](self.view)}
        if text and (route := show_route(self.view, command)):
            return {"msg": route}
        raise LineRefusedError(INVALID)

    def _exec(self, command: str) -> str | None:
        """Run a command of exec mode; None when it is a line of the configuration."""
        if command in ("configure terminal", "terminal dont-ask", "no terminal dont-ask"):
            return "\n"
        if re.fullmatch(r"copy run(ning-config)? start(up-config)?", command):
            if not self.faults.strike(command, "forget_save"):
                self.state.save()
            return "[########################################] 100%\nCopy complete.\n"
        named = _NAMED.fullmatch(command)
        return self._named(named) if named else None

    def _named(self, named: re.Match[str]) -> str:
        state, what, name = self.state, named["what"], named["name"]
        if what == "checkpoint":
            return state.checkpoint(name)
        if what == "no checkpoint":
            if state.checkpoints.pop(name, None) is None:
                raise LineRefusedError(f"ERROR: checkpoint {name} does not exist\n")
            return "\n"
        if what == "checkpoint file":
            state.files[name] = state.running.copy()
            return ".....Done\n"
        if what == "delete":
            state.files.pop(name, None)
            return "\n"
        if what == "dir":
            return f"{name}\n" if name in state.files else "No such file or directory\n"
        if what.startswith("show diff"):
            return state.difference(name)
        return state.rollback(name, state.files if what.endswith("file") else None)

    @property
    def armed(self) -> bool:
        """Whether a schedule is armed."""
        return any(not schedule.ran for schedule in self.state.schedules.values())

    def expire_timer(self) -> None:
        """Run the next armed schedule now."""
        self.state.expire_timer()
