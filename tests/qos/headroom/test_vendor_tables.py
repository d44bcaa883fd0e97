"""The laws against the tables that vendors ship: how near, row by row.

`pytest -s` prints the figures of each family. Tables come from sonic-net/sonic-buildimage; tables
that ignore the cable length, or that copy the row of another speed, follow no law and are named.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from fabric.platforms.asic_catalogue import asic
from fabric.qos.headroom.deduced import TABLE_FRAME_BYTES, XgsSettings, xgs
from fabric.qos.headroom.infer import infer
from fabric.qos.headroom.laws import PortTraits, headroom, laws, spectrum_settings
from fabric.qos.headroom.spectrum import spectrum
from fabric.qos.headroom.terms import Link
from fabric.qos.headroom.verdict import HeadroomVerdict, judge
from tests.reference import SHARED

TABLES = SHARED / "fixtures" / "headroom" / "pg_profile_lookup.csv"
pytestmark = pytest.mark.skipif(
    not TABLES.is_file(), reason=f"no vendor tables in {SHARED}; set ROCEFAB_REFERENCE to them"
)

#: Names of the families in the tables.
FAMILY = {
    "spectrum": "spectrum-1",
    "th2": "tomahawk-2",
    "th4": "tomahawk-4",
    "th5": "tomahawk-5",
    "th6": "tomahawk-6",
    "td3": "trident-3",
    "teralynx10": "teralynx-10",
    "teralynx7": "teralynx-7",
    "jr2": "jericho-2",
    "jr2cplus": "jericho-2c-plus",
}
GEARBOX_NS = 400.0  # SN3800: platform/mellanox/peripheral_table.j2
#: Part of a SKU's name -> (exact rows, rows up to 1000 m); the other rows are told below.
SPECTRUM = {
    "ACS-MSN2700": (15, 15),
    "Mellanox-SN2700": (15, 15),
    "ACS-MSN3420": (18, 18),
    "Mellanox-SN3800": (15, 15),
    "ACS-SN4280": (21, 21),
    "Mellanox-SN4700-C128": (21, 21),
    "Mellanox-SN4700-O32": (21, 21),
    "ACS-SN5400": (24, 24),
    "Mellanox-SN5640": (42, 42),
    # 250 and 1000 m are 8,192 to 9,216 bytes too small in the table itself
    "Mellanox-SN5610N-C224O8": (16, 32),
    "ACS-SN6600": (14, 14),
}
#: Tables of Broadcom XGS that follow the length, and the slowest speed that they do at.
XGS = {
    ("th4", "DellEMC-Z9664f"): (25, 2030),
    ("th5", "M2-W6940"): (100, 2120),
    ("th6", "NH-4210"): (50, 2200),
}
#: Tables of Broadcom XGS whose response is longer: only the safe one stays above them.
XGS_SAFE_ONLY = {("td3", "DellEMC-S5232f"): 100, ("th2", "DellEMC-Z9264f"): 100}


@dataclass(frozen=True)
class Table:
    """One distinct table: all SKUs that have it, and its rows as arrays."""

    family: str
    skus: tuple[str, ...]
    speed_gbps: np.ndarray
    cable_m: np.ndarray
    headroom_bytes: np.ndarray

    def part(self, rows: np.ndarray) -> Table:
        return replace(
            self,
            speed_gbps=self.speed_gbps[rows],
            cable_m=self.cable_m[rows],
            headroom_bytes=self.headroom_bytes[rows],
        )


@cache
def _tables() -> tuple[Table, ...]:
    rows: dict[tuple[str, ...], list[tuple[float, float, int]]] = defaultdict(list)
    with TABLES.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["asic"], row["platform"], row["hwsku"], row["variant"])
            rows[key].append((int(row["speed_mbps"]) / 1000, float(row["cable"]), int(row["xoff"])))
    distinct: dict[tuple, list[str]] = defaultdict(list)
    for (family, _, name, _), content in rows.items():
        distinct[family, tuple(sorted(content))].append(name)
    return tuple(
        Table(
            family,
            tuple(sorted(set(names))),
            *(np.array(column) for column in zip(*content, strict=True)),
        )
        for (family, content), names in distinct.items()
    )


def _table(family: str, name: str) -> Table:
    for table in _tables():
        if table.family == family and any(sku.startswith(name) for sku in table.skus):
            return table
    raise LookupError(name)


def _spectrum_table(name: str) -> Table:
    families = sorted({table.family for table in _tables() if table.family.startswith("spectrum")})
    for family in families:
        for table in _tables():
            if table.family == family and any(sku.startswith(name) for sku in table.skus):
                return table
    raise LookupError(name)


@pytest.mark.parametrize("name", SPECTRUM)
def test_nvidia_row_by_row(name: str) -> None:
    table = _spectrum_table(name)
    family = asic(FAMILY.get(table.family, table.family))
    figures = replace(
        spectrum_settings(family, GEARBOX_NS if "3800" in name else 0.0),
        peer_response_bytes=family.number("peer_response_bytes"),
    )
    result = infer(table.speed_gbps, table.cable_m, table.headroom_bytes, figures)
    residuals = sorted(set(result.residual_bytes[result.counted].tolist()) - {0})
    known = result.assumptions
    print(
        f"\n{name} ({family.title}): {result.exact} of {result.counted.sum()} rows exact, "
        f"residuals {residuals}; made for frames of {known.port_mtu_bytes} and "
        f"{known.lossless_mtu_bytes}, {known.settings.small_packet_percent} % small packets, "
        f"response {known.settings.peer_response_bytes or 'of IEEE 802.3'}"
    )
    assert (result.exact, int(result.counted.sum())) == SPECTRUM[name]


@pytest.mark.parametrize("name", ["ACS-SN4280", "ACS-MSN3420", "ACS-SN5400"])
def test_nvidia_sizes_with_the_lanes_of_the_port(name: str) -> None:
    """400G of Spectrum-3 has eight lanes: twice the pipeline and a frame, never below the row.

    Some rows lie one or two steps below today's script.
    """
    with TABLES.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["hwsku"] == name]
    family = asic(FAMILY.get(rows[0]["asic"], rows[0]["asic"]))
    figures = replace(
        spectrum_settings(family), peer_response_bytes=family.number("peer_response_bytes")
    )
    columns = ("speed_mbps", "cable", "xoff", "size", "xon")
    mbps, cable_m, have, size, xon = (np.array([int(r[name]) for r in rows]) for name in columns)
    known = infer(mbps / 1000, cable_m.astype(float), have, figures).assumptions
    frames = (known.port_mtu_bytes, known.lossless_mtu_bytes)
    lanes = np.where(xon > figures.pipeline_bytes, 8, 4)
    off = [
        int(spectrum(Link.of(*at, *frames), known.settings, lanes=count).size_bytes) - want
        for *at, count, want in zip(
            mbps / 1000, cable_m, lanes.tolist(), size.tolist(), strict=True
        )
    ]
    print(f"\n{name}: size {sorted(set(off))} bytes above the row")
    assert {*off} <= {0, 1024, 2048}
    assert off.count(0) >= len(off) // 2


@pytest.mark.parametrize(("family", "name"), XGS)
def test_broadcom_slope_and_value(family: str, name: str) -> None:
    """Slope within 1 percent, value within 6 with the response that the tables were made for."""
    slowest, response_ns = XGS[family, name]
    table = _table(family, name)
    table = table.part((table.speed_gbps >= slowest) & (table.cable_m <= 300))
    cell = asic(FAMILY[family]).integer("cell_bytes")
    assert cell
    link = Link.of(table.speed_gbps, table.cable_m, TABLE_FRAME_BYTES, TABLE_FRAME_BYTES)
    built = xgs(link, XgsSettings(cell, response_ns)).headroom_bytes
    off = (built / table.headroom_bytes - 1) * 100
    print(f"\n{name}: value {off.min():+.1f} to {off.max():+.1f} % at {response_ns} ns")
    assert np.abs(off).max() < 6
    for speed in sorted(set(table.speed_gbps[table.speed_gbps >= 100])):
        rows = table.speed_gbps == speed
        ours, theirs = (
            np.polyfit(table.cable_m[rows], column[rows], 1)[0]
            for column in (built, table.headroom_bytes)
        )
        print(f"  {speed:g}G: slope {ours:.1f} against {theirs:.1f} bytes a metre")
        assert ours == pytest.approx(theirs, rel=0.01)


@pytest.mark.parametrize(
    ("family", "name", "slowest"),
    [(*key, max(value[0], 50)) for key, value in XGS.items()]
    + [(*key, value) for key, value in XGS_SAFE_ONLY.items()],
)
def test_broadcom_is_never_below_a_row(family: str, name: str, slowest: int) -> None:
    """With the safe response and the figures of the family as they are shipped."""
    table = _table(family, name)
    table = table.part(table.speed_gbps >= slowest)
    link = Link.of(table.speed_gbps, table.cable_m, TABLE_FRAME_BYTES, TABLE_FRAME_BYTES)
    built = headroom(asic(FAMILY[family]), link).headroom_bytes
    print(f"\n{name}: {((built / table.headroom_bytes).min() - 1) * 100:+.1f} % at the nearest row")
    assert (built >= table.headroom_bytes).all()


@pytest.mark.parametrize(
    ("family", "name", "within_bytes", "shortest_m"),
    [
        ("teralynx10", "d64p512t", 1100, 0),
        ("teralynx7", "Supermicro_sse_t7132s", 1100, 0),
        ("jr2", "Arista-7800R3-48CQ2-C48", 4096, 300),
        ("jr2cplus", "Nokia-IXR7250-X3B", 4096, 0),
    ],
)
def test_straight_lines(family: str, name: str, within_bytes: int, shortest_m: int) -> None:
    """Marvell and Broadcom DNX: the rows of 100G and more, to a cell or 0.2 percent."""
    table = _table(family, name)
    table = table.part((table.speed_gbps >= 100) & (table.cable_m >= shortest_m))
    link = Link.of(table.speed_gbps, table.cable_m, 9216, 9216)
    known = asic(FAMILY[family])
    line = laws[known.law](known, link, PortTraits())  # not lifted to the sum of IEEE 802.3
    off = line.headroom_bytes - table.headroom_bytes
    percent = off / table.headroom_bytes * 100
    print(f"\n{name}: {off.min():+d} to {off.max():+d} bytes, at most {abs(percent).max():.2f} %")
    assert ((np.abs(off) <= within_bytes) | (np.abs(percent) <= 0.2)).all()


def test_no_vendor_row_at_or_above_the_plain_figure_is_an_error() -> None:
    """And the rows that are errors are those below what no peer can avoid."""
    counts = {4096: 0, 9216: 0}
    plain = laws["plain"]
    rows = {
        (table.family, speed, cable, have)
        for table in _tables()
        for speed, cable, have in zip(
            table.speed_gbps.tolist(),
            table.cable_m.tolist(),
            table.headroom_bytes.tolist(),
            strict=True,
        )
    }
    for lossless in counts:
        for family, speed, cable, have in rows:
            link = Link.of(speed, cable, 9216, lossless)
            verdict = judge(have, link).verdict
            counts[lossless] += verdict == HeadroomVerdict.BELOW_FLOOR
            if have >= plain(asic(FAMILY.get(family, "spectrum-1")), link, None).headroom_bytes:
                assert verdict >= HeadroomVerdict.LARGE_FRAMES
    print(f"\n{len(rows)} distinct rows; below the floor: {counts}")
    assert counts == {4096: 24, 9216: 70}
