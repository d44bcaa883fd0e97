"""A finding is reported once when it begins and once when it ends, whatever its words are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from fabric.core.events import Ledger, key_of
from fabric.core.findings import Finding, Severity

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
NAMES = st.sampled_from(["leaf1", "leaf2", "spine1"])
FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(["A1", "A2"]),
    severity=st.sampled_from(Severity),
    message=st.text(max_size=3),
    device=NAMES,
    port=st.sampled_from(["", "p1"]),
)
ROUNDS = st.lists(st.tuples(st.lists(FINDINGS, max_size=6), st.sets(NAMES)), max_size=8)


def finding(device: str = "leaf1", message: str = "another MTU") -> Finding:
    return Finding("DRF001", Severity.WARNING, message, device=device)


def test_other_words_are_no_new_finding() -> None:
    ledger = Ledger()
    ledger.update([finding()], lambda _: True, NOW)
    assert ledger.update([finding(message="5 drops")], lambda _: True, NOW) == []


def test_an_end_has_the_beginning_and_who_caused_it() -> None:
    ledger = Ledger()
    ledger.update([finding()], lambda _: True, NOW, lambda _: ("eve",))
    later = NOW + timedelta(minutes=5)
    (event,) = ledger.update([], lambda _: True, later)
    assert (event.word, event.time, event.since, event.by) == ("closed", later, NOW, ("eve",))
    assert str(event) == "closed: leaf1: another MTU [DRF001] (by eve)"


def test_a_device_that_cannot_be_read_closes_nothing() -> None:
    ledger = Ledger()
    ledger.update([finding(), finding("leaf2")], lambda _: True, NOW)
    (event,) = ledger.update([], lambda one: one.device == "leaf2", NOW)
    assert event.finding.device == "leaf2"
    assert [one.finding.device for one in ledger.lasting] == ["leaf1"]


@given(ROUNDS)
def test_events_alternate_and_tell_what_lasts(rounds) -> None:
    """For each finding: opened, closed, opened ...; the events alone say what lasts."""
    ledger, seen = Ledger(), []
    for present, judged in rounds:
        seen += ledger.update(present, lambda one, judged=judged: one.device in judged, NOW)
        lasting = {key_of(event.finding) for event in ledger.lasting}
        assert {key_of(one) for one in present} <= lasting
        assert {key for key in lasting if key[1] in judged} <= {key_of(one) for one in present}
    for key in {key_of(event.finding) for event in seen}:
        words = [event.word for event in seen if key_of(event.finding) == key]
        assert words == ["opened", "closed"] * (len(words) // 2) + ["opened"] * (len(words) % 2)
    again = Ledger()
    again.replay(seen)
    assert again.lasting == ledger.lasting


def test_severity_may_change() -> None:
    ledger = Ledger()
    ledger.update([finding()], lambda _: True, NOW)
    assert ledger.update([replace(finding(), severity=Severity.ERROR)], lambda _: True, NOW) == []


def test_a_look_at_a_device_asks_for_its_findings_alone() -> None:
    """2,000 devices are looked at in turn: what lasts on the others must cost nothing."""
    ledger, asked = Ledger(), []
    ledger.update([finding("leaf1"), finding("leaf2")], lambda _: True, NOW)

    def is_judged(one: Finding) -> bool:
        asked.append(one.device)
        return True

    (event,) = ledger.update([], is_judged, NOW, device="leaf1")
    assert (event.word, event.finding.device, asked) == ("closed", "leaf1", ["leaf1"])
    assert [one.finding.device for one in ledger.of("leaf2")] == ["leaf2"]
    assert ledger.of("leaf1") == []
    assert ledger.new([finding("leaf1"), finding("leaf2")]) == [finding("leaf1")]
