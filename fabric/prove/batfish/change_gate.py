"""What a change does: the routes and flows of its files compared with those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.findings import Severity
from fabric.prove.batfish import questions
from fabric.prove.batfish.flow_gate import addresses_of, breach_of, end_of
from fabric.prove.batfish.route_gate import differences, some
from fabric.prove.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.prove.batfish.flow_gate import Class
    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.route_gate import Hops
    from fabric.prove.batfish.snapshot import Snapshot

#: Ends of packets that arrive.
_ARRIVED = ("ACCEPTED",)


def changed_routes(now: Mapping[str, Hops], before: Mapping[str, Hops]) -> Iterator[Breach]:
    """Yield the switches whose next hops a change adds or removes."""
    for switch in sorted(now):
        lacks, added = differences(now[switch], before.get(switch, {}))
        for words, part in (("loses", lacks), ("gains", added)):
            prefixes = sorted({prefix for group in part.values() for prefix in group})
            if prefixes:
                message = f"the switch {words} next hops towards {some(prefixes)}"
                yield Breach("BAT020", switch, "", 0, message, Severity.INFO)


def changed_flows(snapshot: Snapshot, parts: list[Class], ask: Ask) -> Iterator[Breach]:
    """Yield the NICs whose flows end otherwise than before a change.

    Parameters
    ----------
    ask : callable
        Asks about the change with the state before it as reference.
    """
    for part in parts:
        starts = questions.any_of(part.starts)
        for addresses in questions.address_ranges(addresses_of(snapshot, part.ends)):
            for row in ask(questions.differences(starts, addresses)):
                yield _changed(snapshot, row)


def _changed(snapshot: Snapshot, row: dict[str, Any]) -> Breach:
    after = {**row, "Traces": row["Snapshot_Traces"]}
    node = row["Flow"]["ingressNode"]
    words = f"packets of {{}} {end_of(snapshot, after)}"
    if all(trace["disposition"] in _ARRIVED for trace in after["Traces"]):
        breach = breach_of(snapshot, "BAT019", node, f"{words}; they did not arrive before")
        return breach._replace(severity=Severity.INFO)
    return breach_of(snapshot, "BAT019", node, f"{words}; they arrived before")
