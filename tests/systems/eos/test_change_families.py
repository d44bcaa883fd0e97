"""EOS on both families of chips: what one of them alone takes, set and taken back on a switch."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
ALL = Selection()
#: Model, what is changed, and a line that then stands on the leaf.
CASES = {
    "xgs": (
        "7060X6-64PE",
        ("lossless:\n", "lossless:\n  dynamic_th: -1\n"),
        "ingress priority-group 3 threshold 1/2",
    ),
    "dnx": (
        "7280DR3AK-36S",
        ("arp:", "ecmp: {hash_queue_pairs: true}\narp:"),
        "port-channel load-balance sand profile ROCE",
    ),
}


@pytest.mark.parametrize("family", CASES)
def test_there_and_back(family, tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    model, (plain, asked), line = CASES[family]
    text = labs.INVENTORY.replace("ACS-MSN4700", model).replace("7060X6-64PE", model)
    folder = labs.write_inventory(tmp_path / "inventory", text)
    with laboratory(Project(folder), tmp_path / "lab") as lab:
        connections = tmp_path / "lab" / CONNECTIONS
        leaf = lab[labs.LEAF]
        for old, new in ((plain, plain), (plain, asked), (asked, plain)):
            project = labs.changed(folder, old, new)
            made = plan(project, connections, ALL, "rail", labs.silent)
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert plan(project, connections, ALL, "rail", labs.silent).empty
            text = leaf.running_text
            assert (line in text) is (new == asked)
            assert ("hardware counter feature ecn out" in text) is (family == "dnx")
            assert ("   uc-tx-queue 3" in text) is (family == "xgs")
