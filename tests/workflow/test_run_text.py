"""How a run ended: a summary first, like reasons once."""

from __future__ import annotations

from fabric.change.options import Result
from fabric.workflow.run_text import describe_end

SPINES = ("spine01", "spine02")
LEAVES = tuple(f"su1-rail{number}" for number in range(8))
DOWN = tuple(
    f"{name}: not healthy: the session with 10.254.0.{name[-1]} is down" for name in LEAVES
)


def _lines(result: Result, *, full: bool = False) -> list[str]:
    return list(describe_end(result, full=full))


def test_a_run_that_is_done_counts_its_devices() -> None:
    result = Result(1, ok=True, confirmed=(*LEAVES, "spine01"))
    assert _lines(result) == ["done; 9 devices confirmed and saved: spine01,su1-rail[0-7]"]
    assert _lines(Result(2, ok=True, rolled_back=LEAVES)) == [
        "done; 8 devices rolled back: su1-rail[0-7]"
    ]
    assert _lines(Result(3, ok=True)) == ["done"]


def test_skipped_devices_are_a_range() -> None:
    lines = _lines(Result(1, ok=True, confirmed=("spine01",), skipped=LEAVES))
    assert lines[1] == "8 devices skipped: su1-rail[0-7]. See `rocefab status 1`"


def test_a_run_that_stopped_begins_with_what_it_did() -> None:
    gate = "gate ping: 3 pairs are not answered"
    result = Result(4, ok=False, reasons=(*DOWN, gate), confirmed=SPINES, rolled_back=LEAVES)
    assert _lines(result) == [
        "stopped; 8 devices rolled back: su1-rail[0-7]. See `rocefab status 4`",
        "2 devices of the waves before stay confirmed and saved: spine[01-02]",
        DOWN[0],
        "  7 more that differ in names and numbers alone; all are on su1-rail[0-7]",
        gate,
    ]
    assert _lines(result, full=True)[2:] == [*DOWN, gate]


def test_a_run_that_stopped_before_it_changed_anything() -> None:
    result = Result(5, ok=False, reasons=("no window of the roll-out is open",))
    assert _lines(result) == [
        "stopped; no device rolled back. See `rocefab status 5`",
        "no window of the roll-out is open",
    ]
