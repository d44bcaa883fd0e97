"""What the models of two SONiC releases say differently about what rocefab writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.platforms import platforms
from fabric.render import render_device
from fabric.systems.sonic.yang import Schema, convert, load_schema
from fabric.systems.sonic.yang_syntax import Statement
from tests.judges.test_sonic_yang import VARIANTS, Judge
from tests.render.designs import design, variant

OLD, NEW = "202405", "master"
RESTRICTIONS = ("range", "length", "pattern", "enum", "mandatory")
#: Leaves that rocefab writes and that the releases restrict differently. In all but one of them
#: master takes more than 202405; the poll interval of the watchdog is why the inventory can say
#: which release runs.
DIFFERENT = {
    "DEVICE_METADATA.type",
    "PFC_WD.POLL_INTERVAL",
    "PORT.speed",
    "PORT_QOS_MAP.pfc_enable",
    "PORT_QOS_MAP.pfcwd_sw_enable",
    "TC_TO_QUEUE_MAP.qindex",
}


@pytest.fixture(scope="module")
def folder(reference: Path) -> Path:
    """Return the folder of the SONiC models."""
    return reference / "schemas" / "sonic-yang"


def written(tmp_path: Path) -> dict[str, set[str]]:
    """Return table -> fields of everything that the variants write."""
    found: dict[str, set[str]] = {"TC_TO_QUEUE_MAP": {"qindex"}}
    for number, changes in enumerate(VARIANTS.values()):
        made = variant(tmp_path / str(number), "demo", changes)["su1-rail0"]
        for table, rows in json.loads(render_device(made)[0].content).items():
            found.setdefault(table, set()).update(*rows.values())
    return found


def restrictions(statement: Statement) -> dict[str, Any]:
    """Return what is said of the leaves below a table, by their names."""
    found: dict[str, Any] = {}
    for child in statement.children:
        if child.keyword in {"leaf", "leaf-list"}:
            found[child.argument] = sorted(own(child))
        else:
            found.update(restrictions(child))
    return found


def own(statement: Statement) -> list[tuple[str, str]]:
    inner = [pair for child in statement.all("type") for pair in own(child)]
    return [(c.keyword, c.argument) for c in statement.all(*RESTRICTIONS)] + inner


def test_where_the_models_differ(folder: Path, tmp_path: Path) -> None:
    """One leaf takes less in master, the others more: one rendering serves both releases."""
    schemas: list[Schema] = [load_schema(folder / branch) for branch in (OLD, NEW)]
    different = set()
    for table, fields in written(tmp_path).items():
        old, new = (restrictions(schema.tables[table]) for schema in schemas)
        different |= {f"{table}.{name}" for name in fields if old.get(name) != new.get(name)}
    assert different == DIFFERENT


@pytest.mark.parametrize(("branch", "accepted"), [(OLD, True), (NEW, False)])
def test_the_range_of_the_release(
    yanglint: str, folder: Path, tmp_path: Path, branch: str, *, accepted: bool
) -> None:
    """Libyang takes a slow poll exactly where the platform says that it may."""
    release = "202405" if branch == OLD else ""
    low, high = platforms["sonic"].watchdog_range_ms(release)["poll"]
    assert (low <= 1001 <= high) is accepted
    config = json.loads(render_device(design("demo", "su1-rail0"))[0].content)
    config["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "1001"
    for name, row in config["PFC_WD"].items():
        row.update({} if name == "GLOBAL" else dict.fromkeys(row.keys() - {"action"}, "1001"))
    judge = Judge(yanglint, folder, branch)
    status, complaint = judge.verdict(tmp_path, convert(config, judge.schema))
    assert (status == 0) is accepted, complaint
