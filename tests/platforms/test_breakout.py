"""Cages that are broken out: modes, names, lanes and speeds of their ports."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.breakout import broken_out, fits, offered_mode, parse_mode
from fabric.platforms.cage import Mode, Place
from fabric.platforms.catalogue import sku, sku_names
from tests.cases import each

MODES = {
    "1x800G": Mode("1x800G", 1, (800,)),
    "2x400G": Mode("2x400G", 2, (400,)),
    "2x200G[100G,40G]": Mode("2x200G[100G,40G]", 2, (200, 100, 40)),
    "2x400G(8)": Mode("2x400G(8)", 2, (400,), 8),
    "4x25G[10G](4)": Mode("4x25G[10G](4)", 4, (25, 10), 4),
    "4x25G(4)[10G,1G]": Mode("4x25G(4)[10G,1G]", 4, (25, 10, 1), 4),
}


@pytest.mark.parametrize("word", MODES)
def test_modes(word):
    assert parse_mode(word) == MODES[word]


@pytest.mark.parametrize("word", ["", "2x", "x400G", "0x400G", "2x400", "2x400G;", "2x400G+1x50G"])
def test_other_words(word):
    with pytest.raises(ValueError, match="is not a breakout mode"):
        parse_mode(word)


#: Second cage in a mode: (name, alias, lanes) of each port. SONiC: platform.json of
#: sonic-net/sonic-buildimage 086b03bd with its portconfig.py; others: their references.
PORTS = {
    ("ACS-SN5600", "2x400G"): [
        ("Ethernet8", "etp2a", "8-11"),
        ("Ethernet12", "etp2b", "12-15"),
    ],
    ("ACS-MSN4700", "4x100G"): [
        ("Ethernet8", "etp2a", "8-9"),
        ("Ethernet10", "etp2b", "10-11"),
        ("Ethernet12", "etp2c", "12-13"),
        ("Ethernet14", "etp2d", "14-15"),
    ],
    ("ACS-MSN4700", "4x25G"): [
        ("Ethernet8", "etp2a", "8-8"),
        ("Ethernet9", "etp2b", "9-9"),
        ("Ethernet10", "etp2c", "10-10"),
        ("Ethernet11", "etp2d", "11-11"),
    ],
    ("Arista-7050CX3-32S-C32", "2x50G"): [
        ("Ethernet4", "Ethernet2/1", "5-6"),
        ("Ethernet6", "Ethernet2/3", "7-8"),
    ],
    ("Dell-Z9864f-O64", "2x400G"): [
        ("Ethernet8", "etp2a", "17-20"),
        ("Ethernet12", "etp2b", "21-24"),
    ],
    ("NH-4010", "2x200G"): [("Ethernet8", "Port2/1", "1-4"), ("Ethernet12", "Port2/2", "5-8")],
    ("7060X6-64PE", "2x400G"): [
        ("Ethernet2/1", "2/1", "8-11"),
        ("Ethernet2/5", "2/5", "12-15"),
    ],
    ("SN5600", "2x400G"): [("swp2s0", "swp2s0", "8-11"), ("swp2s1", "swp2s1", "12-15")],
    ("N9K-C9364D-GX2A", "2x200G"): [
        ("Ethernet1/2/1", "2/1", "8-11"),
        ("Ethernet1/2/2", "2/2", "12-15"),
    ],
    ("Z9332F-ON", "2x200G"): [
        ("Ethernet8", "Eth1/2/1", "8-11"),
        ("Ethernet12", "Eth1/2/2", "12-15"),
    ],
    ("CE8851-32CQ8DQ-P", "2x50G"): [
        ("100GE1/0/2:1", "2:1", "4-5"),
        ("100GE1/0/2:2", "2:2", "6-7"),
    ],
    ("CE8851-32CQ8DQ-P", "4x25G"): [
        ("100GE1/0/2:1", "2:1", "4-4"),
        ("100GE1/0/2:2", "2:2", "5-5"),
        ("100GE1/0/2:3", "2:3", "6-6"),
        ("100GE1/0/2:4", "2:4", "7-7"),
    ],
    ("QFX5240-64OD", "2x400G"): [
        ("et-0/0/1:0", "et-0/0/1:0", "8-11"),
        ("et-0/0/1:1", "et-0/0/1:1", "12-15"),
    ],
}


@pytest.mark.parametrize(("name", "word"), PORTS, ids=[f"{n}-{w}" for n, w in PORTS])
def test_ports_of_a_cage(name, word):
    """The whole first cage is port 1, the parts of the second follow, then the third."""
    model = sku(name)
    mode = offered_mode(model.kind(2), word) or parse_mode(word)
    made = broken_out(model, {2: mode})
    numbers = range(2, 2 + mode.parts)
    found = [
        (made.port(n), made.alias(n), f"{made.lanes(n)[0]}-{made.lanes(n)[-1]}") for n in numbers
    ]
    assert found == PORTS[name, word]
    assert made.port_count == model.port_count + mode.parts - 1
    assert (made.port(1), made.port(numbers[-1] + 1)) == (model.port(1), model.port(3))
    assert {made.cage(n) for n in numbers} == {model.port(2)}
    assert made.speeds_of(2) == mode.speeds_gbps
    assert made.speeds_of(1) == model.speeds_gbps
    assert made.whole.port_count == model.port_count
    assert not made.whole.places


@cache
def models() -> list[str]:
    """Return the names of the models whose cages can be broken out."""
    return [name for name in sku_names() if sku(name).breakouts]


@given(data=st.data())
def test_any_mix_of_modes(data):
    """Ports are told apart by name, alias and lane, and each is found by its number."""
    model = sku(data.draw(st.sampled_from(models())))
    offers = [cage for kind, cages in model.cages() if kind.breakouts for cage in cages]
    split = {
        cage: parse_mode(data.draw(st.sampled_from(model.kind(cage).breakouts)))
        for cage in data.draw(st.lists(st.sampled_from(offers), max_size=8, unique=True))
    }
    assert all(fits(model.kind(cage), mode) for cage, mode in split.items())
    made = broken_out(model, split)
    numbers = made.port_numbers()
    assert len(numbers) == made.port_count
    aliases = {made.alias(n) for n in numbers.values()}
    assert len(aliases) == made.port_count
    lanes = [lane for n in numbers.values() for lane in made.lanes(n)]
    assert len(lanes) == len(set(lanes))
    for cage, mode in split.items():
        parts = [n for n in numbers.values() if made.place(n).cage == cage]
        assert len(parts) == mode.parts


def test_a_mode_of_one_part_leaves_the_cage_whole():
    model = sku("ACS-SN5600")
    assert broken_out(model, {1: parse_mode("1x400G")}) is model


@each("name", sku_names())
def test_the_catalogue_names_the_parts_of_what_it_offers(name):
    model = sku(name)
    for kind, _ in model.cages():
        splits = [word for word in kind.breakouts if parse_mode(word).parts > 1]
        assert bool(kind.part_name) == bool(splits) or model.nos != "sonic"
        assert bool(kind.part_name) == bool(kind.part_alias)
        for word in splits:
            assert offered_mode(kind, re.match(r"\d+x\d+G", word)[0])


def test_a_mode_is_found_by_parts_and_speed():
    model = sku("ACS-SN5600")
    assert offered_mode(model.kind(1), "2x400G").word == "2x400G[200G,100G,50G,40G,25G,10G]"
    assert offered_mode(model.kind(1), "2x200G") is None
    assert offered_mode(sku("7060X6-64PE").kind(1), "2x400G") is None


def test_lanes_that_cannot_be_shared_out():
    assert not fits(sku("ACS-SN5600").kind(1), parse_mode("3x100G"))
    assert fits(sku("ACS-MSN4700").kind(1), parse_mode("4x25G(4)"))


def test_whole_ports_are_cages():
    model = sku("ACS-SN5600")
    assert model.place(7) == Place(7)
    assert model.whole is model


#: Model, mode and speed of a part -> its keyword of EOS.
WORDS = {
    ("7060DX5-64S", "4x100G", 100): "100g-2",
    ("7060DX5-64S", "2x200G", 100): "100g-4",
    ("7060DX5-64S", "2x200G", 200): "200g-4",
    ("7060DX5-64S", "8x50G", 50): "50g-1",
    ("7060DX5-64S", "4x100G", 40): "",
    ("7060DX4-32", "1x100G(4)", 100): "100g-4",
    ("7060X6-64PE", "2x400G", 400): "400g-4",
    ("7050CX3-32S", "2x50G", 50): "50g-2",
    ("7050CX3-32S", "4x25G", 25): "25g",
}


@pytest.mark.parametrize(("name", "word", "gbps"), WORDS)
def test_the_keyword_of_a_part_has_its_lanes(name: str, word: str, gbps: int) -> None:
    model = broken_out(sku(name), {1: parse_mode(word)})
    assert model.speed_token(1, gbps) == WORDS[name, word, gbps]


@each("name", [name for name in sku_names() if sku(name).nos == "eos"])
def test_keywords_of_parts_fit_into_the_cage(name: str) -> None:
    for kind, cages in sku(name).cages():
        for mode in map(parse_mode, kind.breakouts):
            model = broken_out(sku(name), {cages[0]: mode})
            word = model.speed_token(cages[0], mode.speeds_gbps[0])
            assert word, mode
            used = int(word.partition("-")[2] or 1)
            assert used * mode.parts <= kind.lanes, mode
