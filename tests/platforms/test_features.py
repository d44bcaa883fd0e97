"""What `features.toml` says of a system, by switch model."""

from __future__ import annotations

import pytest

from fabric.platforms.catalogue import sku
from fabric.platforms.features import Limit, LimitedRule, SystemFeatures, features_of

RESTORATION, POLL = "lossless.watchdog.restoration_ms", "lossless.watchdog.poll_ms"


def test_the_fields_that_a_system_takes_from_others() -> None:
    assert features_of("cumulus").taken_from(sku("SN4700")) == {
        "lossless.traffic_class": "lossless.pfc_priority",
        RESTORATION: POLL,
    }
    assert features_of("sonic").taken_from(sku("ACS-MSN4700")) == {}


@pytest.mark.parametrize(
    ("where", "role", "taken"),
    [
        ({}, "", True),
        ({"models": ("SN47",)}, "", True),
        ({"not_models": ("SN47",)}, "", False),
        ({"roles": ("leaf",)}, "spine", False),
        ({"roles": ("leaf",)}, "", True),
    ],
)
def test_only_where_the_limit_includes_the_model(
    where: dict[str, tuple[str, ...]], role: str, *, taken: bool
) -> None:
    limit = Limit.model_validate({"fields": (RESTORATION, POLL), "equal": True} | where)
    rule = LimitedRule(id="CUM010", title="a", why="b", source="c", limits=(limit,))
    features = SystemFeatures(system="cumulus", rules=(rule,))
    assert (features.taken_from(sku("SN4700"), role) == {RESTORATION: POLL}) is taken
