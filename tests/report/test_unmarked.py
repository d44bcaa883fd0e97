"""A switch that gets no marking thresholds: every report says so, as CMW004 does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fabric.cli import main
from fabric.report.device import planned
from fabric.workflow.project import Project
from tests.report.diffs import edited

if TYPE_CHECKING:
    from pathlib import Path

ECN = "  ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}\n"
REASON = "the inventory does not set both"
WITHOUT_CELL = "the cell size of S9850-32H is not published"


def _comware(folder: Path, model: str, *, thresholds: bool) -> Path:
    """Return the demo with leaves of Comware 7."""
    copy = edited(folder, *(() if thresholds else ((ECN, ""),)))
    file = copy / "fabric.yaml"
    lines = file.read_text().splitlines(keepends=True)
    lines = [
        f"  leaf: {{sku: {model}}}\n" if line.startswith("  leaf: {sku") else line for line in lines
    ]
    (copy / "devices" / "shorter-cables.yaml").unlink()
    text = "".join(lines).replace("host_gbps: 400", "host_gbps: 100")
    file.write_text(text.replace("uplink_gbps: 400", "uplink_gbps: 100"))
    return copy


@pytest.mark.parametrize(
    ("model", "thresholds", "reason"),
    [
        ("S9820-64H", False, REASON),
        ("S9850-32H", True, WITHOUT_CELL),
        ("S9820-64H", True, ""),
    ],
)
def test_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, reason: str, *, thresholds: bool
) -> None:
    folder = str(_comware(tmp_path, model, thresholds=thresholds))

    def rows(*words: str) -> list[dict[str, str]]:
        assert main([*words, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]

    (cable,) = [
        row for row in rows("show", "cable", folder, "gpu001", "eth1") if row["item"] == "ECN"
    ]
    ecn = next(row for row in rows("show", "ecn", folder) if row["role"] == "leaf")
    port = next(iter(Project(tmp_path / "after").devices["su1-rail0"].ports)).name
    budget = [row for row in rows("explain", folder, "su1-rail0", port) if row["part"] == "ecn"]
    device = planned(Project(tmp_path / "after"), "su1-rail0")
    assert device
    policy = dict(device.policy)["ECN"]
    assert rows("show", "dcqcn", folder)
    if reason:
        assert (cable["switch"], reason in cable["note"]) == ("marks nothing", True)
        assert reason in ecn["rendered"]
        assert ecn["verdict"] == "nothing is marked: only PFC acts"
        assert (budget[0]["item"], reason in budget[0]["how"]) == ("marking", True)
        assert policy.startswith("not configured: ")
    else:
        assert cable["switch"] == "marks queue 3 from 150000 to 1500000 bytes"
        assert ecn["rendered"] == "722 to 7212 cells"
        assert [row["item"] for row in budget[:2]] == ["Kmin", "Kmax"]
        assert policy == "150,000 to 1,500,000 bytes, Pmax not configured (CMW005)"
