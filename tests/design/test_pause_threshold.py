"""Fixed pause levels: from the facts of a model, and where the system renders them."""

from __future__ import annotations

import pytest

from fabric.design.pool import PauseThreshold
from fabric.design.qos import own_levels
from fabric.design.qos_model import PauseLevels
from fabric.platforms.catalogue import sku


@pytest.mark.parametrize(
    ("model", "levels"),
    [("CE8851-32CQ8DQ-P", PauseLevels(128_000, 102_400)), ("CE8855-32CQ4BQ", None)],
)
def test_levels_of_a_model(model: str, levels: PauseLevels | None) -> None:
    """125 and 100 kbytes of the command reference; the other family has an alpha."""
    assert own_levels(sku(model)) == levels


def test_a_fixed_level_does_not_share() -> None:
    threshold = PauseThreshold.fixed(PauseLevels(128_000, 102_400))
    assert [threshold.group_bytes(users) for users in (1, 4)] == [128_000, 128_000]
    assert threshold.incast_bytes(4) == 512_000
    assert threshold.ecn_limit_bytes(2, classes=3) == 64_000
