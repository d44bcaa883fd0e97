"""What a run says at once of a step that failed: whole words of the reason."""

from __future__ import annotations

from fabric.change.crew import first_clause
from tests.cases import each

#: A reason, and its first part.
REASONS = {
    "a list": ("not healthy: BGP with 10.254.0.0 is down", "not healthy"),
    "one part": ("the switch is away", "the switch is away"),
    "a bracket before": ("changed (again): by run 3", "changed (again)"),
    "a bracket that ends later": (
        "it was changed again outside of this journal (interface Ethernet2/1: vrf Vrf2): look",
        "it was changed again outside of this journal",
    ),
}


@each("name", REASONS)
def test_the_first_part_of_a_reason(name: str) -> None:
    reason, clause = REASONS[name]
    assert first_clause(reason) == clause
