"""The two hardware families of VRP8, and how they count times."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.asic_catalogue import asic
from fabric.platforms.catalogue import sku, sku_names
from fabric.systems.vrp8.platforms import (
    DETECT_UNITS,
    FAMILIES,
    FAMILY_A,
    FAMILY_B,
    FRAME_EXTRA_BYTES,
    PHBS,
    RECOVERY_UNITS,
    TIMER_UNITS_MS,
    VRP8,
    deadlock_counts,
    family_of,
)
from tests.cases import each

TIMES_MS = st.integers(0, 2000) | st.integers(0, 40).map(lambda count: count * 500)


@each("name", sku_names())
def test_every_model_is_of_a_family(name: str) -> None:
    """And its ASIC carries the facts of that family."""
    model = sku(name)
    if model.nos != "vrp8":
        return
    family = family_of(model)
    assert family is not None
    assert model.asic_facts.integer("unicast_queues") == len(PHBS)
    most = {"a": 3, "b": 4}[family.name]
    assert model.asic_facts.integer("lossless_classes") == most
    assert set(family.pfc_queues) <= set(range(len(PHBS)))


def test_families_are_asics() -> None:
    """A model of another ASIC has none, whatever it is called."""
    assert {asic(name).name for name in FAMILIES} == {FAMILY_A, FAMILY_B}
    model = sku("CE8855-32CQ4BQ")
    assert family_of(replace(model, asic="CloudEngine-A")) is FAMILIES[FAMILY_A]
    assert family_of(replace(model, asic="tomahawk-4")) is None


def test_mtu_is_what_a_whole_frame_carries() -> None:
    """1518 to 9500 bytes of frame."""
    low, high = VRP8.port_mtu_bytes
    assert (low + FRAME_EXTRA_BYTES, high + FRAME_EXTRA_BYTES) == (1518, 9500)


@given(detection=TIMES_MS, recovery=TIMES_MS)
def test_counts_mean_the_times_exactly(detection: int, recovery: int) -> None:
    """In the largest unit, or not at all; what one unit counts is never refused."""
    found = deadlock_counts(FAMILIES[FAMILY_B], detection, recovery)
    fitting = [
        unit
        for unit in TIMER_UNITS_MS
        if (detection, recovery)
        in {(unit * one, unit * other) for one in DETECT_UNITS for other in RECOVERY_UNITS}
    ]
    if found is None:
        assert fitting == []
    else:
        unit, counted, recovered = found
        assert unit == max(fitting)
        assert (unit * counted, unit * recovered) == (detection, recovery)


@given(detection=TIMES_MS, recovery=TIMES_MS)
def test_the_other_family_counts_milliseconds(detection: int, recovery: int) -> None:
    """From 10 to 1500."""
    found = deadlock_counts(FAMILIES[FAMILY_A], detection, recovery)
    fits = all(10 <= time_ms <= 1500 for time_ms in (detection, recovery))
    assert found == ((1, detection, recovery) if fits else None)
