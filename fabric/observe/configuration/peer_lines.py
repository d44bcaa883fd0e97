"""BGP and static routes in the words that VRP8 and Comware 7 share: ``peer A as-number N``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.observe.configuration.blocks import address, network, numbers
from fabric.observe.configuration.model import Bgp
from fabric.observe.configuration.routes import (
    Routes,
    max_paths,
    originate,
    redistribute,
    summarise,
)
from fabric.observe.configuration.sequences import add_prefix, enter_term
from fabric.observe.configuration.static_routes import Discard, StaticRoute

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.observe.configuration.model import BgpTemplate, Configured


def _join_group(target: Bgp | Routes[Bgp], line: int, session: str, group: str) -> None:
    bgp = target.of if isinstance(target, Routes) else target
    bgp.peer(session, line).group = group


def _static(switch: Configured, line: int, prefix: str, mask: str, hop: str) -> None:
    to = Discard() if hop.startswith("NULL") else address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(*network(prefix, mask), to, line))


def _group(bgp: Bgp, line: int, name: str) -> None:
    bgp.group(name, line)


def _as_number(bgp: Bgp, line: int, name: str, asn: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.asn = int(asn)
    if ":" in name and speaker.activated is None:
        speaker.activated = False  # IPv4 routes over IPv6 by `peer enable` alone


def _description(bgp: Bgp, line: int, session: str, text: str) -> None:
    bgp.peer(session, line).description = text


def _ignore(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).enabled = bool(no)


def _timers(bgp: Bgp, line: int, name: str, keepalive: str, hold: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


def _ipv4_routes(bgp: Bgp, _: int) -> Routes[Bgp]:
    return Routes(bgp, is_ipv6=False)


def _ipv6_routes(bgp: Bgp, _: int) -> Routes[Bgp]:
    return Routes(bgp, is_ipv6=True)


def _of(routes: Routes[Bgp], line: int, name: str) -> Routes[BgpTemplate]:
    return Routes(routes.of.speaker(name, line), routes.is_ipv6)


def _activate(routes: Routes[Bgp], line: int, name: str, no: str | None) -> None:
    _of(routes, line, name).set("activated", not no)


def _policy(routes: Routes[Bgp], line: int, name: str, policy: str, way: str) -> None:
    _of(routes, line, name).set("policy_in" if way == "import" else "policy_out", policy)


def _allow_as_loop(routes: Routes[Bgp], line: int, name: str, often: str | None = None) -> None:
    # H3C and Huawei: the default is 1
    _of(routes, line, name).set("allowas_in", int(often or 1))


def _vlans(switch: Configured, line: int, vlans: str) -> None:
    switch.vlans |= dict.fromkeys(numbers(vlans), line)


#: By the names that they have in a book of lines.
MEANINGS: dict[str, Callable[..., Any]] = {
    "vlans": _vlans,
    "prefix": add_prefix,
    "route_policy": enter_term,
    "router_id": Bgp.set_router_id,
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
    "network": originate,
    "aggregate": summarise,
    "family": _ipv4_routes,
    "family6": _ipv6_routes,
    "max_paths": max_paths,
    "import_direct": redistribute,
}
