"""NX-OS switches that are told their pause buffer, and no longer, on running switches."""

from __future__ import annotations

from fabric.workflow.apply import Options, apply
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import drift
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=2.0, poll_s=0.1)
ALL = Selection()
PLAIN = "lossless:\n"
FIGURES = "pause_threshold_bytes: 200000, resume_threshold_bytes: 200000, buffer_bytes: 300000"
TOLD = f"lossless:\n  pause_buffer: {{{FIGURES}}}\n"
LINE = "pause buffer-size 300000 pause-threshold 200000 resume-threshold 200000"


def test_there_and_back(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch, labs.NXOS) as (lab, _, connections):
        leaf = lab[labs.LEAF]
        for old, new in ((PLAIN, TOLD), (TOLD, TOLD.replace("300000", "300001")), (TOLD, PLAIN)):
            folder = tmp_path / "inventory"
            file = folder / "fabric.yaml"
            file.write_text(file.read_text().replace("300001", "300000"))
            project = labs.changed(folder, old, new)
            made = plan(project, connections, ALL, "rail", labs.silent)
            assert not made.empty
            result = apply(made, tmp_path / "state", connections, OPTIONS, labs.silent)
            assert result.ok, result.reasons
            assert plan(project, connections, ALL, "rail", labs.silent).empty
            wanted = LINE.replace("300000", "300001") if "300001" in new else LINE
            assert (wanted in leaf.running_text) is (new != PLAIN)
            assert ("policy-map type queuing ROCE-PAUSE" in leaf.running_text) is (new != PLAIN)


def test_another_hash_is_drift(tmp_path, monkeypatch):
    """The default is not printed and is no drift; another one is."""
    with labs.running_lab(tmp_path, monkeypatch, labs.NXOS) as (lab, project, connections):
        made = plan(project, connections, ALL, "rail", labs.silent)
        assert apply(made, tmp_path / "state", connections, OPTIONS, labs.silent).ok
        leaf = lab[labs.LEAF]
        assert "ip load-sharing" not in leaf.running_text
        assert not [item for item in drift(project, connections, ALL, labs.silent) if item.drift]
        hashed = "ip load-sharing address source-destination port source-destination"
        leaf.hand_edit(f"{hashed} rotate 5")
        found = {item.device: item.drift for item in drift(project, connections, ALL, labs.silent)}
        assert [change.after or change.before for change in found[labs.LEAF]]
