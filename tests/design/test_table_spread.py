"""Tables of other models with the same ASIC, and tables that are the same."""

from __future__ import annotations

import pytest

from fabric.design.table_spread import Spread, table_spread, twin
from fabric.platforms.catalogue import sku, sku_names


def test_the_interval_is_that_of_the_rows() -> None:
    rows = [
        model.headroom[400_000, 40].headroom_bytes
        for model in map(sku, sku_names())
        if model.asic == "tomahawk-5" and (400_000, 40) in model.headroom
    ]
    assert len(set(rows)) > 2
    assert table_spread("tomahawk-5", 400_000, 40) == Spread(min(rows), max(rows), len(rows))


def test_a_length_between_rows_takes_the_longer_one() -> None:
    assert table_spread("tomahawk-5", 400_000, 39) == table_spread("tomahawk-5", 400_000, 40)
    assert table_spread("tomahawk-5", 400_000, 70_000) is None
    assert table_spread("jericho-2", 400_000, 5) is None


@pytest.mark.parametrize(
    ("least", "models", "text"),
    [(7, 1, "7 bytes (1 model)"), (7, 2, "7 bytes (2 models)"), (5, 3, "5 to 7 bytes (3 models)")],
)
def test_in_words(least: int, models: int, text: str) -> None:
    assert Spread(least, 7, models).text() == text


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
