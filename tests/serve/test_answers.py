"""Names in an answer: the same set as the slow way writes, in the order of the ranks."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core import hostlist
from fabric.serve.answers import Names

FABRICS = {
    "padded": [f"gpu{number:03}" for number in range(1, 40)],
    "two prefixes": [f"a{number}" for number in range(3)]
    + [f"b{number:02}" for number in range(9)],
    "lengths differ": [f"n{number}" for number in range(5, 15)],
    "no number": ["login", "gpu1", "gpu2"],
    "a long number": [f"x{10**20 + number}" for number in range(4)],
    "one": ["gpu1"],
}


def _names(hosts: list[str]) -> Names:
    return Names(SimpleNamespace(hosts=SimpleNamespace(names=tuple(hosts))))


@pytest.mark.parametrize("name", FABRICS)
@given(data=st.data())
def test_range_has_the_same_hosts(name: str, data) -> None:
    hosts = FABRICS[name]
    rows = data.draw(st.lists(st.integers(0, len(hosts) - 1), min_size=1, unique=True))
    names, chosen = _names(hosts), [hosts[row] for row in rows]
    assert json.loads(f"[{names.quoted(np.array(rows))}]") == chosen
    folded = names.fold(np.array(rows))
    assert sorted(hostlist.expand(folded)) == sorted(chosen)
    assert folded == hostlist.fold(chosen)
