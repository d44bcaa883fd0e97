"""Buffers that a switch computes, against figures of SONiC's own scripts.

The expected figures were printed by cfgmgr/buffer_pool_mellanox.lua and
buffer_check_headroom_mellanox.lua of sonic-net/sonic-swss e6b0c5b5, run over rendered files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabric.design.pool import lossless_pool_bytes
from fabric.qos.headroom.computed import ComputedPorts, checked_port_bytes, computed_pool_bytes
from tests.render.designs import variant

PIPELINE_BYTES = 19 * 1024
#: Size of the lossless group, lanes, bytes that the script counts.
SIZES = [(268_288, 8, 389_120), (286_720, 8, 407_552), (339_968, 8, 460_800), (268_288, 4, 331_776)]


@pytest.mark.parametrize(
    ("example", "sku", "switch", "pool_bytes"),
    [
        ("demo", "ACS-MSN4700", "su1-rail0", 29_497_336),
        ("rail-512", "ACS-SN5600", "su1-rail0", 65_909_248),
        ("rail-512", "ACS-SN5600", "spine03", 65_057_280),
    ],
)
def test_the_pool_is_what_the_switch_computes(
    tmp_path: Path, example: str, sku: str, switch: str, pool_bytes: int
) -> None:
    dynamic = {f"sku: {sku}": f"sku: {sku}, buffer_model: dynamic"}
    assert lossless_pool_bytes(variant(tmp_path / "i", example, dynamic)[switch]) == pool_bytes


@pytest.mark.parametrize(("size_bytes", "lanes", "need_bytes"), SIZES)
def test_what_one_port_is_checked_with(size_bytes: int, lanes: int, need_bytes: int) -> None:
    assert checked_port_bytes(size_bytes, lanes, PIPELINE_BYTES) == need_bytes


def test_more_ports_leave_less() -> None:
    def pool(ports: int) -> int:
        lanes = np.full(ports, 4)
        return computed_pool_bytes(
            ComputedPorts(np.full(ports, 100_000), lanes, lanes), 10_000_000, PIPELINE_BYTES
        )

    sizes = [pool(ports) for ports in (0, 1, 10, 100)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == (10_000_000 - 256 * 1024) // 2
    assert sizes[-1] < 0
