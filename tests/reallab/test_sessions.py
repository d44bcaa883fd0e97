"""Sessions with BFD, by real FRR."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from fabric.lab.real import RealLab
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import PATIENCE_S, Running, require_parts
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab


def test_sessions_and_next_hops_are_those_of_the_proof(tmp_path: Path) -> None:
    """All switches of the inventory are SONiC, which runs FRR itself."""
    require_parts()
    text = (INVENTORY / "dual-tor" / "fabric.yaml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yaml").write_text(f"{text}\nbgp: {{bfd: true}}\n", encoding="utf-8")
    project = Project(tmp_path)
    with real_laboratory(project) as lab:
        running = Running(project, lab)
        proof = running.proof()
        assert lab.wait_for_sessions(proof.sessions) == proof.sessions
        assert lab.wait_for_next_hops(proof.routes) == proof.routes
        promised = running.promised()
        assert running.settled(promised) == promised
        assert _bfd_settled(lab, project, proof.sessions) == proof.sessions


def _bfd_settled(lab: RealLab, project: Project, expected: int) -> int:
    """Return how many BFD sessions are up, as soon as all are, or at last."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        up = sum(_bfd_up(lab, name) for name in project.devices)
        if up == expected or time.monotonic() > until_s:
            return up
        time.sleep(0.5)


def _bfd_up(lab: RealLab, switch: str) -> int:
    """Return how many BFD sessions of a switch are up."""
    socket = ["--vty_socket", str(lab.folder(switch))]
    answer = lab.run(switch, ["vtysh", *socket, "-c", "show bfd peers brief"])
    return len(re.findall(r"\bup\b", answer.out))
