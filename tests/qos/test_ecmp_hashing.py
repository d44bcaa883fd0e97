"""Polarisation and entropy against simulated switches and the kernel's functions."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import replace
from math import gcd, lcm, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.ecmp.hashing import (
    TierHash,
    effective_paths,
    polarised,
)
from fabric.qos.ecmp.load import (
    PORT_BITS,
    entropy,
)
from tests.docs.papers import members_used

FIVE_TUPLE = frozenset(("SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT"))
LEAF = TierHash(tier="leaf", width=8, algorithm="CRC", fields=FIVE_TUPLE, asic="spectrum-4", seed=0)
SPINE = replace(LEAF, tier="spine", width=8)
WIDTHS = st.integers(1, 24)


def packets(count: int = 20_000) -> list[bytes]:
    """5-tuples of RoCEv2: addresses and source ports vary."""
    random = np.random.default_rng(11)
    ports = random.integers(0xC000, 0xC000 + (1 << PORT_BITS), count)
    hosts = random.integers(0, 256, (count, 2))
    return [
        bytes([10, 0, 0, int(source), 10, 0, 1, int(target), 17])
        + int(port).to_bytes(2, "big")
        + (4791).to_bytes(2, "big")
        for (source, target), port in zip(hosts, ports, strict=True)
    ]


def crc(packet: bytes, seed: int) -> int:
    return zlib.crc32(packet, seed)


def mixed(packet: bytes, seed: int) -> int:
    """A hash that is not linear."""
    return int.from_bytes(hashlib.blake2b(packet, key=seed.to_bytes(4, "big")).digest()[:4], "big")


def used_paths(hashed, seeds: tuple[int, ...], widths: tuple[int, ...]) -> set[tuple[int, ...]]:
    return {
        tuple(hashed(packet, seed) % width for seed, width in zip(seeds, widths, strict=True))
        for packet in packets()
    }


@pytest.mark.parametrize("widths", [(8, 8), (8, 4), (4, 8), (6, 4), (5, 7), (12, 8), (4, 6, 8)])
def test_one_hash_at_all_tiers_uses_the_lcm(widths: tuple[int, ...]) -> None:
    used = used_paths(crc, (7,) * len(widths), widths)
    assert len(used) == effective_paths(*widths) == lcm(*widths)
    assert len(used) <= prod(widths)


@pytest.mark.parametrize("widths", [(8, 8), (8, 4), (6, 4), (5, 7)])
def test_members_behind_one_choice(widths: tuple[int, int]) -> None:
    used = used_paths(crc, (7, 7), widths)
    for near in range(widths[0]):
        behind = {far for own, far in used if own == near}
        assert len(behind) == members_used(*widths) == widths[1] // gcd(*widths)


def test_other_seeds_of_a_mixing_hash_use_all_paths() -> None:
    assert len(used_paths(mixed, (0, 10), (8, 8))) == 64


def test_other_seeds_of_a_crc_use_no_more_paths() -> None:
    """They XOR a constant: with powers of two the paths are only renamed, else some are added."""
    assert len(used_paths(crc, (0, 10), (8, 8))) == 8
    assert len(used_paths(crc, (0, 10), (8, 4))) == 8
    assert len(used_paths(crc, (0, 10), (6, 6))) > 6


@given(WIDTHS, WIDTHS)
def test_never_more_paths_than_there_are(near: int, far: int) -> None:
    assert max(near, far) <= effective_paths(near, far) <= near * far
    assert 1 <= members_used(near, far) <= far


CASES = {
    "same in all": ({}, True),
    "another seed, linear, powers of two": ({"seed": 10}, False),
    "drawn seeds, linear": ({"seed": None}, False),
    "another seed, linear, other widths": ({"seed": 10, "width": 6}, None),
    "another seed, not linear": ({"seed": 10, "algorithm": "RANDOM"}, None),
    "another offset": ({"offset": 10}, None),
    "other fields": ({"fields": FIVE_TUPLE - {"L4_SRC_PORT"}}, None),
    "another ASIC": ({"asic": "tomahawk-5"}, None),
    "no choice": ({"width": 1}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_tiers(name: str) -> None:
    change, certain = CASES[name]
    near = replace(LEAF, algorithm=change.get("algorithm", "CRC"))
    near = replace(near, seed=None) if "drawn" in name else near
    result = polarised([near, replace(SPINE, **change)])
    if certain is None:
        assert result == ()
        return
    (one,) = result
    assert (one.tiers, one.certain) == (("leaf", "spine"), certain)
    assert (one.paths, one.nominal_paths) == (8, 64)
    assert "8 of 64" in one.reason


def test_one_seed_on_two_kinds_of_width_is_certain() -> None:
    (one,) = polarised([replace(LEAF, width=6), replace(SPINE, width=4)])
    assert (one.certain, one.paths, one.nominal_paths) == (True, 12, 24)


def test_each_pair_of_three_tiers_is_told() -> None:
    """The outer tiers hash alike, the middle one has an offset of its own."""
    middle = replace(SPINE, offset=10)
    result = polarised([LEAF, middle, replace(LEAF, tier="super-spine")])
    assert [one.tiers for one in result] == [("leaf", "super-spine")]


def test_wild_widths_are_refused() -> None:
    for widths in ((), (0, 2)):
        with pytest.raises(ValueError, match="must be at least 1"):
            effective_paths(*widths)
    with pytest.raises(ValueError, match="width of tier leaf is 0"):
        replace(LEAF, width=0)


def test_entropy_of_queue_pairs() -> None:
    one, many, pinned = entropy(1, 8), entropy(8, 8), entropy(8, 8, pinned=True)
    assert (one.tuples, one.paths) == (pytest.approx(1.0), pytest.approx(1.0))
    assert many.tuples == pytest.approx(8, rel=1e-3)
    assert many.paths == pytest.approx(8 * 0.6564, rel=1e-3)
    assert (pinned.tuples, pinned.paths) == (1.0, pytest.approx(1.0))
    assert "share a path" in pinned.reason


def test_entropy_by_drawing_ports() -> None:
    random = np.random.default_rng(2)
    drawn = random.integers(0, 1 << PORT_BITS, (400, 4096))
    distinct = np.mean([len(np.unique(row)) for row in drawn])
    assert entropy(4096, 8).tuples == pytest.approx(distinct, rel=0.005)


@pytest.mark.parametrize(("queue_pairs", "links"), [(0, 8), (8, 0)])
def test_wild_entropy_is_refused(queue_pairs: int, links: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        entropy(queue_pairs, links)
