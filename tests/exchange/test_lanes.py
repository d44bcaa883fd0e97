"""Ports in parts: names and modes of the models of the catalogue, and what they cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.exchange.lanes import Lane, in_parts, knows_port
from fabric.exchange.plant import Cable, Device, Plant
from fabric.platforms.catalogue import sku


def split(
    model: str, port: str, parts: int, gbps: int | None, given: str = "", **fields: Any
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the ports of a leaf whose port is broken out to hosts, and its breakouts."""
    names = [f"{port}:{part + 1}" for part in range(parts)]
    cables = [
        Cable.between(("leaf", name), (f"gpu{part}", "eth1"), gbps)
        for part, name in enumerate(names)
    ]
    lanes = {("leaf", name): Lane(port, part, parts) for part, name in enumerate(names)}
    splits = [dict(zip(("cages", "mode"), given.split(), strict=True))] if given else []
    plant = Plant("x", (Device("leaf", "switch", "leaf"),), tuple(cables))
    models = {"leaf": replace(sku(model), **fields)}
    plant, modes = in_parts(plant, lanes, models, {"leaf": splits}, {}, "n.json")
    ends = [end for cable in plant.cables for end in (cable.near, cable.far)]
    assert [cable.speed_gbps for cable in plant.cables] == [gbps] * parts
    return [name for device, name in ends if device == "leaf"], modes.get("leaf", [])


@pytest.mark.parametrize(
    ("words", "ports", "mode"),
    [
        (("SN5600", "swp3", 2, 400), ["swp3s0", "swp3s1"], ("3", "2x400G")),
        (("SN5600", "swp3", 2, None), ["swp3s0", "swp3s1"], ("3", "2x400G")),
        (("SN5600", "swp3", 2, 100), ["swp3s0", "swp3s1"], ("3", "2x400G")),
        (("SN5600", "swp3", 3, 200), ["swp3s0", "swp3s1", "swp3s2"], ("3", "4x200G")),
        (("ACS-SN5600", "Ethernet8", 2, 400), ["Ethernet8", "Ethernet12"], ("2", "2x400G")),
    ],
)
def test_names_and_modes(words: Any, ports: list[str], mode: tuple[str, str]) -> None:
    assert split(*words) == (ports, [{"cages": mode[0], "mode": mode[1]}])


def test_a_model_that_does_not_list_its_modes() -> None:
    ports, modes = split("SN5600", "swp1", 2, None, breakouts=())
    assert (ports, modes) == (["swp1s0", "swp1s1"], [{"cages": "1", "mode": "2x400G"}])


def test_breakouts_of_the_base_stay() -> None:
    """A cage that the base splits finer keeps its mode; the others are kept beside ours."""
    ports, modes = split("SN5600", "swp3", 2, 200, "2-3 4x200G")
    assert (ports, modes) == (["swp3s0", "swp3s1"], [])
    _, modes = split("SN5600", "swp3", 2, 400, "1 4x200G")
    assert modes == [{"cages": "1", "mode": "4x200G"}, {"cages": "3", "mode": "2x400G"}]


@pytest.mark.parametrize(
    "words",
    [
        ("SN5600", "swp99", 2, 400),
        ("SN5600", "swp1", 2, 800),
        ("SN5600", "swp1", 5, 100),
        ("SN5600", "swp1", 3, 200, "1 2x400G"),
    ],
)
def test_what_a_model_cannot_split(words: Any) -> None:
    with pytest.raises(InputError) as caught:
        split(*words)
    said = [str(finding) for finding in caught.value.findings]
    assert said == [
        (
            f"n.json: leaf: '{words[1]}' is cabled in {words[2]} parts, which SN5600 has not; "
            f"check model and speed; the model offers {', '.join(sku('SN5600').breakouts)} [EXC009]"
        )
    ]
    with pytest.raises(InputError) as caught:
        split("SN5600", "swp1", 2, 400, part_name="")
    assert "swp1" in str(caught.value.findings[0])


def named(model: str, *ports: str, gbps: int | None = None, given: str = "") -> Any:
    """Return the breakouts of a leaf with ports of these names, and of a base."""
    cables = [Cable.between(("leaf", it), ("gpu", f"x{it}"), gbps) for it in ports]
    plant = Plant("x", (Device("leaf", "switch", "leaf"),), tuple(cables))
    splits = [dict(zip(("cages", "mode"), given.split(), strict=True))] if given else []
    back, modes = in_parts(plant, {}, {"leaf": sku(model)}, {"leaf": splits}, {}, "n.json")
    assert back == plant
    return [" ".join(split.values()) for split in modes.get("leaf", [])]


@pytest.mark.parametrize(
    ("model", "ports", "gbps", "modes"),
    [
        ("SN5600", "swp1 swp64", None, []),
        ("SN5600", "swp1s0 swp1s1 swp2s0", 400, ["1-2 2x400G"]),
        ("SN5600", "swp1s0 swp1s3", 100, ["1 4x200G"]),
        ("SN5600", "swp1s3", 400, []),
        ("SN5600", "swp1s7 swp99s0 other", None, []),
        ("ACS-SN5600", "Ethernet0 Ethernet4 Ethernet8", 400, ["1 2x400G"]),
        ("ACS-SN5600", "Ethernet4 Ethernet6", 200, ["1 4x200G"]),
        ("7060X6-64PE", "Ethernet1/1 Ethernet2/1 Ethernet2/5", 400, ["2 2x400G"]),
        ("7060X6-64PE", "Ethernet1/1 Ethernet1/3", 100, ["1 4x100G"]),
        ("QFX5240-64OD", "et-0/0/1:1", None, ["2 2x400G"]),
    ],
)
def test_names_of_parts_tell_the_breakout(
    model: str, ports: str, gbps: int | None, modes: list[str]
) -> None:
    assert named(model, *ports.split(), gbps=gbps) == modes


def test_lanes_of_a_whole_cage_are_no_parts() -> None:
    """EOS has sections for them; those without a cable count where they have a speed."""
    model = sku("7060X6-64PE")
    lanes = {f"Ethernet{cage}/{lane}": None for cage in (1, 2) for lane in range(1, 9)}
    present = {"leaf": lanes | {"Ethernet2/5": 400}}
    plant = Plant("x", (Device("leaf", "switch", "leaf"),), ())
    _, modes = in_parts(plant, {}, {"leaf": model}, {}, present, "eos")
    assert modes == {"leaf": [{"cages": "2", "mode": "2x400G"}]}
    ports = (
        ("Ethernet1/1", None),
        ("Ethernet1/5", None),
        ("Ethernet1/5", 400),
        ("Ethernet65/1", 400),
    )
    assert [knows_port(model, *port) for port in ports] == [True, False, True, False]


def test_breakouts_of_the_base_are_not_repeated() -> None:
    assert named("SN5600", "swp1s0", "swp1s1", given="1-8 2x400G") == []
    assert named("SN5600", "swp9s0", given="1-2 2x400G") == ["1-2,9 2x400G"]
