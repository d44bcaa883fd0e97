"""Marking thresholds: published, and in the units of the systems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.features import MarkingUnit, declared
from fabric.qos.ecn.edge import programmed_bytes, to_units
from fabric.qos.ecn.figures import FIGURES, figures_for

SIZES = st.integers(1, 10**8)
UNITS = {
    **{name: one.marking_unit for name, one in declared().items()},
    "eos-kbytes": MarkingUnit(word="kbytes", unit_bytes=1000),
    "eos-segments": MarkingUnit(word="segments"),
}


def test_every_figure_can_be_right() -> None:
    for figure in FIGURES:
        assert 0 < figure.kmin_bytes < figure.kmax_bytes
        assert figure.pmax_percent is None or 0 < figure.pmax_percent <= 100
        assert figure.source


def test_hpcc_scales_with_the_speed() -> None:
    """4 KB and 16 KB for each Gb/s."""
    results = [f for f in FIGURES if f.name == "HPCC simulator"]
    assert len(results) == 3
    for figure in results:
        (speed,) = figure.speeds_gbps
        assert (figure.kmin_bytes, figure.kmax_bytes) == (4000 * speed, 16_000 * speed)


def test_figures_for_a_speed() -> None:
    assert "DCQCN paper" in {figure.name for figure in figures_for(40)}
    assert "DCQCN paper" not in {figure.name for figure in figures_for(400)}
    assert "NVIDIA Onyx RoCE mode" in {figure.name for figure in figures_for(400)}


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("sonic", 150_000),
        ("esonic", 150),
        ("eos", 150_000),
        ("eos-kbytes", 150),
        ("nxos", 150),
        ("junos", 15),
        ("comware7", 722),
        ("cumulus", 150_000),
        ("vrp8", 150_000),
    ],
)
def test_units(system: str, expected: int) -> None:
    result = to_units(150_000, UNITS[system], cell_bytes=208, queue_bytes=1_000_000)
    assert result == expected


def test_the_step_of_the_asic() -> None:
    """NVIDIA's guide shows this for Spectrum-4."""
    assert programmed_bytes(150_000, 12_288) == 159_744
    assert to_units(150_000, UNITS["cumulus"], quantum_bytes=12_288) == 159_744


@pytest.mark.parametrize(
    ("system", "sizes", "text"),
    [
        ("eos-segments", {}, "size of one of the segments"),
        ("comware7", {}, "size of one of the cells"),
        ("junos", {}, "percentage of a queue"),
        ("junos", {"queue_bytes": 100_000}, "percentage of a queue"),
        ("sonic", {"quantum_bytes": 0}, "above 0"),
    ],
)
def test_what_is_not_known_is_not_guessed(system: str, sizes: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        to_units(150_000, UNITS[system], **sizes)


@given(st.sampled_from(sorted(UNITS)), SIZES, SIZES)
def test_order_survives_every_unit(system: str, one: int, other: int) -> None:
    if system == "eos-segments":
        return
    sizes = {"cell_bytes": 208, "queue_bytes": 10**8}
    low, high = sorted((one, other))
    assert to_units(low, UNITS[system], **sizes) <= to_units(high, UNITS[system], **sizes)
    unit = UNITS[system].unit_bytes or (208 if system == "comware7" else 10**6)
    assert 0 <= to_units(one, UNITS[system], **sizes) * unit - one < unit
