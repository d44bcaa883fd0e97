"""Whether every switch has the routes of the design, next hop by next hop."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.findings import Severity
from fabric.observe.configuration.frr import address_text
from fabric.prove.batfish import questions
from fabric.prove.breach import Breach
from fabric.prove.routes import tables
from fabric.prove.sessions import sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.snapshot import Snapshot, Subject
    from fabric.prove.wiring import Network

    #: Next hops by prefix; of a connected network, ``CONNECTED`` alone.
    Hops = Mapping[str, set[str]]

CONNECTED, DISCARDED = "connected", "discarded"

#: Addresses that Batfish gives to sessions without any.
_LINK_LOCAL = "169.254."

#: Rows of one answer; our choice: 18,000 rows took 5.5 s, a million a heap of 9 GB.
MOST_ROWS = 20_000


def next_hops(network: Network) -> dict[str, dict[str, set[str]]]:
    """Return the next hops of a network by switch and prefix, by our own engine."""
    table = tables(network, [link for link in sessions(network) if link.established])
    names = [
        address_text(*pair, is_ipv6=network.is_ipv6)
        for pair in zip(
            table.prefixes.network.tolist(), table.prefixes.length.tolist(), strict=True
        )
    ]
    result: dict[str, dict[str, set[str]]] = {}
    for row, switch in enumerate(network.switches):
        own = np.flatnonzero(table.connected[row]).tolist()
        result[switch] = {names[column]: {CONNECTED} for column in own}
        for column in np.flatnonzero(table.dropped[row]).tolist():
            result[switch].setdefault(names[column], set()).add(DISCARDED)
    for link, hops in zip(table.sessions, table.next_hops, strict=True):
        for column in np.flatnonzero(hops).tolist():
            result[link.switch].setdefault(names[column], set()).add(link.session)
    return result


def batfish_routes(
    snapshot: Snapshot, expected: Mapping[str, Hops], ask: Ask
) -> dict[str, dict[str, set[str]]]:
    """Return the next hops that Batfish has in the default VRF, by switch and prefix."""
    result: dict[str, dict[str, set[str]]] = {name: {} for name in snapshot.switches.values()}
    for part in _parts(expected):
        for row in ask(questions.routes(name.lower() for name in part)):
            switch = snapshot.switches.get(row["Node"]["name"])
            is_default = row["VRF"] == questions.DEFAULT_VRF
            if switch and is_default and row["Protocol"] != "local":
                result[switch].setdefault(row["Network"], set()).add(_hop(row))
    return result


def _parts(expected: Mapping[str, Hops]) -> Iterator[list[str]]:
    """Yield switches, so many at a time that an answer stays short."""
    part: list[str] = []
    rows = 0
    for name, hops in expected.items():
        more = sum(map(len, hops.values())) + len(hops)
        if part and rows + more > MOST_ROWS:
            yield part
            part, rows = [], 0
        part.append(name)
        rows += more
    if part:
        yield part


def _hop(row: dict[str, Any]) -> str:
    """Return the next hop of a route as our engine names it."""
    if row["Protocol"] == "connected":
        return CONNECTED
    hop = row["Next_Hop"]
    if hop["type"] == "discard" or hop.get("interface", "").lower().startswith("null"):
        return DISCARDED
    address = hop.get("ip", "")
    return str(address if address and not address.startswith(_LINK_LOCAL) else hop["interface"])


def route_gate(
    subject: Subject, routes: Mapping[str, Hops], designed: Mapping[str, Hops]
) -> Iterator[Breach]:
    """Yield the next hops that are missing or foreign, one breach for each switch and neighbour."""
    for switch, design in subject.devices.items():
        peers = {peer.session: peer.name for peer in design.bgp.neighbours}
        lacks, foreign = differences(routes.get(switch, {}), designed.get(switch, {}))
        for hop, prefixes in lacks.items():
            severity = Severity.ERROR if hop == CONNECTED else Severity.WARNING
            words = (
                "has on no port"
                if hop == CONNECTED
                else f"does not use {_name(hop, peers)} as next hop towards"
            )
            message = f"the switch {words} {some(prefixes)}"
            yield Breach("BAT004", switch, "", 0, message, severity)
        for hop, prefixes in foreign.items():
            message = (
                f"the switch uses {_name(hop, peers)} as next hop, against the design, towards"
            )
            yield Breach("BAT004", switch, "", 0, f"{message} {some(prefixes)}", Severity.ERROR)


def differences(has: Hops, planned: Hops) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the prefixes by next hop that is missing, and by one that is not planned."""
    lacks: dict[str, list[str]] = defaultdict(list)
    foreign: dict[str, list[str]] = defaultdict(list)
    for prefix in sorted(has.keys() | planned.keys()):
        for hop in sorted(planned.get(prefix, set()) - has.get(prefix, set())):
            lacks[hop].append(prefix)
        for hop in sorted(has.get(prefix, set()) - planned.get(prefix, set())):
            foreign[hop].append(prefix)
    return lacks, foreign


def _name(hop: str, peers: Mapping[str, str]) -> str:
    words = {CONNECTED: "a port of itself", DISCARDED: "a route that discards"}
    return words.get(hop) or peers.get(hop, hop)


def some(prefixes: list[str]) -> str:
    """Return the first of some prefixes, and how many more there are."""
    rest = f" and {len(prefixes) - 1:,} more" if len(prefixes) > 1 else ""
    return f"{prefixes[0]}{rest}"


def disagreements(routes: Mapping[str, Hops], ours: Mapping[str, Hops]) -> Iterator[Breach]:
    """Yield the switches for which two engines make different routes of the same files."""
    for switch in sorted(ours):
        lacks, foreign = differences(routes.get(switch, {}), ours[switch])
        if lacks or foreign:
            prefixes = sorted({
                item for part in (lacks, foreign) for row in part.values() for item in row
            })
            message = f"Batfish and rocefab read different next hops towards {some(prefixes)}"
            yield Breach("BAT018", switch, "", 0, message)
