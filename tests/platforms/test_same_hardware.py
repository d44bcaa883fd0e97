"""One switch with a name under each of several systems."""

from __future__ import annotations

import pytest

from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.same_hardware import close_models, elsewhere, selects


def test_pairs_have_the_silicon_and_ports_of_one_switch() -> None:
    pairs = [(name, other) for name in sku_names() for other in elsewhere(name)]
    assert len(pairs) > 40
    for name, other in pairs:
        one, two = sku(name), sku(other)
        assert one.nos != two.nos
        assert (one.asic, one.port_count) == (two.asic, two.port_count), name
        assert name in elsewhere(other)


def test_a_bare_name_selects_a_system() -> None:
    words = "SN5600 selects NVIDIA Cumulus Linux (with SONiC: ACS-SN5600)"
    assert selects("SN5600") == words
    other = "Arista-7060X6-64PE-O128"
    assert selects("7060X6-64PE") == f"7060X6-64PE selects Arista EOS (with SONiC: {other})"
    assert selects("7060X6-64DE").endswith(" (with SONiC: Arista-7060X6-64DE)")
    assert selects("ACS-SN5600") == ""
    assert selects("QFX5240-64OD") == ""
    assert selects("mine") == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SN560", ["'SN5600' (NVIDIA Cumulus Linux)", "'ACS-SN5600' (SONiC)"]),
        ("MSN4700", ["'ACS-MSN4700' (SONiC)", "'SN4700' (NVIDIA Cumulus Linux)"]),
        ("QFX5240-64O", ["'QFX5240-64OD'"]),
        ("nothing like it", []),
    ],
    ids=str,
)
def test_a_name_that_may_mean_two_systems_has_both(name: str, expected: list[str]) -> None:
    assert close_models(name, sku_names()) == expected


def test_only_models_to_choose_from_are_named() -> None:
    assert close_models("SN560", ["SN5600"]) == ["'SN5600'"]
