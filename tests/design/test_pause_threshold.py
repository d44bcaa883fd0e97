"""Fixed pause levels: from the facts of a model, and where the system renders them."""

from __future__ import annotations

import pytest

from fabric.design.pause_buffer import rendered_levels
from fabric.design.pool import PauseThreshold
from fabric.design.qos import own_levels, rendered_threshold
from fabric.design.qos_model import PauseLevels
from fabric.intent.policy import LosslessPolicy, PauseBufferPolicy
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


@pytest.mark.parametrize(
    ("model", "threshold"),
    [
        ("ACS-SN5600", -3),
        ("7050DX4-32S", -3),
        ("7280CR3-32D4", None),
        ("CE8855-32CQ4BQ", None),
        ("N9K-C9332D-GX2B", None),
    ],
)
def test_a_threshold_counts_where_the_switch_gets_it(model: str, threshold: int | None) -> None:
    """VRP8 and NX-OS keep their own, and so do chips of EOS that queue at ingress."""
    assert rendered_threshold(sku(model), LosslessPolicy(dynamic_th=-3)) == threshold


@pytest.mark.parametrize(
    ("model", "levels"),
    [("N9K-C9332D-GX2B", PauseLevels(90_000, 80_000)), ("CE8855-32CQ4BQ", None)],
)
def test_levels_count_where_the_switch_gets_them(model: str, levels: PauseLevels | None) -> None:
    buffer = PauseBufferPolicy(pause_threshold_bytes=90_000, resume_threshold_bytes=80_000)
    assert rendered_levels(sku(model), LosslessPolicy(pause_buffer=buffer)) == levels
