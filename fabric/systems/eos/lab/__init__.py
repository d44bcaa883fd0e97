"""The Arista EOS stand-in: a switch that answers eAPI on the loopback address.

Known and assumed facts stand in the modules ``eos_*`` of this package, each for its subject. A
commit that takes away eAPI, the management address or the user of the start configuration cuts the
switch off, as a full replacement without those stanzas does (napalm-automation/napalm replaces the
whole configuration); a commit timer brings it back. What the start did not have is not asked for.

Faults: ``enable`` is never counted as a command, since clients put it before every request. With
``hang`` and ``cut_at_command`` the command is not run; with ``cut_at_byte`` all commands run and
the HTTP answer (head and body) stops after ``count`` bytes. ``accept_part`` counts requests that
edit a configuration: of the lines of the request only the first ``count`` take effect, and the
others are answered as if they had. ``expire_timer`` strikes only while a commit timer runs.

Options of the specification: ``version`` (EOS release), ``ports`` (names of further front ports,
separated by commas), ``queues`` (``tx-queue`` or ``uc-tx-queue``), ``family`` (``xgs`` or ``dnx``)
or ``asic`` (a family of ASICs).
Assumed: 7280R and 7800R are DNX with ``tx-queue``; 7050, 7060 and 7388 are XGS with
``uc-tx-queue``; 7260 is XGS with ``tx-queue``; an unknown model takes the lines of all families.

Known of eAPI (arista-eosplus/pyeapi ``pyeapi/eapilib.py``): POST to ``/command-api``, basic
authentication, 401 when it fails; an error carries ``code``, ``message`` and in ``data`` the
results of the commands before the one that failed, whose entry holds ``errors``. Assumed: other
paths answer 404; a switch whose eAPI or management address is configured away drops connections
after the TLS handshake (a real one refuses them); the answer to the command that did it still
arrives.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import Grammar
from fabric.lab.https.standin import HttpsStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.platforms.asic_catalogue import asic
from fabric.systems.eos.lab.cli import Cli, CliError
from fabric.systems.eos.lab.config import feed_text, shown, text_lines
from fabric.systems.eos.lab.rules import MODES
from fabric.systems.eos.lab.sessions import EosState
from fabric.systems.eos.lab.show import page
from fabric.systems.eos.lab.view import PortCounters, View
from fabric.systems.eos.platforms import DNX

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.faults import Fault, FaultKind
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec

DEFAULT_VERSION = "4.32.2F"
_ALL_TRAITS = frozenset({"xgs", "dnx", "uc", "tx", "q7"})
_EDITS = re.compile(r"(configure( terminal)?|configure session \S+)$")
_NOT_LINES = ("exit", "end", "!", "commit", "abort", "show ", "rollback ")


def traits_of(spec: StandInSpec) -> frozenset[str]:
    """Return which family-bound rules the model has."""
    family, chip = spec.options.get("family", ""), spec.options.get("asic")
    if chip and not family:
        family = "dnx" if asic(chip).law == DNX else "xgs"
    if not family and (series := re.search(r"7(\d{3})", spec.model)):
        family = {"280": "dnx", "800": "dnx", "500": "dnx"}.get(series[1], "xgs")
    word = spec.options.get("queues", "")
    if not family:
        return _ALL_TRAITS
    old = family == "dnx" or "7260" in spec.model
    queues = {"uc"} if (word or ("tx-queue" if old else "uc-tx-queue")) == "uc-tx-queue" else {"tx"}
    if family == "xgs" and "tx" in queues:
        queues.add("q7")
    return frozenset({family, *queues})


def ports_of(spec: StandInSpec) -> tuple[str, ...]:
    """Return the names of the ports of the hardware."""
    configured = re.findall(
        r"(?m)^\s*interface ((?:Ethernet|Management)[\d/]+)\s*$", str(spec.running or "")
    )
    further = [one.strip() for one in spec.options.get("ports", "").split(",") if one.strip()]
    cabled = [one.local_port for one in spec.neighbours]
    return tuple(dict.fromkeys([*configured, *cabled, *further]))


def access_of(tree: Section) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Return whether eAPI is on, the management addresses and the names of the users."""
    api = tree.get("management api http-commands")
    on = api is not None and (
        api.has("no shutdown") or any(vrf.has("no shutdown") for vrf in api.below("vrf "))
    )
    addresses = {
        f"{port.line} {port.setting('ip address')}"
        for port in tree.below("interface ")
        if port.mode == "if-management" and port.get("ip address") and not port.has("shutdown")
    }
    users = {node.line.split()[1] for node in tree.below("username ")}
    return on, frozenset(addresses), frozenset(users)


@cache
def _grammar(traits: frozenset[str]) -> Grammar:
    return Grammar(MODES, traits)


