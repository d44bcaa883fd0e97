"""Lists that no help text repeats: export formats and features of systems."""

from __future__ import annotations

import json

from fabric.core.exports import exporters
from fabric.platforms import platforms
from tests.cli.runs import run


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
