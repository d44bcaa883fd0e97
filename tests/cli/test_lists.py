"""Lists that no help text repeats: export formats and features of systems."""

from __future__ import annotations

import json

import pytest

from fabric.core.exports import exporters
from fabric.platforms import platforms
from tests.cli.runs import DEMO, run


def test_export_list_prints_every_format() -> None:
    answer = run("export", "list")
    assert answer.code == 0
    starts = [line.split()[0] for line in answer.out.splitlines() if not line.startswith(" ")]
    assert starts == list(exporters)
    assert all(exporters[name].title for name in exporters)
    assert max(map(len, answer.out.splitlines())) <= 80
    assert {"slurm", "k8s", "netbox", "rights"} <= set(exporters)


def test_features_of_every_system() -> None:
    answer = run("show", "platforms", "--features", "--format", "json")
    assert answer.code == 0
    rows = {row["feature"]: row for row in json.loads(answer.out)}
    assert set(rows["pfc"]) == {"feature", *platforms}
    assert rows["balancing"]["sonic"] == "no"
    assert rows["queue_pair_hash"]["eos"] == "yes?*"


@pytest.mark.parametrize(
    ("table", "names", "shown"),
    [
        ("hosts", "gpu001", {"gpu001"}),
        ("hosts", "gpu[003-004]", {"gpu003", "gpu004"}),
        ("topology", "spine01", {"spine01"}),
        ("links", "gpu001", {"gpu001"}),
        ("addresses", "su1-rail0", {"su1-rail0"}),
    ],
)
def test_rows_of_names_alone(monkeypatch, table, names, shown) -> None:
    rows = json.loads(run("show", table, DEMO, names, "--format", "json").out)
    assert {next(iter(row.values())) for row in rows} == shown
    monkeypatch.setenv("ROCEFAB_INVENTORY", str(DEMO))
    assert json.loads(run("show", table, names, "--format", "json").out) == rows


def test_rows_of_an_unknown_name() -> None:
    ended = run("show", "hosts", DEMO, "gpu1")
    assert ended.code == 2
    assert "there is no host 'gpu1'; did you mean 'gpu001'?" in ended.err
