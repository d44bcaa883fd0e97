"""diff: which figures protect lossless traffic less than before."""

from __future__ import annotations

import pytest

from fabric.report.diff.model import Edit, Figure
from fabric.report.diff.protection import edits_less_protecting, less_protection

#: Figure, its values, and what is said of it.
CASES = {
    "PFC": ("pfc", "true", "false", "PFC off on 8 ports (leaf)"),
    "PFC that comes": ("pfc", "false", "true", None),
    "the watchdog": ("watchdog.enabled", "true", "false", "PFC watchdog off on 8 ports (leaf)"),
    "a watchdog that reports": (
        *("watchdog.action", "drop", "alert"),
        "PFC watchdog reports storms and does not end them on 8 ports (leaf)",
    ),
    "a watchdog that forwards": ("watchdog.action", "drop", "forward", None),
    "a slow watchdog": (
        *("watchdog.detection_ms", "400", "800"),
        "PFC watchdog acts later on 8 ports (leaf): watchdog.detection_ms 400 -> 800",
    ),
    "a lazy end of the watchdog": ("watchdog.restoration_ms", "400", "4000", None),
    "Kmin": (
        *("kmin_bytes", "150000", "300000"),
        "ECN marks later on 8 ports (leaf): kmin_bytes 150,000 -> 300,000",
    ),
    "tuning of Kmin": ("kmin_bytes", "150000", "299999", None),
    "Kmin that falls": ("kmin_bytes", "150000", "1000", None),
    "Kmax of a class": (
        *("storage.kmax_bytes", "1000", "20000"),
        "ECN marks later on 8 ports (leaf): storage.kmax_bytes 1,000 -> 20,000",
    ),
    "marks": (
        *("pmax_percent", "100", "50"),
        "ECN marks less on 8 ports (leaf): pmax_percent 100 -> 50",
    ),
    "Kmin where PFC pauses first": (
        *("kmin_before_pause", "true", "false"),
        "PFC pauses before ECN marks on 8 ports (leaf)",
    ),
    "Kmax of a class where PFC pauses first": (
        *("storage.kmax_before_pause", "true", "false"),
        "PFC pauses before ECN marks every packet on 8 ports (leaf)",
    ),
    "Kmax that is below the pause again": ("kmax_before_pause", "false", "true", None),
    "more marks": ("pmax_percent", "20", "100", None),
    "a figure that comes": ("kmin_bytes", "-", "150000", None),
    "what protects nothing": ("mtu_bytes", "1500", "9100", None),
}


@pytest.mark.parametrize(("figure", "before", "after", "words"), CASES.values(), ids=CASES)
def test_each_figure(figure: str, before: str, after: str, words: str | None) -> None:
    follows = less_protection([Figure("leaf", "host", figure, before, after, 8, 1)])
    assert [one.words for one in follows] == ([words] if words else [])


def test_ports_of_all_roles_are_one_line() -> None:
    places = (("leaf", "host", 8), ("leaf", "uplink", 4), ("spine", "uplink", 4))
    [follows] = less_protection([
        Figure(role, kind, "pfc", "true", "false", ports, 1) for role, kind, ports in places
    ])
    assert follows.words == "PFC off on 16 ports (leaf, spine)"


def test_a_class_that_is_removed() -> None:
    gone = Figure("leaf", "host", "storage.pfc_priority", "4", "-", 8, 1)
    [follows] = less_protection([gone])
    assert follows.words == "class storage no longer lossless on 8 ports (leaf)"


UNJUDGED = (
    "1 changed value, such as fabric.{0}, may protect less: main is not valid; review each value"
)
#: Field, its values, and what is said of it where the first inventory is not valid.
EDITS = {
    "Kmin": (
        *("lossless.ecn.kmin_bytes", "150000", "300000"),
        "ECN marks later: fabric.lossless.ecn.kmin_bytes: 150000 -> 300000",
    ),
    "marks": (
        *("lossless.ecn.pmax_percent", "100", "10"),
        "ECN marks less: fabric.lossless.ecn.pmax_percent: 100 -> 10",
    ),
    "the watchdog": (
        *("lossless.watchdog.enabled", None, "false"),
        "PFC watchdog off: fabric.lossless.watchdog.enabled: (absent) -> false",
    ),
    "tuning": ("lossless.ecn.kmin_bytes", "150000", "200000", None),
    "a watchdog that drops": ("lossless.watchdog.action", "alert", "drop", None),
    "the wrong value itself": ("lossless.ecn.kmin_bytes", "many", "150000", UNJUDGED),
    "a default that goes": ("lossless.ecn.kmin_bytes", None, "300000", UNJUDGED),
    "what is no figure": ("rollout.approvals", "2", "1", UNJUDGED),
}


@pytest.mark.parametrize(("field", "before", "after", "words"), EDITS.values(), ids=EDITS)
def test_edits_of_an_inventory_that_is_not_valid(
    field: str, before: str | None, after: str | None, words: str | None
) -> None:
    """A value that cannot be judged fails the gate too."""
    follows = [*edits_less_protecting([Edit(f"fabric.{field}", before, after, None, None)], "main")]
    assert [one.words for one in follows] == ([words.format(field)] if words else [])
    assert {one.risk for one in follows} <= {"less protection"}


def test_many_edits_are_two_lines() -> None:
    later = [Edit(f"f{n}.kmin_bytes", "1", "2", None, None) for n in range(3)]
    other = [Edit(f"f{n}.roce_dscp", "1", "2", None, None) for n in range(3)]
    first, second = edits_less_protecting([*other, *later], "main")
    assert first.words == "ECN marks later: f0.kmin_bytes: 1 -> 2 (and 2 more)"
    assert second.words.startswith("3 changed values, such as f0.roce_dscp, may protect less")
