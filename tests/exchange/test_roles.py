"""Roles by distance, units by shared leaves, rails by majority; what cannot be told is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from fabric.core.errors import InputError
from fabric.exchange.draft import Draft
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.exchange.roles import complete, with_hosts
from tests.cases import examples
from tests.exchange.plants import ADDRESSES, of_example, plants

BARE = frozenset({"device.role", "device.unit", "device.rail", "nics"})


def bare(*cables: str, hosts: str = "") -> Plant:
    """Return a plant of cables written as ``a:p1 b:p2``; ``hosts`` are names with spaces."""
    pairs = [cable.split() for cable in cables]
    ends = [[tuple(end.split(":")) for end in pair] for pair in pairs]
    names = dict.fromkeys(end[0] for pair in ends for end in pair)
    devices = [Device(name, "host" if name in hosts.split() else "") for name in names]
    return Plant("x", tuple(devices), tuple(Cable.between(*pair) for pair in ends))


def failed(plant: Plant) -> list[str]:
    with pytest.raises(InputError) as caught:
        complete(plant, "c.csv")
    return [str(finding) for finding in caught.value.findings]


@pytest.mark.parametrize("name", ["demo", "rail-512", "mixed", "a100-pcie"])
def test_examples_come_back_from_their_cables(name: str) -> None:
    built = of_example(name)
    result, notes = complete(built.without(BARE), "c.csv")
    assert notes == ()
    lost = {"device.unit", "nic.rdma_device", "nic.address", *ADDRESSES}
    assert result.without(lost).canonical() == built.without(lost).canonical()
    units = {(built.device[d.name].unit, d.unit) for d in result.devices}
    assert len(units) == len({one for one, _ in units}) == len({other for _, other in units})


def test_three_tiers() -> None:
    built = bare("h:e0 l:1", "l:2 s:1", "s:2 t:1", hosts="h")
    result, _ = complete(built, "c.csv")
    assert [result.device[name].role for name in "hlst"] == ["", "leaf", "spine", "super-spine"]


def test_pods_are_units_that_share_spines() -> None:
    """Both planes of a unit are in one pod, a spine of no leaf is alone; a core has none."""
    rows = [f"h{n}:e{p} l{n}{p}:1" for n in range(4) for p in range(2)]
    rows += [f"l{n}{p}:2 s{n // 2}{p}:{n}" for n in range(4) for p in range(2)]
    rows += [f"s{n}{p}:9 c{p}:{n}" for n in range(2) for p in range(2)]
    built = bare(*rows, "c0:9 t:1", hosts="h0 h1 h2 h3")
    devices = tuple(replace(it, role="spine") if it.name == "t" else it for it in built.devices)
    result, _ = complete(replace(built, devices=devices), "c.csv")
    pods = {device.name: device.pod for device in result.devices}
    assert {pods[name] for name in ("h0", "h1", "l00", "l01", "l10", "s00", "s01")} == {"pod1"}
    assert {pods[name] for name in ("h2", "h3", "l20", "l31", "s10", "s11")} == {"pod2"}
    assert (pods["t"], pods["c0"], pods["c1"]) == ("pod3", "", "")


def test_pods_of_the_source_count() -> None:
    """One that is known is that of all below; of two, each gets that of its unit or its peers."""
    rows = ["h:e0 l:1", "g:e0 m:1", "l:2 s:1", "m:2 s:2", "s:9 c:1"]
    built = bare(*rows, hosts="h g")
    for reported, pods in (
        ({"m": "west"}, ["west"] * 5),
        ({"m": "pod1", "l": "east"}, ["east", "east", "pod1", "pod1", ""]),
    ):
        devices = tuple(replace(it, pod=reported.get(it.name, "")) for it in built.devices)
        result, _ = complete(replace(built, devices=devices), "c.csv")
        assert [result.device[name].pod for name in "hlgms"] == pods


def test_two_tiers_have_no_pods() -> None:
    result, _ = complete(bare("h:e0 l:1", "l:2 s:1", hosts="h"), "c.csv")
    assert {device.pod for device in result.devices} == {""}


def test_what_the_source_says_counts() -> None:
    built = bare("h:e0 l:1", "h:e1 m:1", "l:2 s:1", "m:2 s:2", hosts="h")
    reported = {"l": {"rail": 5}, "m": {"unit": "mine"}, "s": {"role": "super-spine"}}
    devices = tuple(replace(item, **reported.get(item.name, {})) for item in built.devices)
    result, notes = complete(replace(built, devices=devices), "c.csv")
    assert [(result.device[name].rail, result.device[name].unit) for name in "lm"] == [
        (5, "mine"),
        (1, "mine"),
    ]
    assert (result.device["h"].unit, result.device["s"].role) == ("mine", "super-spine")
    assert [str(note) for note in notes] == [
        "c.csv: h e0: rail 0, and on l 1 of rail 5; check whether the cable is crossed [EXC013]"
    ]


def test_a_crossed_cable_is_outvoted_and_said() -> None:
    rows = [f"h{n}:e{r} l{r}:{n}" for n in range(3) for r in range(2)]
    rows[4:] = ["h2:e0 l1:2", "h2:e1 l0:2"]
    result, notes = complete(bare(*rows, hosts="h0 h1 h2"), "c.csv")
    assert [result.device[name].rail for name in ("l0", "l1")] == [0, 1]
    assert [(note.device, note.port) for note in notes] == [("h2", "e0"), ("h2", "e1")]


def test_a_missing_cable_moves_no_rail() -> None:
    """The other NICs of the host keep the index that they have on whole hosts."""
    rows = [f"h{n}:e{r} l{r}:{n}" for n in range(2) for r in range(3)]
    result, notes = complete(bare(*rows[:3], *rows[4:], hosts="h0 h1"), "c.csv")
    assert [note.message for note in notes] == [
        "hosts have fewer NICs than others; what they lack has no cable (1): h1"
    ]
    assert [nic.rail for nic in result.nics] == [0, 1, 2, 1, 2]


def test_no_majority_gives_no_rail() -> None:
    """A leaf with all NICs of its hosts, as in a classic fabric."""
    result, _ = complete(bare("h:e0 l:1", "h:e1 l:2", "g:e0 l:3", "g:e1 l:4", hosts="h g"), "x")
    assert result.device["l"].rail is None
    assert [nic.rail for nic in result.nics] == [0, 1, 0, 1]


def test_given_nics_keep_what_is_known() -> None:
    built = bare("h:e0 l:1", "h:e1 m:1", hosts="h")
    result, _ = complete(replace(built, nics=(Nic("h", "e0", 1), Nic("h", "e1", 0))), "x")
    assert [result.device[name].rail for name in "lm"] == [1, 0]


def test_what_cannot_be_told_is_said() -> None:
    assert failed(bare("a:1 b:1")) == [
        (
            "c.csv: no device is identified as a host; list the hosts with --hosts "
            "gpu[001-064], or set the role of each device [EXC008]"
        )
    ]


def test_what_a_fabric_does_not_have_is_ignored_and_named() -> None:
    far = bare("h:e0 a:1", "a:2 b:1", "b:2 c:1", "c:2 d:1", "x:1 y:1", hosts="h")
    result, notes = complete(far, "c.csv")
    assert sorted(result.device) == ["a", "b", "c", "h"]
    assert len(result.cables) == 3
    assert [str(note) for note in notes] == [
        (
            "c.csv: switches without a host within three tiers are ignored (3): d, x, y; "
            "set their roles if they are part of the fabric [EXC012]"
        )
    ]


def test_a_source_of_unknown_roles_is_refused_with_their_names() -> None:
    draft = Draft("c.csv")
    place = draft.place()
    draft.device("h", place, {"kind": "host"})
    draft.device("x", place, {"role": "router"})
    draft.cable(("h", "e0"), ("x", "1"), place, {})
    assert failed(draft.plant()) == [
        (
            "c.csv: devices of the unknown role 'router' are ignored (1): x; "
            "if they are switches: --role router=leaf [EXC012]"
        ),
        "c.csv: no device is a switch; set the roles of the switches [EXC008]",
    ]


def test_peer_links_and_border_leaves_are_ignored_and_named() -> None:
    built = bare("h:e0 l:1", "h:e1 m:1", "l:9 m:9", "l:2 s:1", "m:2 s:2", "border:1 s:3", hosts="h")
    devices = [
        replace(device, kind="switch", role="leaf") if device.name == "border" else device
        for device in built.devices
    ]
    result, notes = complete(replace(built, devices=tuple(devices)), "c.csv")
    assert "border" not in result.device
    assert len(result.cables) == 4
    assert [str(note).partition(";")[0] for note in notes] == [
        "c.csv: leaves without hosts are ignored, such as border leaves (1): border",
        "c.csv: cables inside a tier are ignored, such as peer links (1): l 9 to m 9",
    ]


def test_several_units_in_one_group() -> None:
    built = bare("h:e0 l:1", "g:e0 m:1", "n:1 h:e1", "n:2 g:e1", hosts="h g")
    units = {"h": "u1", "l": "u1", "g": "u2", "m": "u2"}
    devices = tuple(replace(item, unit=units.get(item.name, "")) for item in built.devices)
    assert failed(replace(built, devices=devices)) == [
        (
            "c.csv: n: its cables lead to several units, so its unit is ambiguous; set its unit, "
            "or name it in --leave-out if it is in another network [EXC008]"
        )
    ]


def test_machines_beside_the_fabric_are_left_out() -> None:
    built = bare("h:e0 l:1", hosts="h")
    beside = (Device("jump"), Device("spare", "host"), Device("far", "host", unit="u7"))
    result, notes = complete(replace(built, devices=(*built.devices, *beside)), "c.csv")
    assert [host.name for host in result.hosts] == ["h"]
    assert [note.message for note in notes] == [
        "devices without a cable, role or unit are ignored (2): jump, spare",
        "hosts without a cable to a leaf are ignored (1): far",
    ]


@examples(25, derandomize=True)
@given(built=plants())
def test_any_plant_is_completed_or_refused(built: Plant) -> None:
    try:
        result, notes = complete(built, "c.csv")
    except InputError as error:
        assert error.findings
        return
    assert all(device.role for device in result.switches)
    assert all(device.unit for device in result.devices if device.role == "leaf")
    assert {nic.rail for nic in result.nics}.isdisjoint({None})
    tier = {device.name: device.role for device in result.devices}
    assert set(result.cables) == {
        cable
        for cable in built.cables
        if {cable.near[0], cable.far[0]} <= tier.keys()
        and tier[cable.near[0]] != tier[cable.far[0]]
    }
    assert notes or len(result.cables) == len(built.cables)


def test_hosts_as_told() -> None:
    built = bare("h1:e0 l:1", "h2:e0 l:2")
    assert [host.name for host in with_hosts(built, "h[1-2]", "x").hosts] == ["h1", "h2"]
    texts = {
        "h[1": "is not a name range",
        "h[1-3]": "h3: no such device",
        "h[01-02]": "no device is called h[01-02]; did you mean --hosts h[1-2]?",
        "h1,h02": "no device is called h02; did you mean --hosts h[1-2]?",
        "h[01-03]": "h01: no such device; did you mean h1?",
    }
    for names, said in texts.items():
        with pytest.raises(InputError) as caught:
            with_hosts(built, names, "x")
        assert said in str(caught.value.findings[0])
