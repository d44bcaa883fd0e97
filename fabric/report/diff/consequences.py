"""What a difference does to sessions and reach, which no device sees from its own files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.hostlist import fold, in_short
from fabric.prove.promises import Promises
from fabric.prove.rules import PROOF_RULES
from fabric.report.diff.model import Consequence
from fabric.report.diff.protection import LESS_PROTECTION
from fabric.report.diff.risks import RISKS, DiffRisk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from fabric.design.designs import Designs
    from fabric.report.diff.model import Device, Judged, Move, TouchedTenant
    from fabric.topology.model import Bools, Fabric, Ints

    #: Host, rail and port of a NIC.
    Nic: TypeAlias = tuple[str, int, int]
    #: Name and port of the lower switch, then of the upper one.
    Uplink: TypeAlias = tuple[str, int, str, int]

#: Risk of a device that cannot be judged from its files.
UNKNOWN = DiffRisk.UNKNOWN.value
SESSIONS_END = DiffRisk.SESSIONS_END.value
_REACH_LOST = DiffRisk.REACHABILITY_LOST.value
_PROOF_FAILS = DiffRisk.PROOF_FAILS.value

_NOT_RUN = "not run"
_NIC = ("nic address", "nic IPv6 address")
#: Changes that all sessions of a switch notice, and those that one does.
_WHOLE_SWITCH = ("AS number", "loopback address")
_SESSION = (*_WHOLE_SWITCH, "uplink address", "uplink IPv6 address")


def worst(risks: Iterable[str]) -> str:
    """Return the highest of some risks; that of a device that is unknown may be any of ``plan``."""
    words = set(risks)
    return max(words, key=RISKS.index) if words else "none"


def reaches(risk: str, least: str) -> bool:
    """Tell whether a risk is at or above another one; that of no change is below all."""
    return risk in RISKS and RISKS.index(risk) >= RISKS.index(least)


def consequences(
    before: Designs,
    after: Designs,
    moves: Sequence[Move],
    devices: Sequence[Device],
    tenants: Sequence[TouchedTenant],
    judged: Judged | None,
) -> Iterator[Consequence]:
    """Yield what follows for sessions and reach."""
    yield from of_proof(judged)
    yield from of_check(judged)
    lost = lost_pairs(before.fabric, after.fabric)
    if lost:
        words = f"{counted(lost, 'pair')} of NICs no longer reach each other"
        yield Consequence(_REACH_LOST, words)
    ended = [*_ended(moves, devices, tenants)]
    yield from ended
    if fewer := _fewer_pairs(judged) if not (lost or ended) else 0:
        words = f"the second side is proved for {counted(fewer, 'pair')} of NICs less"
        yield Consequence(UNKNOWN, words)
    yield from _restarted(before.fabric, after.fabric, moves)


def _restarted(before: Fabric, after: Fabric, moves: Sequence[Move]) -> Iterator[Consequence]:
    """Yield on which switches BGP sessions restart or end: those at both ends of an uplink."""
    old, new = _uplinks(before), _uplinks(after)
    changed = {move.what.partition(" ")[0] for move in moves if move.kind in _SESSION}
    whole = {move.what for move in moves if move.kind in _WHOLE_SWITCH}
    changed.update(*({lower, upper} for lower, _, upper, _ in new if {lower, upper} & whole))
    if changed:
        words = f"BGP sessions of {_switches(changed)} restart: AS numbers or addresses change"
        yield Consequence(DiffRisk.BRIEF_LOSS.value, words)
    names = {str(move.before): str(move.after) for move in moves if move.kind == "name"}
    moved = {(names.get(one[0], one[0]), one[1], names.get(one[2], one[2]), one[3]) for one in old}
    gone = {name for lower, _, upper, _ in moved - new for name in (lower, upper)}
    gone &= {*after.switches.names}
    if gone:
        words = f"BGP sessions of {_switches(gone)} end: uplinks are removed"
        yield Consequence(DiffRisk.BRIEF_LOSS.value, words)


def _switches(names: Collection[str]) -> str:
    return f"{counted(len(names), 'switch', 'switches')} ({in_short(sorted(names))})"


def _uplinks(fabric: Fabric) -> set[Uplink]:
    """Return the uplinks that are up: name and port of the lower and of the upper switch."""
    names, up = fabric.switches.names, fabric.uplinks
    columns = (up.lower, up.lower_port, up.upper, up.upper_port)
    rows = zip(*(column[up.enabled].tolist() for column in columns), strict=True)
    return {(names[lower], port, names[upper], far) for lower, port, upper, far in rows}


def of_proof(judged: Judged | None) -> Iterator[Consequence]:
    """Yield what follows from the proofs of both sides."""
    broken = [one for one in judged.new if one.rule in PROOF_RULES] if judged else []
    errors = [one for one in broken if one.severity == Severity.ERROR.word]
    if errors:
        words = f"{counted(len(errors), 'new error')} of the proof, such as {errors[0].message}"
        yield Consequence(_PROOF_FAILS, words)
    if judged and _NOT_RUN == judged.proof_after.verdict != judged.proof_before.verdict:
        yield Consequence(UNKNOWN, f"the second side is not proved: {judged.proof_after.reason}")


def of_check(judged: Judged | None) -> Iterator[Consequence]:
    """Yield the errors of the rules that the second side adds, and those that it hides."""
    error = Severity.ERROR.word
    errors = [one for one in judged.new if one.severity == error] if judged else []
    of_rules = [one for one in errors if one.rule not in PROOF_RULES]
    hidden = judged.waived if judged else ()
    for found, what in ((of_rules, "new error"), (hidden, "newly waived error")):
        if found:
            words = f"{counted(len(found), what)} of the check, such as {found[0].message}"
            yield Consequence(LESS_PROTECTION, f"{words} [{found[0].rule}]")


def _fewer_pairs(judged: Judged | None) -> int:
    """Return how many pairs less the second proof is about, where both were made."""
    if judged is None or _NOT_RUN in (judged.proof_before.verdict, judged.proof_after.verdict):
        return 0
    return max(0, judged.proof_before.pairs - judged.proof_after.pairs)


def _ended(
    moves: Sequence[Move], devices: Sequence[Device], tenants: Sequence[TouchedTenant]
) -> Iterator[Consequence]:
    """Yield why connections of NICs end."""
    nics = {move.what for move in moves if move.kind in _NIC}
    if nics:
        hosts = list(dict.fromkeys(nic.partition(" ")[0] for nic in sorted(nics)))
        words = (
            f"addresses of {counted(len(nics), 'NIC')} on {counted(len(hosts), 'host')} change: "
            "all their connections end"
        )
        yield Consequence(SESSIONS_END, words)
    renamed = {move.before for move in moves if move.kind == "name"}
    gone = [
        device.name
        for device in devices
        if (device.role, device.state) == ("host", "removed") and device.name not in renamed
    ]
    if gone:
        words = f"{counted(len(gone), 'host')} removed ({fold(gone[:100])}): connections end"
        yield Consequence(SESSIONS_END, words)
    left = {nic for tenant in tenants for nic in tenant.left}
    if left:
        leave = counted(len(left), "NIC leaves its tenant", "NICs leave their tenants")
        words = f"{leave}: connections to NICs that stay there end"
        yield Consequence(SESSIONS_END, words)


def lost_pairs(before: Fabric, after: Fabric) -> int:
    """Return the ordered pairs of NICs that the design connects before, and not after.

    NICs count whose host is on both sides, and whose tenant stays the same.
    """
    old, new = _leaf_of(before), _leaf_of(after)
    hosts, tenants = set(after.hosts.names), _tenant_of(after)
    groups: Counter[tuple[int, int, str]] = Counter()
    for nic, tenant in _tenant_of(before).items():
        if nic in old and nic[0] in hosts and tenants.get(nic, tenant) == tenant:
            groups[old[nic], new.get(nic, -1), tenant] += 1
    if not groups or _same_network(before, after, groups):
        return 0
    numbers = {name: number for number, name in enumerate(sorted({key[2] for key in groups}))}
    near, far, tenant = np.array([(here, there, numbers[name]) for here, there, name in groups]).T
    local = np.array([bool(key[2]) for key in groups])
    weights = np.array(list(groups.values()))
    lost = _reach(before, near, local) & ~_reach(after, far, local)
    lost &= tenant[:, None] == tenant[None, :]
    itself = int((weights * lost.diagonal()).sum())
    return int(weights @ lost @ weights) - itself


def _same_network(before: Fabric, after: Fabric, groups: Iterable[tuple[int, int, str]]) -> bool:
    """Say whether switches, AS numbers, cables, the leaves of NICs and tunnels are the same."""
    if any(old != new for old, new, _ in groups):
        return False
    if before.switches.names != after.switches.names or _is_local(before) != _is_local(after):
        return False
    sides = [
        (one.switches.asn, one.uplinks.lower, one.uplinks.upper, one.uplinks.enabled)
        for one in (before, after)
    ]
    return all(np.array_equal(old, new) for old, new in zip(*sides, strict=True))


def _is_local(fabric: Fabric) -> bool:
    """Tell whether tenants have no tunnels."""
    return fabric.tenants is not None and fabric.tenants.is_local


def _leaf_of(fabric: Fabric) -> dict[Nic, int]:
    """Return the leaf of each NIC that has a cable."""
    nics = fabric.nics
    alive = (nics.enabled & (nics.port != 0)).tolist()
    leaves = nics.leaf.tolist()
    return {nic: leaves[row] for row, nic in enumerate(_nics(fabric)) if alive[row]}


def _tenant_of(fabric: Fabric) -> dict[Nic, str]:
    """Return the tenant of each NIC; empty where it has none."""
    if fabric.tenants is None:
        return dict.fromkeys(_nics(fabric), "")
    return {nic: fabric.tenants.name_of(row) for row, nic in enumerate(_nics(fabric))}


def _nics(fabric: Fabric) -> Iterator[Nic]:
    nics, names = fabric.nics, fabric.hosts.names
    columns = (column.tolist() for column in (nics.host, nics.rail, nics.nic_port))
    yield from ((names[host], rail, port) for host, rail, port in zip(*columns, strict=True))


def _reach(fabric: Fabric, leaves: Ints, in_tenant: Bools) -> Bools:
    """Return which NICs reach which, by their leaves; none is reached at leaf -1.

    Tenants without tunnels reach NICs of their leaf alone.
    """
    alive = leaves >= 0
    reach: Bools = Promises.of(fabric).reach[np.ix_(leaves, leaves)]
    reach &= alive[:, None] & alive[None, :]
    if _is_local(fabric):
        reach &= (leaves[:, None] == leaves[None, :]) | ~in_tenant[:, None]
    return reach
