"""BGP and static routes in the words that VRP8 and Comware 7 share: ``peer A as-number N``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration.blocks import address, network
from fabric.observe.configuration.defaults import holds
from fabric.observe.configuration.model import Bgp, Discard, Origination, StaticRoute

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.observe.configuration.blocks import Context
    from fabric.observe.configuration.model import Configured


def add_route_lines(top: Context, bgp: Context, system: str) -> None:
    """Register static routes, and the line that opens BGP.

    Parameters
    ----------
    top, bgp : Context
        Lines of the whole file, and those inside ``bgp N``.
    system : str
        Whose defaults hold.
    """

    def open_bgp(switch: Configured, line: int, asn: str) -> Bgp:
        return switch.open_bgp(Bgp(int(asn), line, active_by_default=holds(system, "ipv4_unicast")))

    top.line(
        r"ip route-static (?P<prefix>[\d.]+) (?P<mask>[\d.]+) (?P<hop>[\d.]+|NULL ?0)"
        r"( preference \d+)?( description .*)?"
    )(_static)
    top.line(r"bgp (?P<asn>\d+)( instance default)?", inside=bgp)(open_bgp)


def add_peer_lines(bgp: Context, family: Context) -> None:
    """Register the lines about peers and what is announced.

    Parameters
    ----------
    bgp, family : Context
        Lines inside ``bgp N``, and those inside its IPv4 unicast family.
    """
    bgp.line(r"group (?P<name>\S+) external")(_group)
    bgp.line(PEER_GROUP)(join_group)
    bgp.line(r"peer (?P<name>\S+) as-number (?P<asn>\d+)")(_as_number)
    bgp.line(r"peer (?P<session>[\d.]+) description (?P<text>.*)")(_description)
    bgp.line(r"(?P<no>undo )?peer (?P<name>\S+) ignore")(_ignore)
    bgp.line(r"peer (?P<name>\S+) timer keepalive (?P<keepalive>\d+) hold (?P<hold>\d+)")(_timers)
    bgp.line(r"timer keepalive (?P<keepalive>\d+) hold (?P<hold>\d+)( .*)?")(Bgp.set_timers)
    family.line(r"(?P<no>undo )?peer (?P<name>\S+) enable")(_activate)
    family.line(r"peer (?P<name>\S+) route-policy (?P<policy>\S+) (?P<way>import|export)")(_policy)
    family.line(r"peer (?P<name>\S+) allow-as-loop( (?P<often>\d+))?")(_allow_as_loop)
    family.line(r"network (?P<prefix>\S+) (?P<mask>[\d.]+)( route-policy (?P<policy>\S+))?")(
        _network
    )
    family.line(r"import-route direct( route-policy (?P<policy>\S+))?")(_import_direct)


PEER_GROUP = r"peer (?P<session>[\d.]+) group (?P<group>\S+)"


def join_group(bgp: Bgp, line: int, session: str, group: str) -> None:
    """Note the group of a session."""
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


#: The same by the names that they have in a book of lines.
MEANINGS: dict[str, Callable[..., None]] = {
    "static": _static,
    "group": _group,
    "join_group": join_group,
    "as_number": _as_number,
    "peer_description": _description,
    "ignore": _ignore,
    "peer_timers": _timers,
    "timers": Bgp.set_timers,
    "activate": _activate,
    "policy": _policy,
    "allow_as_loop": _allow_as_loop,
    "network": _network,
    "import_direct": _import_direct,
}
