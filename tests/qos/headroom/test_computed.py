"""Buffers that a switch computes, against figures of SONiC's own scripts.

The expected figures were printed by cfgmgr/buffer_headroom_mellanox.lua, buffer_pool_mellanox.lua
and buffer_check_headroom_mellanox.lua of sonic-net/sonic-swss e6b0c5b5, run by Lua 5.1 over
rendered files, with the figures of platform/mellanox/asic_table.j2 of sonic-net/sonic-buildimage
086b03bd as ASIC_TABLE and the size of egress_lossless_pool as the packet buffer.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.pool import computed_buffer, lossless_pool_bytes, shared_headroom_bytes
from fabric.qos.headroom.computed import (
    LEAST_SHARED_HEADROOM_BYTES,
    PRIVATE_BYTES,
    ComputedAsic,
    ComputedPool,
    ComputedPorts,
    checked_port_bytes,
    computed_pool,
)
from tests.render.designs import variant

PIPELINE_BYTES = 19 * 1024
#: Size of the lossless group, lanes, bytes that the script counts.
SIZES = [(268_288, 8, 389_120), (286_720, 8, 407_552), (339_968, 8, 460_800), (268_288, 4, 331_776)]


#: Fabrics with ports that these models have.
SMALL = {
    "host_gbps: 400, uplink_gbps: 400": "host_gbps: 100, uplink_gbps: 100",
    "host_ports: 32": "host_ports: 16",
    "gpu[001-032]": "gpu[001-016]",
    '  - {name: su2, hosts: "gpu[033-064]"}\n': "",
    "count: 8, links_per_leaf: 4": "count: 4, links_per_leaf: 4",
}
FAST = {"host_gbps: 400, uplink_gbps: 400": "host_gbps: 800, uplink_gbps: 800"}
#: Example, changes, model, over-subscription, switch, pool, shared headroom.
POOLS = [
    ("demo", {}, "ACS-MSN4700", 0, "su1-rail0", 29_497_336, 0),
    ("demo", {}, "ACS-MSN4700", 2, "su1-rail0", 29_752_312, 473_088),
    ("rail-512", {}, "ACS-SN5600", 0, "su1-rail0", 65_909_248, 0),
    ("rail-512", {}, "ACS-SN5600", 0, "spine03", 65_057_280, 0),
    ("rail-512", {}, "ACS-SN5600", 2, "su1-rail0", 70_283_776, 8_159_232),
    ("rail-512", {}, "ACS-SN5600", 3, "su1-rail0", 71_643_648, 5_439_488),
    ("rail-512", {}, "ACS-SN5600", 3, "spine03", 71_359_659, 6_007_467),
    ("rail-512", FAST, "ACS-SN6600_LD", 0, "su1-rail0", 75_071_488, 0),
    ("rail-512", FAST, "ACS-SN6600_LD", 0, "spine03", 72_810_496, 0),
    ("rail-512", FAST, "ACS-SN6600_LD", 2, "su1-rail0", 81_444_864, 12_156_928),
    ("rail-512", SMALL, "ACS-MSN2700", 0, "su1-rail0", 4_228_592, 0),
    ("rail-512", SMALL, "ACS-MSN2700", 4, "spine03", 5_113_328, 638_976),
]


@pytest.mark.parametrize(
    ("example", "changes", "sku", "ratio", "switch", "pool_bytes", "shared_bytes"), POOLS
)
def test_the_pool_is_what_the_switch_computes(
    tmp_path: Path,
    example: str,
    changes: dict[str, str],
    sku: str,
    ratio: int,
    switch: str,
    pool_bytes: int,
    shared_bytes: int,
) -> None:
    shares = f", headroom_over_subscription: {ratio}" if ratio else ""
    old = "ACS-MSN4700" if example == "demo" else "ACS-SN5600"
    dynamic = {f"sku: {old}": f"sku: {sku}, buffer_model: dynamic{shares}"}
    device = variant(tmp_path / "i", example, {**changes, **dynamic})[switch]
    assert lossless_pool_bytes(device) == pool_bytes
    assert shared_headroom_bytes(device) == shared_bytes


def test_ports_that_are_down_take_nothing(tmp_path: Path) -> None:
    """The buffer manager replaces their profiles by ones without a size."""
    dynamic = {"sku: ACS-SN5600": "sku: ACS-SN5600, buffer_model: dynamic"}
    device = variant(tmp_path / "i", "rail-512", dynamic)["su1-rail0"]
    first, *others = device.ports
    down = replace(device, ports=(replace(first, enabled=False), *others))
    more = lossless_pool_bytes(down), lossless_pool_bytes(device)
    assert more[0]
    assert more[1]
    group = first.headroom
    assert group
    assert group.headroom_bytes
    size_bytes = group.headroom_bytes + group.guaranteed_bytes
    lossy_bytes = 37 * 1024  # two buffer units of 8 lanes
    port_bytes = size_bytes + 2 * lossy_bytes + 9216 + 10 * 1024
    assert 2 * (more[0] - more[1]) == port_bytes


@pytest.mark.parametrize(("size_bytes", "lanes", "need_bytes"), SIZES)
def test_what_one_port_is_checked_with(size_bytes: int, lanes: int, need_bytes: int) -> None:
    assert checked_port_bytes(size_bytes, lanes, PIPELINE_BYTES) == need_bytes


def test_more_ports_leave_less() -> None:
    def pool(ports: int) -> ComputedPool:
        lanes = np.full(ports, 4)
        asic = ComputedAsic(10_000_000, PIPELINE_BYTES)
        return computed_pool(ComputedPorts(np.full(ports, 100_000), lanes, lanes), asic)

    left = [pool(ports).left_bytes for ports in (0, 1, 10, 100)]
    assert left == sorted(left, reverse=True)
    assert pool(0).pool_bytes == (10_000_000 - 256 * 1024) // 2
    assert left[-1] < 0
    assert pool(100).pool_bytes == 0


@given(ports=st.integers(1, 256), ratio=st.integers(1, 16), room=st.integers(0, 2_000_000))
def test_parts_and_pools_are_the_buffer(ports: int, ratio: int, room: int) -> None:
    """A higher ratio never leaves less, and nothing is counted twice."""
    lanes = np.full(ports, 4)
    asic = ComputedAsic(10**9, PIPELINE_BYTES)
    group = ComputedPorts(np.full(ports, 19_456), lanes, lanes, np.full(ports, room))
    pool, next_pool = (computed_pool(group, asic, one) for one in (ratio, ratio + 1))
    assert sum(part.amount_bytes for part in pool.parts) + pool.left_bytes == asic.buffer_bytes
    assert pool.shared_headroom_bytes > 0
    promised = max(0, ports * (room - PRIVATE_BYTES))
    assert pool.shared_headroom_bytes == LEAST_SHARED_HEADROOM_BYTES or (
        promised <= pool.shared_headroom_bytes * ratio < promised + ratio
    )
    if promised > ratio:
        least = LEAST_SHARED_HEADROOM_BYTES
        assert next_pool.left_bytes >= pool.left_bytes or next_pool.shared_headroom_bytes == least


def test_two_lossless_classes_count_twice(tmp_path: Path) -> None:
    dynamic = {"sku: ACS-SN5600": "sku: ACS-SN5600, buffer_model: dynamic"}
    classes = (
        "  classes:\n    - {name: a, dscps: [26], pfc_priority: 3}\n"
        "    - {name: b, dscps: [34], pfc_priority: 4}\n"
    )
    single = {"  roce_dscp: 26\n": "", "  pfc_priority: 3\n": classes}
    one, two = (
        computed_buffer(variant(tmp_path / name, "rail-512", changes)["spine03"])
        for name, changes in (("one", dynamic), ("two", {**dynamic, **single}))
    )
    assert one
    assert two
    assert one.left_bytes - two.left_bytes == 64 * 339_968
