"""The figures of docs/lossless.md on buffers: one function for each block, with the product's own.

A block is what stands between ``<!-- figures: NAME -->`` and ``<!-- end of figures -->``.
Those on ECN and DCQCN are in ``lossless_ecn``, those on paths in ``lossless_paths``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fabric.core.registry import Registry
from fabric.core.units import gbps_to_mbps
from fabric.design.model import DeviceDesign
from fabric.design.pool import computed_buffer
from fabric.design.port_model import HeadroomProfile, PortDesign
from fabric.platforms.asic import Asic
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.model import Sku
from fabric.qos.headroom.budget import budget
from fabric.qos.headroom.computed import ComputedPool
from fabric.qos.headroom.deduced import TABLE_FRAME_BYTES
from fabric.qos.headroom.infer import infer
from fabric.qos.headroom.laws import headroom, laws, packing_factor, spectrum_settings
from fabric.qos.headroom.mlx5 import nic_headroom_bytes
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import HeadroomVerdict
from fabric.qos.headroom.wire import (
    QUANTUM_BITS,
    RESPONSE_QUANTA,
    plain_bytes,
    response_ns,
    response_quanta,
)
from fabric.qos.thresholds import alpha, pause_threshold_bytes
from fabric.workflow.project import Project
from tests.render.designs import variant

figures: Registry[Callable[[], str]] = Registry("block of figures")

#: The example: one host port and one uplink of a leaf.
INVENTORY = Path(__file__).parents[2] / "inventory" / "rail-512"
LEAF, HOST_PORT, UPLINK = "su1-rail0", "Ethernet0", "Ethernet256"
VERDICTS = {
    HeadroomVerdict.BELOW_FLOOR: "below the floor",
    HeadroomVerdict.BELOW_RESPONSE: "below the response",
    HeadroomVerdict.LARGE_FRAMES: "enough for large frames",
    HeadroomVerdict.ENOUGH: "enough",
}
TABLE_ROW_GBPS = 100


def table(headers: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a markdown table; ``headers`` are parted by bars."""
    cells = [[str(cell) for cell in row] for row in rows]
    head = [header.strip() for header in headers.split("|")]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def size(value: float) -> str:
    return f"{value:,.0f}"


def interval(least: float, most: float) -> str:
    return size(most) if least == most else f"{size(least)} to {size(most)}"


@cache
def project() -> Project:
    return Project(INVENTORY)


def leaf() -> DeviceDesign:
    return project().devices[LEAF]


def ends() -> list[tuple[str, PortDesign, HeadroomProfile]]:
    """Return the two ports of the example with a title and their buffer."""
    found = []
    for name in (HOST_PORT, UPLINK):
        port = next(port for port in leaf().ports if port.name == name)
        assert port.headroom
        title = f"{port.kind} port {name}, {port.speed_gbps}G, {port.cable_m} m"
        found.append((title, port, port.headroom))
    return found


def pool_bytes() -> int:
    pools = leaf().sku.pools
    assert pools
    return pools.ingress_lossless_bytes


@figures.add("wire-sum")
def wire_sum() -> str:
    """Return the plain law of both ports, term by term."""
    sums = [laws["plain"](leaf().sku.asic_facts, profile.link, None) for _, _, profile in ends()]
    rows = [
        (one.name, *(size(float(term.amount_bytes)) for term in (one, other)))
        for one, other in zip(sums[0].terms, sums[1].terms, strict=True)
    ]
    judged = [profile.judgement for _, _, profile in ends()]
    rows.append(("**floor** (all but the response)", *(size(float(j.floor_bytes)) for j in judged)))
    rows.append(("**with response**", *(size(float(j.response_bytes)) for j in judged)))
    return table(f"bytes | {' | '.join(title for title, _, _ in ends())}", rows)


