"""Tables of other models with the same ASIC, and tables that are the same."""

from __future__ import annotations

import pytest

from fabric.design.table_spread import Spread, law_shortfall, table_spread, twin
from fabric.platforms.catalogue import sku, sku_names
from fabric.qos.headroom.laws import headroom
from fabric.qos.headroom.terms import Link


def test_the_interval_is_that_of_the_rows() -> None:
    rows = [
        model.headroom[400_000, 40].headroom_bytes
        for model in map(sku, sku_names())
        if model.asic == "tomahawk-5" and (400_000, 40) in model.headroom
    ]
    assert len(set(rows)) > 2
    assert table_spread("tomahawk-5", 400_000, 40) == Spread(
        min(rows), max(rows), 40, 40, len(rows)
    )


def test_a_length_between_rows_takes_the_longer_one() -> None:
    assert table_spread("tomahawk-5", 400_000, 39) == table_spread("tomahawk-5", 400_000, 40)
    assert table_spread("tomahawk-5", 400_000, 70_000) is None
    assert table_spread("jericho-2", 400_000, 5) is None


@pytest.mark.parametrize(
    ("least", "least_m", "models", "text"),
    [
        (7, 40, 1, "7 bytes at 40 m (1 model)"),
        (7, 40, 2, "7 bytes at 40 m (2 models)"),
        (5, 30, 3, "5 to 7 bytes at 30 to 40 m (3 models)"),
    ],
)
def test_in_words(least: int, least_m: int, models: int, text: str) -> None:
    assert Spread(least, 7, least_m, 40, models).text() == text


def test_no_law_is_below_a_row_unsaid() -> None:
    """From 100G on, of every shipped table: flat ones, copied ones, and those of other frames."""
    short = 0
    for model in map(sku, sku_names()):
        for (speed, cable), row in model.headroom.items():
            if speed < 100_000:
                continue
            link = Link.of(speed / 1000, cable, 9100, 9022)
            law = int(headroom(model.asic_facts, link).headroom_bytes)
            said = law_shortfall(model.asic, speed, cable, 9100, 9022)
            assert law >= row.headroom_bytes or said is not None
            if said:
                assert law <= said.row_bytes
                assert said.percent >= 100 * (1 - law / row.headroom_bytes) - 1e-9
            short += law < row.headroom_bytes
    assert short > 0


@pytest.mark.parametrize(
    ("family", "gbps", "cable_m", "percent", "is_of_law"),
    [
        ("tomahawk-5", 400, 40, 18.2, True),  # flat, 612,140 bytes
        ("tomahawk-4", 100, 5, 12.1, True),  # rows of Tomahawk
        ("tomahawk-1", 100, 5, 1.0, False),  # frames of 9,428
    ],
)
def test_by_how_much(family, gbps, cable_m, percent, is_of_law) -> None:
    said = law_shortfall(family, gbps * 1000, cable_m, 9100, 9022)
    assert said
    assert said.percent == pytest.approx(percent, abs=0.05)
    assert said.is_of_law is is_of_law


def test_a_law_above_all_rows() -> None:
    """A row for a longer cable is compared with the law for that cable."""
    assert law_shortfall("trident-4", 400_000, 30, 9100, 9022) is None
    assert law_shortfall("spectrum-4", 400_000, 6, 9100, 9022) is None


def test_rows_of_other_silicon() -> None:
    """Nokia's tables on Tomahawk 5 are those of Tomahawk up to 100G."""
    model = sku("Nokia-IXR7220-H5-64D")
    other = twin(model)
    assert other
    assert other.asic != model.asic
    common = model.headroom.keys() & sku(other.name).headroom.keys()
    assert len(common) == other.rows


@pytest.mark.parametrize("name", ["DellEMC-Z9664f-O64", "M2-W6940-64X1-FR4", "ACS-MSN3700"])
def test_own_rows(name: str) -> None:
    """Spectrum-2 and -3 have one formula and the same figures: equal rows say nothing."""
    assert twin(sku(name)) is None