@stand_ins.add("eos")
class EosStandIn(HttpsStandIn):
    """One EOS switch.

    Parameters
    ----------
    spec : StandInSpec
        Who it is; ``running`` is its configuration as text.
    clock : LabClock
        Runs uptime and commit timers.

    Raises
    ------
    ValueError
        When the configuration holds a line that the switch refuses.
    """

    state: EosState
    path = "/command-api"
    realm = "COMMAND_API_AUTH"
    denial = "Unable to authenticate user: Bad username/password combination\n"

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        grammar = _grammar(traits_of(spec))
        self.state = EosState(grammar, clock, str(spec.running or ""), ports_of(spec))
        self.view = View(self, self.state, spec.options.get("version", DEFAULT_VERSION))
        self._access = access_of(self.state.startup)

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch with nothing but management access has."""
        return page("factory", name=design.name)

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        with self.lock:
            for bgp in self.state.running.below("router bgp "):
                expected = bgp.setting(f"neighbor {session} remote-as")
                over_port = next(iter(bgp.below(f"neighbor interface {session} ")), None)
                if expected or over_port:
                    asn = expected or (over_port.line.split()[-1] if over_port else "")
                    return BgpEnd(as_number(bgp.line.split()[2]), as_number(asn))
            return None

    def sends_light(self, port: str) -> bool:
        """Tell whether there is such a port and it is not shut."""
        with self.lock:
            node = self.state.running.get(f"interface {port}")
            return node is not None and not node.has("shutdown")

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self.view.counters.setdefault(port, PortCounters())

    def text_of(self, tree: Section) -> str:
        """Return a configuration as text."""
        return "\n".join(text_lines(shown(tree))) + "\n"

    def edit(self, tree: Section, lines: str) -> None:
        """Apply lines to a configuration."""
        feed_text(self.state.editor(tree), lines)

    def open_foreign_session(self, name: str, lines: str = "", user: str = "operator") -> None:
        """Leave a configuration session of somebody else open."""
        with self.lock:
            session = self.state.open_session(name, user)
            feed_text(self.state.editor(session.tree), lines)

    def close_foreign_session(self, name: str) -> None:
        """Abort a session, as its owner would."""
        with self.lock:
            self.state.abort(name)

    def is_reachable(self) -> bool:
        """Tell whether eAPI and a management address that were there at the start still are."""
        with self.lock:
            now = access_of(self.state.running)
        api, addresses, _ = self._access
        return (now[0] or not api) and (not addresses or bool(addresses & now[1]))

    def is_known(self) -> bool:
        """Tell whether the account is still configured, if it ever was."""
        with self.lock:
            now = access_of(self.state.running)
        return self.spec.username in now[2] or self.spec.username not in self._access[2]

    async def run(self, calls: Any) -> tuple[Any, int | None]:
        """Run one JSON-RPC call."""
        if not isinstance(calls, dict):
            error = {"code": -32700, "message": "Unable to parse JSON"}
            return {"jsonrpc": "2.0", "id": None, "error": error}, None
        call = calls
        self.clock.run_due()
        head = {"jsonrpc": "2.0", "id": call.get("id")}
        params = call.get("params")
        if call.get("method") != "runCmds" or not isinstance(params, dict):
            return {**head, "error": {"code": -32601, "message": "Method not found"}}, None
        commands = [_command(one) for one in params.get("cmds", [])]
        cli = Cli(
            self.state, self.view,
            text=params.get("format") == "text", shorten=params.get("autoComplete") is True,
        )  # fmt: skip
        names = [name for name, _ in commands]
        keep = self.kept_lines(names) if any(map(_EDITS.match, names)) else []
        results: list[dict[str, Any]] = []
        cut_after: int | None = None
        for number, (command, given) in enumerate(commands, 1):
            cut = await self.strike_before(command)
            cut_after = cut if cut_after is None else cut_after
            try:
                results.append(self._one(cli, command, given, keep))
            except CliError as error:
                why = f"CLI command {number} of {len(commands)} '{command}' failed: {error.summary}"
                data = [*results, {"errors": [error.text]}]
                failed = {"code": error.code, "message": why, "data": data}
                return {**head, "error": failed}, cut_after
        return {**head, "result": results}, cut_after

    def _one(self, cli: Cli, command: str, given: str | None, keep: list[int]) -> dict[str, Any]:
        with self.lock:
            refused = self.strike(command, "refuse_line")
            if refused is not None:
                token = command.partition(" ")[0]
                text = refused.text or f"Invalid input (at token 0: '{token}')"
                raise CliError(1002, "invalid command", text)
            if command and keep and cli.editor is not None and not command.startswith(_NOT_LINES):
                if keep[0] <= 0:
                    return cli.answer("")
                keep[0] -= 1
            alias = self.strike(command, "identity")
            self.view.alias = alias.text if alias else ""
            before = self.state.startup
            answer = cli.run(command, given)
            if self.state.startup is not before and self.strike(command, "forget_save"):
                self.state.startup = before
            return answer

    def strike(self, command: str, *kinds: FaultKind) -> Fault | None:
        """Return the fault that strikes at a command; ``enable`` is none."""
        return None if command == "enable" else super().strike(command, *kinds)

    @property
    def armed(self) -> bool:
        """Whether a commit timer runs."""
        return self.state.timer is not None

    def expire_timer(self) -> None:
        """Let the commit timer run out now."""
        self.state.expire_timer()


def _command(given: object) -> tuple[str, str | None]:
    """Return the words of one entry of ``cmds`` and the text that goes with it."""
    if isinstance(given, dict):
        text = given.get("input")
        return str(given.get("cmd", "")).strip(), None if text is None else str(text)
    return str(given).strip(), None
