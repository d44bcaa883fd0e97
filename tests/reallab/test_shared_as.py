"""Leaves that share an AS number, of real parts: FRR drops their routes, or accepts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import Running, require_parts
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab

DEVICES = 'devices:\n  - {names: "su[1-2]-rail[0-1]", asn: 65101}\n'


@pytest.mark.parametrize("often", [0, 1])
def test_who_answers_is_who_is_promised(tmp_path: Path, often: int) -> None:
    """As `whatif` and `prove` say: the NICs of one leaf alone, or all."""
    require_parts()
    text = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "a.yaml").write_text(DEVICES, encoding="utf-8")
    text = text.replace("bgp: {", f"bgp: {{allowas_in: {often}, ")
    (tmp_path / "fabric.yaml").write_text(text, encoding="utf-8")
    project = Project(tmp_path)
    with real_laboratory(project) as lab:
        running = Running(project, lab)
        proof = running.proof()
        lab.wait_for_sessions(proof.sessions)
        lab.wait_for_next_hops(proof.routes)
        expected = running.promised()
        assert len(expected) == (48 if often else 8)
        assert running.settled(expected) == expected
