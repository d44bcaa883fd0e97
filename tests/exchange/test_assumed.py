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


def bring(form: str, made: Plant, folder: Path, **request: object) -> str:
    """Import what a form knows of a plant; return ``fabric.yaml``."""
    source = written(made, form, folder / "source")
    told = Request(models=MODELS, **request)
    _, notes = import_inventory(form, str(source), folder / "out", told, lambda *_: None)
    text = (folder / "out" / "fabric.yaml").read_text()
    [note] = [note for note in notes if note.rule == "EXC015"]
    assert note.message.startswith(f"{len(remarks(text))} values")
    assert note.position == next(assumed_places(text, f"{folder}/out/fabric.yaml"))
    return text


def test_a_list_of_cables_without_figures(tmp_path: Path) -> None:
    made = of_example("three-tier").without({"cable.speed_gbps", "cable.cable_m"})
    found = remarks(bring("csv", made, tmp_path, hosts="gpu[01-16]"))
    default = "a rocefab default"
    assert {key: why for key, why in found.items() if key.split("_")[-1][:2] in {"gb", "m:"}} == {
        "host_gbps: 400": f"no speeds in the source; {default}",
        "uplink_gbps: 400": f"no speeds in the source; {default}",
        "core_gbps: 400": f"no speeds in the source; {default}",
        "host_m: 5": f"no lengths in the source; {default}",
        "uplink_m: 40": f"no lengths in the source; {default}",
        "core_m: 40": f"no lengths in the source; {default}",
    }
    assert found["gpus: 8"] == f"no GPU count in the source; {default}"
    assert found["hosts: 10.64.0.0/10"] == f"no address pools in the source; {default}"
    assert found["rdma_devices: mlx5_[0-3]"] == "no RDMA devices in the source; numbered in order"
    assert "sku: ACS-MSN4700" not in found
    assert found["- {name: unit1, hosts: 'gpu[01-04]', pod: pod1}"] == (
        "the names unit1 and pod1; membership is derived from the cables"
    )


def test_what_the_source_says_has_no_comment(tmp_path: Path) -> None:
    """Lengths, speeds, models, names and units of the source; GPUs as the user says."""
    base = example("three-tier")
    text = bring("json", of_example("three-tier"), tmp_path, base=base, gpus=4)
    found = remarks(text)
    pools = tuple(yaml.safe_load(text)["addressing"])
    others = {why for key, why in found.items() if not key.startswith(pools)}
    assert others == {f"not in the source; from the base {base}"}
    assert found["hosts: 10.64.0.0/16"] == f"no address pools in the source; from the base {base}"
    assert {key.partition(":")[0] for key in found} == {
        *pools,
        *("down_ports", "leaf_asn_first", "pod_asn_first", "super_spine_asn"),
        "management_rdma_device",
    }


def test_some_cables_without_a_length() -> None:
    made = fabric()
    cables = (replace(made.cables[0], cable_m=None), *made.cables[1:])
    found = remarks(files(replace(made, cables=cables))["fabric.yaml"])
    assert found["host_m: 3"] == "no length in the source for 1 of 4 cables; the most common value"
    assert "uplink_m: 30" not in found
    uplinks = (*made.cables[:-1], replace(made.cables[-1], cable_m=None))
    found = remarks(files(replace(made, cables=uplinks))["fabric.yaml"])
    assert found["uplink_m: 40"] == ("no lengths of such cables in the source; a rocefab default")
    assert "host_m: 3" not in found


@pytest.mark.parametrize("base", [{"host": {}}, {}])
def test_defaults_are_written(base: dict[str, object]) -> None:
    """What the schema would add for a base that does not say it stands there, with its comment."""
    made = fabric().without({"cable.cable_m"})
    found = remarks(files(made, base=base)["fabric.yaml"])
    assert found["gpus: 8"] == "no GPU count in the source; a rocefab default"
    assert found["uplink_m: 40"] == "no lengths in the source; a rocefab default"


def test_a_table_without_cables(tmp_path: Path) -> None:
    source = put(tmp_path, {"t.csv": "ip,DSW,PSW,ASW\na,G6,P8,S1\nb,G6,P8,S2\nc,G6,P10,S1\n"})
    told = Request(models=MODELS, rails=2, gpus=8)
    import_inventory("lingjun", str(source), tmp_path / "out", told, lambda *_: None)
    found = remarks((tmp_path / "out" / "fabric.yaml").read_text())
    assert found["design: classic-tor"] == "no cables in the source"
    assert found["uplink_m: 40"] == "no cables in the source; a rocefab default"
    assert found["- {name: G6-P8-S1, hosts: host1, pod: G6-P8}"].startswith("generated host names")
    assert not any(key.startswith(("gpus", "rails", "sku", "down_ports")) for key in found)


def test_check_counts_them_until_they_are_confirmed(tmp_path: Path) -> None:
    text = bring("csv", of_example("three-tier"), tmp_path, hosts="gpu[01-16]")
    first = f"{tmp_path}/out/fabric.yaml:2:11"
    said = run("check", tmp_path / "out").said
    count = len(remarks(text))
    assert f"{first}: fabric: {count} values were assumed by an import; confirm" in said
    confirmed = "\n".join(line.partition(" # assumed:")[0] for line in text.splitlines())
    (tmp_path / "out" / "fabric.yaml").write_text(f"{confirmed}\n")
    found = check(Project(tmp_path / "out"))
    assert [finding for finding in found.findings if finding.rule == "TOP027"] == []
    assert found.at_least(Severity.ERROR) == ()


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
