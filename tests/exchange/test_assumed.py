"""Each value that is not of the source has a comment that says why; the others have none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import yaml

from fabric.core.findings import Severity
from fabric.exchange.yaml_text import dump
from fabric.intent.yaml.file import assumed_places
from fabric.workflow.check import check
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.exchange.plants import of_example, put, written
from tests.exchange.test_inventory import fabric, files

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.plant import Plant

MODELS = ("leaf=ACS-MSN4700", "spine=ACS-MSN4700", "super-spine=ACS-MSN4700")


def remarks(text: str) -> dict[str, str]:
    """Return the comments of a file by what stands before each."""
    rows = [line.partition(" # assumed: ") for line in text.splitlines()]
    return {value.strip(): why for value, _, why in rows if why}


def bring(form: str, built: Plant, folder: Path, **request: object) -> str:
    """Import what a form knows of a plant; return ``fabric.yaml``."""
    source = written(built, form, folder / "source")
    reported = Request(models=MODELS, **request)
    _, notes = import_inventory(form, str(source), folder / "out", reported, lambda *_: None)
    text = (folder / "out" / "fabric.yaml").read_text()
    [note] = [note for note in notes if note.rule == "EXC015"]
    assert note.message.startswith(f"{len(remarks(text))} values")
    assert note.position == next(assumed_places(text, f"{folder}/out/fabric.yaml"))
    return text


def test_a_list_of_cables_without_figures(tmp_path: Path) -> None:
    built = of_example("three-tier").without({"cable.speed_gbps", "cable.cable_m"})
    result = remarks(bring("csv", built, tmp_path, hosts="gpu[01-16]"))
    default = "a rocefab default"
    assert {key: why for key, why in result.items() if key.split("_")[-1][:2] in {"gb", "m:"}} == {
        "host_gbps: 400": f"no speeds read from the source; {default}",
        "uplink_gbps: 400": f"no speeds read from the source; {default}",
        "core_gbps: 400": f"no speeds read from the source; {default}",
        "host_m: 5": f"no lengths read from the source; {default}",
        "uplink_m: 40": f"no lengths read from the source; {default}",
        "core_m: 40": f"no lengths read from the source; {default}",
    }
    assert result["gpus: 8"] == f"no GPU count in the source; {default}"
    assert result["hosts: 10.64.0.0/10"] == f"no address pools in the source; {default}"
    assert result["rdma_devices: mlx5_[0-3]"] == "no RDMA devices in the source; numbered in order"
    assert "sku: ACS-MSN4700" not in result
    assert result["- {name: unit1, hosts: 'gpu[01-04]', pod: pod1}"] == (
        "the names unit1 and pod1; membership is derived from the cables"
    )


def test_what_the_source_says_has_no_comment(tmp_path: Path) -> None:
    """Lengths, speeds, models, names and units of the source; GPUs as the user says."""
    base = example("three-tier")
    text = bring("json", of_example("three-tier"), tmp_path, base=base, gpus=4)
    result = remarks(text)
    pools = tuple(yaml.safe_load(text)["addressing"])
    others = {why for key, why in result.items() if not key.startswith(pools)}
    assert others == {f"not in the source; from the base {base}"}
    assert result["hosts: 10.64.0.0/16"] == f"no address pools in the source; from the base {base}"
    assert {key.partition(":")[0] for key in result} == {
        *(key for key in pools if key not in {"host_prefix_length", "core_links_per_spine"}),
        *("down_ports", "leaf_asn_first", "pod_asn_first", "super_spine_asn"),
        "management_rdma_device",
    }


def test_some_cables_without_a_length() -> None:
    built = fabric()
    cables = (replace(built.cables[0], cable_m=None), *built.cables[1:])
    result = remarks(files(replace(built, cables=cables))["fabric.yaml"])
    assert (
        result["host_m: 3"]
        == "no length read from the source for 1 of 4 cables; the most common value"
    )
    assert "uplink_m: 30" not in result
    uplinks = (*built.cables[:-1], replace(built.cables[-1], cable_m=None))
    result = remarks(files(replace(built, cables=uplinks))["fabric.yaml"])
    assert result["uplink_m: 40"] == (
        "no lengths of such cables read from the source; a rocefab default"
    )
    assert "host_m: 3" not in result


@pytest.mark.parametrize("base", [{"host": {}}, {}])
def test_defaults_are_written(base: dict[str, object]) -> None:
    """What the schema would add for a base that does not say it stands there, with its comment."""
    built = fabric().without({"cable.cable_m"})
    result = remarks(files(built, base=base)["fabric.yaml"])
    assert result["gpus: 8"] == "no GPU count in the source; a rocefab default"
    assert result["uplink_m: 40"] == "no lengths read from the source; a rocefab default"


def test_a_table_without_cables(tmp_path: Path) -> None:
    source = put(tmp_path, {"t.csv": "ip,DSW,PSW,ASW\na,G6,P8,S1\nb,G6,P8,S2\nc,G6,P10,S1\n"})
    reported = Request(models=MODELS, rails=2, gpus=8)
    import_inventory("lingjun", str(source), tmp_path / "out", reported, lambda *_: None)
    result = remarks((tmp_path / "out" / "fabric.yaml").read_text())
    assert result["design: classic-tor"] == "no cables in the source"
    assert result["uplink_m: 40"] == "no cables in the source; a rocefab default"
    assert result["- {name: G6-P8-S1, hosts: host1, pod: G6-P8}"].startswith("generated host names")
    assert not any(key.startswith(("gpus", "rails", "sku", "down_ports")) for key in result)


def test_check_counts_them_until_they_are_confirmed(tmp_path: Path) -> None:
    text = bring("csv", of_example("three-tier"), tmp_path, hosts="gpu[01-16]")
    first = f"{tmp_path}/out/fabric.yaml:2:11"
    said = run("check", tmp_path / "out").said
    count = len(remarks(text))
    assert f"{first}: fabric: {count} values were assumed by an import; confirm" in said
    confirmed = "\n".join(line.partition(" # assumed:")[0] for line in text.splitlines())
    (tmp_path / "out" / "fabric.yaml").write_text(f"{confirmed}\n")
    result = check(Project(tmp_path / "out"))
    assert [finding for finding in result.findings if finding.rule == "TOP027"] == []
    assert result.at_least(Severity.ERROR) == ()


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a: 1 # assumed: x\nb:\r\n  c: 2\t# assumed: y\n# assumed: z", [(1, 6), (3, 8), (4, 1)]),
        ("a: x# assumed: y\nb: 1 # Assumed: x\nc: 1 # not assumed: x\n", []),
    ],
)
def test_places_of_comments(text: str, places: list[tuple[int, int]]) -> None:
    assert [(it.line, it.column) for it in assumed_places(text, "f")] == places


def test_comments_change_no_value() -> None:
    tree = {
        "a": "x # y",
        "b": {"c": {"d": "off", "e": [1, "a: b"]}, "f": {}},
        "g": [{"h": "1e3", "i": {"j": 1}}, {"h": "k" * 200}],
        "l": "m",
    }
    paths = {("a",): "1", ("b", "c", "d"): "2", ("b", "c", "e"): "3", ("b", "f"): "4",
             ("g", 0): "5", ("g", 1): "6"}  # fmt: skip
    text = dump(tree, paths)
    assert yaml.safe_load(text) == tree
    assert sorted(remarks(text).values()) == sorted(paths.values())
