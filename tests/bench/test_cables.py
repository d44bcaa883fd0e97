"""How long it takes to find the distinct kinds of NIC cables. Prints only."""

from __future__ import annotations

import time

import pytest

from fabric.intent.resolve import PolicyResolver
from fabric.validate.ends import nic_cables
from tests.bench.test_deadlock import large

pytestmark = pytest.mark.benchmark


def test_kinds_of_131072_cables() -> None:
    made = large(4096, 8)
    start = time.perf_counter()
    kinds = list(nic_cables(made, PolicyResolver(made.intent)))
    print(f"{len(made.nics):,} NIC cables, {len(kinds)} kinds: {time.perf_counter() - start:.3f} s")
    assert sum(count for _, count in kinds) == len(made.nics)