@figures.add("quanta")
def quanta() -> str:
    """Return the response of the peer by speed."""
    speeds = [*(speed for speed in RESPONSE_QUANTA if speed >= 10), 1600]
    quanta_ = [response_quanta(speed) for speed in speeds]
    rows = [
        ("quanta", *(interval(*pair) for pair in quanta_)),
        ("bytes", *(interval(*(end * QUANTUM_BITS / 8 for end in pair)) for pair in quanta_)),
        ("ns", *(interval(*response_ns(speed)) for speed in speeds)),
    ]
    return table(f"speed | {' | '.join(f'{speed}G' for speed in speeds)}", rows)


@figures.add("law-sum")
def law_sum() -> str:
    """Return the law of the ASIC of the example, term by term, for both ports."""
    profiles = [profile for _, _, profile in ends()]
    laws_ = [profile.law for profile in profiles]
    rows = []
    for terms in zip(*(law.terms for law in laws_), strict=True):
        if any(float(term.amount_bytes) for term in terms):
            times = f"x {float(laws_[0].packing_factor):g}" if terms[0].packed else "once"
            rows.append((terms[0].name, times, *(size(float(t.amount_bytes)) for t in terms)))
    step = f"up to the next {laws_[0].rounding_bytes:,}"
    rows.append(("**by the law**", step, *(size(int(law.headroom_bytes)) for law in laws_)))
    row = [profile.row.headroom_bytes for profile in profiles]
    rows.append(("**row of the vendor, in use**", "", *(size(value) for value in row)))
    return table(f"bytes | | {' | '.join(title for title, _, _ in ends())}", rows)


@figures.add("verdicts")
def verdicts() -> str:
    """Return what the headroom of the example is compared with."""
    rows = [
        (
            title,
            size(profile.headroom_bytes),
            *(size(float(v)) for v in (judged.floor_bytes, judged.response_bytes)),
            size(int(judged.packed_bytes)),
            VERDICTS[HeadroomVerdict(int(judged.verdict))],
            size(float(judged.response_ns)),
        )
        for title, _, profile in ends()
        if (judged := profile.judgement)
    ]
    return table("port | kept | floor | with response | packed | verdict | time left, ns", rows)


@figures.add("laws")
def laws_table() -> str:
    """Return every family with its law and how near the law is to the tables that are shipped."""
    alike: dict[tuple[object, ...], list[Asic]] = {}
    for name in asic_names():
        family = asic(name)
        cell, response = family.integer("cell_bytes"), family.integer("safe_response_ns")
        factor = f"{packing_factor(family):.3g}"
        alike.setdefault((family.law, cell or "unknown", factor, response or ""), []).append(family)
    rows = []
    for figures_, families in alike.items():
        names = ", ".join(family.title for family in families)
        origins = dict.fromkeys(_origin(family) for family in families)
        near = [_near(model) for family in families for model in _models(family)]
        rows.append((names, *figures_, ", ".join(origins), "; ".join(near) or "no table here"))
    heads = "family | law | cell | factor | response, ns | figures from | law against vendor's rows"
    return table(heads, rows)


def _models(family: Asic) -> list[Sku]:
    """Return the models of a family whose table is shipped."""
    models = (sku(name) for name in sku_names())
    return [model for model in models if model.asic == family.name and model.headroom]


def _origin(family: Asic) -> str:
    """Return where the figures of the law come from, in short."""
    fact = family.fact("packing_factor")
    if fact is None:
        return "SONiC's script"
    path = re.search(r"device/(?:[^/]+/x86_64-[^/]+|common)/([^/]+(?:/t[dh]\d?)?)/", fact.source)
    assert path, fact.source
    return path[1]


def _near(model: Sku) -> str:
    """Return how near the law is to the table of a model."""
    gbps, cable_m, kept = _rows(model)
    if model.asic_facts.law == "spectrum":
        found = _inferred(model)
        return f"{model.name} {found.exact} of {int(found.counted.sum())} rows exact"
    fast = gbps >= TABLE_ROW_GBPS
    if all(len(set(kept[gbps == speed].tolist())) == 1 for speed in set(gbps[fast].tolist())):
        return f"{model.name} flat, {kept[fast][0]:,}"
    link = Link.of(gbps[fast], cable_m[fast], TABLE_FRAME_BYTES, TABLE_FRAME_BYTES)
    off = (headroom(model.asic_facts, link).headroom_bytes / kept[fast] - 1) * 100
    return f"{model.name} {off.min():+.0f} to {off.max():+.0f} %"


