"""The headroom of all ports of a switch, against what it keeps for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fabric.design import pool

CASES: dict[str, tuple[list[int | None], bool | None]] = {
    "it fits": ([40, 60], True),
    "it does not fit": ([40, 61], False),
    "of a port it is not known": ([40, None], None),
    "the known part does not fit": ([101, None], False),
}


@pytest.mark.parametrize("name", CASES)
def test_unknown_headroom_is_not_enough(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    sizes, fits = CASES[name]
    monkeypatch.setattr(pool, "headroom_share_bytes", lambda _: 100)
    groups = [SimpleNamespace(headroom_bytes=size) for size in sizes]
    device: Any = SimpleNamespace(sku=None, lossless_groups=groups)
    room = pool.headroom_room(device)
    assert (room and room.fits) is fits
