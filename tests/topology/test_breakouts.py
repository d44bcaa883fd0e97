"""Cages that are broken out, from the inventory to ports and links."""

from __future__ import annotations

import pytest

from fabric.core.errors import CapacityError, InputError
from tests.topology.fabrics import document, fabric, intent

LEAF = {"sku": "ACS-SN5600", "host_ports": 4, "breakouts": [{"cages": "1-2", "mode": "2x400G"}]}


def with_leaf(devices="", **changes):
    return fabric(
        devices,
        platforms__leaf={**LEAF, **changes},
        platforms__spine={"sku": "ACS-SN5600"},
        speeds={"host_gbps": 400, "uplink_gbps": 800},
    )


def test_hosts_take_the_parts_and_uplinks_the_cages_behind_them():
    built = with_leaf()
    model = built.switches.skus[0]
    assert model.port_count == 66
    assert [model.port(n) for n in built.nics.port[built.nics_of_leaf(0)]] == [
        "Ethernet0",
        "Ethernet4",
        "Ethernet8",
    ]
    assert [model.port(n) for n in built.uplinks.lower_port[built.uplinks_of(0)]] == [
        "Ethernet16",
        "Ethernet24",
    ]
    assert not built.switches.skus[-1].places


def test_half_of_the_ports_are_for_hosts_by_default():
    built = with_leaf(host_ports=None)
    assert int(built.uplinks.lower_port.min()) == 66 // 2 + 1


def test_an_override_replaces_the_cages_of_the_role():
    own = "devices:\n  - names: su1-rail0\n    breakouts: [{cages: '1', mode: 4x200G}]\n"
    built = with_leaf(own)
    models = dict(zip(built.switches.names, built.switches.skus, strict=True))
    assert models["su1-rail0"].port_numbers()["Ethernet2"] == 2
    assert models["su1-rail0"].port_count == 67
    assert models["su1-rail1"].port_count == 66


def test_an_override_that_names_a_model_keeps_the_cages_of_the_role():
    built = with_leaf("devices:\n  - names: su1-rail0\n    sku: SN5600\n")
    model = built.switches.skus[0]
    assert (model.name, model.port_count) == ("SN5600", 66)
    assert [model.port(n) for n in built.nics.port[built.nics_of_leaf(0)]] == [
        "swp1s0",
        "swp1s1",
        "swp2s0",
    ]
    own = "devices:\n  - names: su1-rail0\n    sku: SN5600\n    breakouts: []\n"
    assert with_leaf(own).switches.skus[0].port_count == 64


@pytest.mark.parametrize(
    ("model", "breakouts", "lost"),
    [
        ("ACS-MSN4700", [{"cages": "1-2", "mode": "8x100G"}], "cage 1 as 8x100G"),
        ("ACS-MSN4700", [{"cages": "40", "mode": "2x400G"}], "cage 40 as 2x400G"),
        ("S9820-64H", [{"cages": "1", "mode": "2x400G"}], "cage 1 as 2x400G"),
    ],
)
def test_an_override_that_names_a_model_without_those_modes_is_refused(model, breakouts, lost):
    own = f"devices:\n  - names: su[1-2]-rail0\n    sku: {model}\n"
    with pytest.raises(InputError) as caught:
        with_leaf(own, breakouts=breakouts)
    (finding,) = caught.value.findings
    assert str(finding).endswith(
        f"devices[0].sku: {model} has no {lost}, unlike the model that it replaces; "
        "set the breakouts of this switch; breakouts: [] uses whole ports [TOP007]"
    )


def test_an_empty_list_leaves_the_cages_whole():
    whole = "devices:\n  - names: su1-rail0\n    breakouts: []\n"
    assert with_leaf(whole).switches.skus[0].port_count == 64


def test_port_names_of_parts_are_known_to_overrides():
    own = "devices:\n  - names: su1-rail0\n    ports:\n      Ethernet4: {cable_m: 3}\n"
    built = with_leaf(own)
    assert built.nics.cable_m[built.nics_of_leaf(0)].tolist() == [5, 3, 5]


REFUSED = {
    "no such cage": (
        [{"cages": "64-65", "mode": "2x400G"}],
        "platforms.leaf.breakouts[0]: ACS-SN5600 has no cage 65; its last is 64",
    ),
    "twice": (
        [{"cages": "1-3", "mode": "2x400G"}, {"cages": "3", "mode": "4x200G"}],
        "platforms.leaf.breakouts[1]: a cage has two breakout entries",
    ),
    "twice in one range": (
        [{"cages": "1-3,2", "mode": "2x400G"}],
        "platforms.leaf.breakouts[0]: a cage has two breakout entries",
    ),
    "lanes": (
        [{"cages": "1", "mode": "3x100G"}],
        "8 lanes of a cage cannot be split as 3x100G",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    splits, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        with_leaf(breakouts=splits)
    (finding,) = caught.value.findings
    assert message in str(finding)
    assert finding.rule == "TOP007"
    assert finding.position.line > 1


@pytest.mark.parametrize("model", ["ACS-MSN3800", "CE8855-32CQ4BQ", "S9820-64H", "S9850-32H"])
def test_refused_on_a_model_whose_parts_have_no_known_names(model):
    with pytest.raises(InputError, match="1 error") as caught:
        with_leaf(sku=model, breakouts=[{"cages": "1", "mode": "2x50G"}])
    assert f"the breakout port names of {model} are not known" in str(caught.value.findings[0])


def test_refused_in_an_override():
    own = "devices:\n  - names: su1-rail0\n    breakouts: [{cages: '70', mode: 2x400G}]\n"
    with pytest.raises(InputError) as caught:
        with_leaf(own)
    assert "devices[0].breakouts[0]: ACS-SN5600 has no cage 70" in str(caught.value.findings[0])


@pytest.mark.parametrize("cages", ["", "0", "3-1", "1-2000", "a", "1,,2", "-1", "1 to 2"])
def test_cages_are_numbers(cages):
    data = document(platforms__leaf={**LEAF, "breakouts": [{"cages": cages, "mode": "2x400G"}]})
    with pytest.raises(InputError) as caught:
        intent(data)
    assert "is not a list of cages" in str(caught.value.findings[0])


def test_ports_of_parts_run_out():
    with pytest.raises(CapacityError) as caught:
        with_leaf(host_ports=66)
    assert "uplink ports of ACS-SN5600 leaves exhausted: 2 needed, 0 available" in str(
        caught.value.findings[0]
    )


@pytest.mark.parametrize(
    ("model", "mode", "message"),
    [
        ("Z9664F-ON", "2x400G", "2x400G needs a cage of 800G; this one has 400G; use 2x200G, or"),
        ("Z9332F-ON", "2x400G", "2x400G needs a cage of 800G; this one has 400G; use 2x200G, or"),
        ("7060X6-64PE", "2x800G", "2x800G needs a cage of 1600G; this one has 800G; use 2x400G"),
    ],
)
def test_refused_where_the_parts_need_more_than_the_cage(model, mode, message):
    """Its modes are not known, but that is."""
    with pytest.raises(InputError, match="1 error") as caught:
        with_leaf(sku=model, breakouts=[{"cages": "1", "mode": mode}])
    assert message in str(caught.value.findings[0])