def _rows(model: Sku) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return speeds, lengths and headroom of the table of a model."""
    keys = np.array(list(model.headroom), dtype=float)
    kept = np.array([row.headroom_bytes for row in model.headroom.values()])
    return keys[:, 0] / gbps_to_mbps(1), keys[:, 1], kept


def _inferred(model: Sku):
    family = model.asic_facts
    known = spectrum_settings(family, model.gearbox_ns)
    older = replace(known, peer_response_bytes=family.number("peer_response_bytes"))
    return infer(*_rows(model), older)


@figures.add("assumptions")
def assumptions() -> str:
    """Return what the tables of NVIDIA were made for."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for model in map(sku, sku_names()):
        if model.asic_facts.law != "spectrum" or not model.headroom:
            continue
        known = _inferred(model).assumptions
        response = known.settings.peer_response_bytes
        quanta = "IEEE 802.3" + ("; at 800G twice its quanta" if known.settings.late_800g else "")
        found = (
            f"{known.port_mtu_bytes:,} and {known.lossless_mtu_bytes:,}",
            f"{known.settings.small_packet_percent:g} %",
            f"{known.settings.small_frame_factor():g}",
            f"{response:,.0f} bytes at every speed" if response else quanta,
        )
        alike.setdefault(found, []).append(model.name)
    rows = [(", ".join(names), *found) for found, names in alike.items()]
    heads = "models | port and lossless frame, bytes | smallest frames | factor | response"
    return table(heads, rows)


@figures.add("lengths")
def lengths() -> str:
    """Return the headroom of a 400G port by length and family."""
    families = ("spectrum-4", "tomahawk-5", "jericho-2c-plus")
    rows = []
    for cable_m in (5, 40, 300, 2_000, 10_000):
        link = Link.of(400, cable_m, 9100, 9022)
        made = [headroom(asic(name), link).headroom_bytes for name in families]
        wire = float(plain_bytes(400, cable_m, 9100, 9022))
        rows.append((f"{cable_m:,} m", size(wire), *(size(int(value)) for value in made)))
    return table(f"400G | wire, with response | {' | '.join(families)}", rows)


@figures.add("nic")
def nic() -> str:
    """Return the sum of the NIC of the example."""
    port = ends()[0][1]
    design = next(n for n in project().hosts[port.peer].nics if n.leaf_port == port.name)
    mbps, mtu = gbps_to_mbps(design.speed_gbps), design.mtu_bytes
    need = int(nic_headroom_bytes(mbps, design.cable_m, mtu))
    frames = int(nic_headroom_bytes(mbps, 0, mtu)) - int(nic_headroom_bytes(mbps, 0, 1)) + 2
    rows = [
        ("time and cable", f"(301 + 216 x {design.cable_m} / 100) x {mbps:,} / 1000"),
        ("frames", f"272 x {mtu:,} / 100 = {frames:,}"),
        ("**headroom**", f"**{need:,}**"),
        ("XOFF threshold", f"buffer size - {need:,}"),
        ("XON threshold", f"XOFF threshold - {mtu:,}"),
        ("minimum buffer", f"{need + mtu:,} and a cell, otherwise the driver rejects it"),
    ]
    title = f"{port.peer} {design.interface}, {design.speed_gbps}G, {design.cable_m} m, MTU {mtu:,}"
    return table(f"{title} | bytes", rows)


