"""Prefixes that hosts route over a plane: all of its subnets, and none of the other plane."""

from __future__ import annotations

from ipaddress import IPv4Network, collapse_addresses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.reach import PlaneParts

POOL = IPv4Network("10.64.0.0/16")


def parts(subnets: dict[str, bool]) -> list[IPv4Network]:
    """Return the prefixes of a plane; subnets tell whether they are of the plane."""
    networks = [IPv4Network(text) for text in subnets]
    rows = [(int(one.network_address), int(one.broadcast_address)) for one in networks]
    first, last = (np.array(column) for column in zip(*rows, strict=True))
    mine = np.array(list(subnets.values()))
    plane = PlaneParts(first, last, mine)
    return [IPv4Network(text) for text in plane.within(int(POOL[0]), 32 - POOL.prefixlen)]


@pytest.mark.parametrize(
    ("mine", "others", "expected"),
    [
        ("10.64.0.0/24 10.64.1.0/24", "10.64.128.0/24", "10.64.0.0/17"),
        ("10.64.128.0/24", "10.64.0.0/24 10.64.1.0/24", "10.64.128.0/17"),
        ("10.64.10.0/24", "10.64.20.0/24", "10.64.0.0/20"),
        ("10.64.0.0/24 10.64.2.0/24", "10.64.1.0/24 10.64.3.0/25", "10.64.0.0/24 10.64.2.0/24"),
        ("10.64.0.0/24 10.64.200.0/24", "10.64.130.0/24", "10.64.0.0/17 10.64.192.0/18"),
        ("10.64.0.0/25 10.64.3.0/24", "10.64.0.128/25", "10.64.0.0/25 10.64.2.0/23"),
    ],
)
def test_prefixes(mine: str, others: str, expected: str) -> None:
    subnets = dict.fromkeys(mine.split(), True) | dict.fromkeys(others.split(), False)
    assert [str(one) for one in parts(subnets)] == expected.split()


@given(st.dictionaries(st.integers(0, 255), st.booleans(), min_size=2))
def test_all_of_a_plane_and_nothing_of_the_other(places: dict[int, bool]) -> None:
    places[next(iter(places))] = True
    subnets = {f"10.64.{place}.0/24": plane for place, plane in places.items()}
    prefixes = parts(subnets)
    for text, plane in subnets.items():
        held = [one for one in prefixes if one.overlaps(IPv4Network(text))]
        assert len(held) == plane, "one route for a subnet of the plane, and none for another"
    whole = list(collapse_addresses(IPv4Network(text) for text, plane in subnets.items() if plane))
    assert len(prefixes) <= len(whole), "no more than the subnets themselves"
