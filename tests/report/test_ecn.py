"""show ecn: thresholds with what judges them, and better ones with their reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fabric.qos.ecn.figures import figures_for
from fabric.report.ecn import ecn, recommendations
from fabric.workflow.project import Project

ROOT = Path(__file__).parents[2]
#: What the defaults of NVIDIA are told.
SHORT = (
    "ECN acts before PFC if one ingress port feeds at most 163 congested ports; kmin below one "
    "bandwidth-delay product; the ASIC rounds kmin to 159,744"
)


def _project(folder: Path, base: str, **ecn_policy: int) -> Project:
    data = yaml.safe_load((ROOT / "inventory" / base / "fabric.yaml").read_text())
    if ecn_policy:
        data["lossless"]["ecn"] = ecn_policy
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return Project(folder)


def _dicts(table) -> list[dict]:
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def test_one_row_for_each_kind_of_port(tmp_path: Path) -> None:
    result = _dicts(ecn(_project(tmp_path, "rail-512")))
    assert [(row["role"], row["ports"], row["gbps"]) for row in result] == [
        ("leaf", "host", 400),
        ("leaf", "uplink", 400),
        ("spine", "uplink", 400),
    ]
    assert {row["bandwidth_delay_bytes"] for row in result} == {462_048}
    assert {row["xoff_threshold_bytes"] for row in result} == {26_080_845}


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (
            {"kmin_bytes": 150_000, "kmax_bytes": 1_500_000},
            SHORT,
        ),
        (
            {"kmin_bytes": 491_520, "kmax_bytes": 1_500_000},
            "ECN acts before PFC if one ingress port feeds at most 53 congested ports",
        ),
        (
            {"kmin_bytes": 1_499_500, "kmax_bytes": 1_500_000},
            (
                "ECN acts before PFC if one ingress port feeds at most 17 congested ports; "
                "kmin, rounded to 1,511,424, is not below kmax: every packet above is marked"
            ),
        ),
        (
            {"kmin_bytes": 491_520, "kmax_bytes": 30_000_000},
            "kmax too high: PFC acts before full marking (or alpha too low)",
        ),
        (
            {"kmin_bytes": 26_087_424, "kmax_bytes": 30_000_000},
            "kmin too high: PFC acts first (or alpha too low)",
        ),
    ],
)
def test_verdict_names_what_breaks_the_order(tmp_path: Path, policy: dict, words: str) -> None:
    result = _dicts(ecn(_project(tmp_path, "rail-512", **policy)))
    assert result[0]["verdict"] == words


def test_an_unknown_pool_is_not_called_fine(tmp_path: Path) -> None:
    result = _dicts(ecn(_project(tmp_path, "a100-pcie")))
    assert result[0]["xoff_threshold_bytes"] == "unknown"
    assert result[0]["verdict"].startswith("pool unknown: ECN-before-PFC not checked")


def test_thresholds_that_are_a_share_of_a_queue(tmp_path: Path) -> None:
    """On Junos; what no percent of the queue can say is told, not raised."""
    text = (ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text()
    data = yaml.safe_load(text.replace("ACS-SN5600", "QFX5240-64OD"))
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    assert {row["rendered"] for row in _dicts(ecn(Project(tmp_path)))} == {"1 to 2 percent"}
    data["lossless"]["ecn"]["kmax_bytes"] = 90_000_000
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    (result,) = {row["rendered"] for row in _dicts(ecn(Project(tmp_path)))}
    assert result.startswith("not in percent: 90,000,000 bytes cannot be a percentage")


def test_recommendation_beside_published_figures(tmp_path: Path) -> None:
    result = _dicts(recommendations(_project(tmp_path, "rail-512"), most_flows=16))
    ours = [row for row in result if row["who"] == "rocefab"]
    assert len(ours) == 3
    for row in ours:
        assert row["kmin_bytes"] == 463_000
        assert row["kmin_bytes"] < row["kmax_bytes"] <= 6_400_000
        assert 1 <= row["pmax_percent"] <= 100
        assert "Kmin 463000 bytes is 400 Gb/s times" in row["why"]
        assert "rocefab show dcqcn" in row["why"]
    assert [row["who"] for row in result if row["who"] not in ("rocefab", "set")] == [
        figure.name for figure in figures_for(400)
    ]


def test_a_recommendation_says_that_the_gate_of_diff_stops_it(tmp_path: Path) -> None:
    """As `diff --fail-on "less protection"` does; not where a smaller step leads there."""
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    assert "with --fail-on exits with 4" in recommendations(_project(tmp_path, "rail-512")).hint
    data["lossless"]["ecn"] = {"kmin_bytes": 300_000, "kmax_bytes": 4_000_000, "pmax_percent": 20}
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    assert not recommendations(Project(tmp_path)).hint


def test_kmax_stays_below_a_small_pool(tmp_path: Path) -> None:
    """dynamic_th -5 leaves 1.5 MB before PFC: either Kmax is below, or there is an honest no."""
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["lossless"]["dynamic_th"] = -5
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    result = _dicts(recommendations(Project(tmp_path), most_flows=4))
    for row in result:
        if row["who"] == "rocefab":
            assert row["kmax_bytes"] == "-" or row["kmax_bytes"] < 52_161_690 / 33
            assert row["kmax_bytes"] != "-" or "the least Kmax is" in row["why"]