@figures.add("buffer")
def buffer() -> str:
    """Return the account of the leaf."""
    profiles = [port.headroom for port in leaf().ports if port.headroom]
    model = leaf().sku
    account = budget(
        [profile.row.size_bytes - profile.row.headroom_bytes for profile in profiles],
        [profile.row.headroom_bytes for profile in profiles],
        model.packet_buffer_bytes or 0,
        shared_bytes=pool_bytes(),
    )
    host, uplink = (profile.row.headroom_bytes for _, _, profile in ends())
    hosts = sum(profile.cable_m == ends()[0][2].cable_m for profile in profiles)
    how = f"{hosts} x {host:,} + {account.groups - hosts} x {uplink:,}"
    own = account.guaranteed_bytes // account.groups
    rows = [
        ("guaranteed", f"{account.groups} x {own:,}", size(account.guaranteed_bytes)),
        ("headroom", how, size(account.headroom_bytes)),
        ("shared pool, ingress, lossless", model.name, size(account.shared_bytes)),
        ("**sum**", "", size(account.need_bytes)),
        ("packet buffer", model.asic, size(account.buffer_bytes)),
        ("left for all else", "", size(account.buffer_bytes - account.need_bytes)),
    ]
    return table(f"{LEAF}, bytes | how | ", rows)


@figures.add("shared-headroom")
def shared_headroom() -> str:
    """Return the shared headroom pools of the models that have one."""
    rows = []
    for model in map(sku, sku_names()):
        pool = model.pools.shared_headroom_bytes if model.pools else 0
        if not pool or not model.headroom:
            continue
        fastest = max(speed for speed, cable_m in model.headroom if cable_m == 40)
        row = model.headroom[fastest, 40].headroom_bytes
        count = model.port_count * max(model.speeds_gbps) // (fastest // gbps_to_mbps(1))
        ratio = budget([], [row] * count, pool).headroom_bytes / pool
        if ratio <= 1:
            continue
        ports = f"{count} x {fastest // gbps_to_mbps(1)}G"
        rows.append((model.name, size(pool), ports, size(row), f"{ratio:.1f}", pool // row))
    heads = "model | shared headroom | ports, 40 m | headroom of each | oversubscription | at once"
    return table(heads, rows)


@figures.add("computed")
def computed() -> str:
    """Return what the leaf takes where it computes its buffer, each group alone and all sharing."""
    pools = [_computed(""), _computed(", headroom_over_subscription: 2")]
    names = dict.fromkeys(part.name for pool in pools for part in pool.parts)
    sums = [{part.name: part.amount_bytes for part in pool.parts} for pool in pools]
    rows = [(name, *(size(one[name]) if name in one else "-" for one in sums)) for name in names]
    rows.append(("left, for two pools", *(size(pool.left_bytes) for pool in pools)))
    rows.append(("**pool for lossless traffic**", *(size(pool.pool_bytes) for pool in pools)))
    return table(f"{LEAF}, bytes | each its own headroom | headroom_over_subscription 2", rows)


def _computed(shares: str) -> ComputedPool:
    model = leaf().sku.name
    with TemporaryDirectory() as folder:
        changes = {f"sku: {model}": f"sku: {model}, buffer_model: dynamic{shares}"}
        pool = computed_buffer(variant(Path(folder) / "i", INVENTORY.name, changes)[LEAF])
    assert pool
    return pool


@figures.add("alpha")
def alpha_table() -> str:
    """Return the share of the pool at which each of n users pauses."""
    rows = [
        (
            threshold,
            f"{alpha(threshold):.4g}",
            *(f"{pause_threshold_bytes(threshold, 100.0, users):.3g} %" for users in (1, 2, 16)),
        )
        for threshold in (-3, 0, 3, 7)
    ]
    return table("`dynamic_th` | alpha | n = 1 | n = 2 | n = 16", rows)


@figures.add("thresholds")
def thresholds() -> str:
    """Return the thresholds of the example for one, two and sixteen congested groups."""
    threshold, pool = ends()[0][2].dynamic_th, pool_bytes()
    rows = []
    for users in (1, 2, 16):
        each = pause_threshold_bytes(threshold, pool, users)
        how = f"{pool:,} x {alpha(threshold):g} / (1 + {users} x {alpha(threshold):g})"
        rows.append((users, how, size(each), size(users * each)))
    return table("congested groups n | how | each pauses at | all n together", rows)
