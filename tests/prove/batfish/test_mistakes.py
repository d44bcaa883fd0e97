"""The table of planted mistakes: found by our own engine, and by a real Batfish."""

from __future__ import annotations

import pytest

from tests.prove.batfish.mistakes import MISTAKES, Mistake
from tests.prove.batfish.subjects import by_batfish, by_own, example_subject, needs_service

#: What one engine alone can see: the other does not look at it, or does not model it.
ONLY_BATFISH = {"two NICs have one address"}
ONLY_OWN = {"a SONiC leaf uses one path"}

table = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)


def test_every_mistake_is_found_by_an_engine() -> None:
    assert {row.name for row in MISTAKES if not row.own} == ONLY_BATFISH
    assert {row.name for row in MISTAKES if not row.batfish} == ONLY_OWN


@table
def test_own_engine(mistake: Mistake) -> None:
    subject = mistake.plant(example_subject(mistake.example))
    rules = {breach.rule for breach in by_own(subject).breaches}
    assert rules >= mistake.own, rules
    assert bool(rules) == bool(mistake.own)


@needs_service
@table
def test_batfish(mistake: Mistake) -> None:
    subject = mistake.plant(example_subject(mistake.example))
    found = by_batfish(subject).breaches
    rules = {breach.rule for breach in found} - {"BAT018"}
    assert rules >= mistake.batfish, found
    assert bool(rules) == bool(mistake.batfish), found
