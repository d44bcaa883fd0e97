"""Whether Batfish brings up every planned BGP session, with IPv4 routes; router ids."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.prove.batfish import questions
from fabric.prove.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.model import BgpNeighbour
    from fabric.prove.batfish.questions import Ask, Rows
    from fabric.prove.batfish.snapshot import Snapshot, Subject

    #: Switch and session, as ``BgpNeighbour.session`` names it.
    Key = tuple[str, str]

#: Families as Batfish writes them (``AddressFamily.Type``).
_IPV4, _EVPN = "IPV4_UNICAST", "EVPN"
_WORDS = {_IPV4: "IPv4 unicast", _EVPN: "EVPN"}


class _Planned(NamedTuple):
    """A session of the design, and the family whose routes it exchanges."""

    peer: BgpNeighbour
    family: str


def bgp_gate(subject: Subject, snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    """Yield the sessions that are missing, do not come up, or were not planned."""
    planned = _planned(subject)
    reasons: dict[Key, str] = {}
    seen = set()
    for question, column, good in (
        (questions.COMPATIBILITY, "Configured_Status", "UNIQUE_MATCH"),
        (questions.SESSIONS, "Established_Status", "ESTABLISHED"),
    ):
        for row in ask(question):
            key = _key(snapshot, row)
            seen.add(key)
            plan = planned.get(key)
            reason = _reason(row, column, good, plan.family if plan else _IPV4)
            if reason:
                reasons.setdefault(key, reason)
    for key in sorted(seen | set(planned)):
        yield from _session(
            subject, key, planned.get(key), reasons.get(key, ""), is_seen=key in seen
        )
    yield from _router_ids(snapshot, ask)


def established(rows: Rows) -> int:
    """Return how many ends of sessions are up and exchange IPv4 or EVPN routes."""
    status = "Established_Status", "ESTABLISHED"
    return sum(not all(_reason(row, *status, family) for family in _WORDS) for row in rows)


def _planned(subject: Subject) -> dict[Key, _Planned]:
    result = {
        (name, peer.session): _Planned(peer, _IPV4)
        for name, design in subject.devices.items()
        for peer in design.bgp.neighbours
        if (name, peer.port) in subject.wiring.far and "ipv4" in peer.families
    }
    for name, design in subject.devices.items():
        for peer in design.loopback_sessions:
            if peer.name in subject.devices:
                result[name, peer.address] = _Planned(peer, _EVPN)
    return result


def _key(snapshot: Snapshot, row: dict[str, Any]) -> Key:
    switch = snapshot.switches.get(row["Node"]["name"], row["Node"]["name"])
    if row["Local_Interface"]:
        return switch, row["Local_Interface"]["interface"]
    remote = row["Remote_IP"]
    return switch, remote["value"] if isinstance(remote, dict) else str(remote)


def _reason(row: dict[str, Any], column: str, good: str, family: str) -> str:
    if row[column] != good:
        return str(row[column])
    words = f"{_WORDS[family]} routes are not exchanged"
    return "" if family in row["Address_Families"] else words


def _session(
    subject: Subject, key: Key, plan: _Planned | None, reason: str, *, is_seen: bool
) -> Iterator[Breach]:
    switch, session = key
    configured = subject.files.get(switch)
    process = configured.bgp if configured else None
    entry = process.peers.get(session) if process else None
    where = switch, plan.peer.port if plan else "", entry.line if entry else 0
    if plan is None:
        yield Breach("BAT003", *where, f"the BGP session {session} is not planned")
        return
    rule, kind = ("BAT026", "EVPN") if plan.family == _EVPN else ("BAT003", "BGP")
    if not is_seen:
        yield Breach(rule, *where, f"there is no {kind} session with {plan.peer.name}")
    elif reason:
        message = f"the {kind} session with {plan.peer.name} does not come up: {reason}"
        yield Breach(rule, *where, message)


def _router_ids(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    owners: dict[str, set[str]] = defaultdict(set)
    for row in ask(questions.PROCESSES):  # one for each VRF
        owners[row["Router_ID"]].add(row["Node"]["name"])
    for router_id, nodes in owners.items():
        if len(nodes) > 1:
            names = sorted(snapshot.switches.get(node, node) for node in nodes)
            message = f"{', '.join(names)} have the same router id {router_id}"
            yield Breach("BAT010", names[-1], "", 0, message)
