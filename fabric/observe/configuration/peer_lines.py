"""BGP and static routes in the words that VRP8 and Comware 7 share: ``peer A as-number N``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import address, aggregate, network
from fabric.observe.configuration.model import Bgp, Discard, Origination, StaticRoute

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.observe.configuration.model import Configured


def _join_group(bgp: Bgp, line: int, session: str, group: str) -> None:
    bgp.peer(session, line).group = group


def _static(switch: Configured, line: int, prefix: str, mask: str, hop: str) -> None:
    to = Discard() if hop.startswith("NULL") else address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix, mask), to, line))


def _group(bgp: Bgp, line: int, name: str) -> None:
    bgp.group(name, line)


def _as_number(bgp: Bgp, line: int, name: str, asn: str) -> None:
    bgp.speaker(name, line).asn = int(asn)


def _description(bgp: Bgp, line: int, session: str, text: str) -> None:
    bgp.peer(session, line).description = text


def _ignore(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).enabled = bool(no)


def _timers(bgp: Bgp, line: int, name: str, keepalive: str, hold: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


def _activate(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).activated = not no


def _policy(bgp: Bgp, line: int, name: str, policy: str, way: str) -> None:
    setattr(bgp.speaker(name, line), "policy_in" if way == "import" else "policy_out", policy)


def _allow_as_loop(bgp: Bgp, line: int, name: str, often: str | None = None) -> None:
    bgp.speaker(name, line).allowas_in = int(often or 1)  # H3C and Huawei: the default is 1


def _network(bgp: Bgp, line: int, prefix: str, mask: str, policy: str | None = None) -> None:
    bgp.originations.append(Origination(network(prefix, mask), policy or "", line))


def _import_direct(bgp: Bgp, line: int, policy: str | None = None) -> None:
    bgp.originations.append(Origination(None, policy or "", line))


#: By the names that they have in a book of lines.
MEANINGS: dict[str, Callable[..., None]] = {
    "static": _static,
    "group": _group,
    "join_group": _join_group,
    "as_number": _as_number,
    "peer_description": _description,
    "ignore": _ignore,
    "peer_timers": _timers,
    "timers": Bgp.set_timers,
    "activate": _activate,
    "policy": _policy,
    "allow_as_loop": _allow_as_loop,
    "network": _network,
    "aggregate": aggregate,
    "import_direct": _import_direct,
}
