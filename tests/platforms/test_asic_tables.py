"""Facts that were deduced from vendors' tables, held against the tables of the models we ship.

With the law of the family, headroom = packing x (2 x frame + response x C / 8 + cable) for XGS.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

from fabric.platforms.asic import Asic
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.catalogue import sku
from tests.reference import reference

#: Models whose tables the deduced facts of their family name as the source.
XGS = (
    "DellEMC-S5232f-C32",
    "DellEMC-Z9264f-C64",
    "DellEMC-Z9332f-O32",
    "DellEMC-Z9664f-O64",
    "Dell-Z9864f-O64",
    "NH-4210-F-P128",
)
#: Tables from which the intercepts of the linear families were computed, as in the fixture.
LINEAR = {"teralynx-7": "wistron_6512_32r", "teralynx-10": "d64p512t_64x800G-2x10G_lab"}


def bytes_per_ns(speed_gbps: int) -> float:
    return speed_gbps / 8


def rows_of(name: str, least_gbps: int = 100) -> list[tuple[int, int, int]]:
    """Return Gb/s, metres and bytes of the rows at 100G and more."""
    return [
        (speed // 1000, cable, row.headroom_bytes)
        for (speed, cable), row in sku(name).headroom.items()
        if speed >= least_gbps * 1000
    ]


def value(family: Asic, name: str) -> float:
    found = family.number(name)
    assert found is not None, name
    return found


def xgs_bytes(family: Asic, speed_gbps: int, cable_m: int, response_ns: float) -> float:
    wait_ns = response_ns + 2 * value(family, "delay_ns_per_m") * cable_m
    wire = 2 * value(family, "frame_bytes") + wait_ns * bytes_per_ns(speed_gbps)
    return value(family, "packing_factor") * wire


@pytest.mark.parametrize("name", XGS)
def test_slope_is_that_of_the_table(name: str) -> None:
    """Within 1 % at each speed, by least squares over the lengths."""
    family = sku(name).asic_facts
    for speed in sorted({speed for speed, _, _ in rows_of(name)}):
        lengths, sizes = zip(*[row[1:] for row in rows_of(name) if row[0] == speed], strict=True)
        slope = np.polyfit(lengths, sizes, 1)[0]
        packing, delay = value(family, "packing_factor"), value(family, "delay_ns_per_m")
        assert slope == pytest.approx(packing * 2 * delay * bytes_per_ns(speed), rel=0.01)


@pytest.mark.parametrize("name", XGS)
def test_response_gives_the_table_back(name: str) -> None:
    """Within 6 % from 100G up."""
    family = sku(name).asic_facts
    for speed, cable, size in rows_of(name):
        found = xgs_bytes(family, speed, cable, value(family, "response_ns"))
        assert found == pytest.approx(size, rel=0.06)


@pytest.mark.parametrize("name", XGS)
def test_safe_response_stays_above_the_table(name: str) -> None:
    family = sku(name).asic_facts
    for speed, cable, size in rows_of(name):
        assert xgs_bytes(family, speed, cable, value(family, "safe_response_ns")) >= size


@pytest.mark.parametrize("name", XGS)
def test_tables_are_in_whole_cells(name: str) -> None:
    """Nearly all: single rows of the vendor's table are not."""
    cell = sku(name).asic_facts.integer("cell_bytes")
    assert cell is not None
    rows = rows_of(name, 10)
    whole = [size % cell == 0 for _, _, size in rows]
    assert sum(whole) >= 0.9 * len(rows)


def fixture_rows(name: str) -> list[tuple[int, int, int]]:
    with reference("fixtures", "headroom", "pg_profile_lookup.csv").open(
        encoding="utf-8"
    ) as stream:
        return [
            (int(row["speed_mbps"]) // 1000, int(row["cable"]), int(row["xoff"]))
            for row in csv.DictReader(stream)
            if row["hwsku"] == name and int(row["speed_mbps"]) >= 100_000
        ]


@pytest.mark.parametrize("name", LINEAR)
def test_intercepts_give_the_table_back(name: str) -> None:
    """Within 2 % of every row of 100G and more."""
    family = asic(name)
    rows = fixture_rows(LINEAR[name])
    assert rows
    for speed, cable, size in rows:
        wire = 2 * value(family, "delay_ns_per_m") * cable * bytes_per_ns(speed)
        found = value(family, "packing_factor") * wire
        assert found + value(family, f"intercept_bytes_{speed}g") == pytest.approx(size, rel=0.02)


def test_safe_response_of_tomahawk_5_holds_for_arista_too() -> None:
    """Its tables follow the length; the 100G rows are those of 400G, and count as such."""
    family = asic("tomahawk-5")
    rows = [row for row in fixture_rows("Arista-7060X6-64PE-P32O64") if row[0] > 100]
    assert rows
    for speed, cable, size in rows:
        assert xgs_bytes(family, speed, cable, value(family, "safe_response_ns")) >= size
