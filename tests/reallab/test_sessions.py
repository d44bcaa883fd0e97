"""Sessions without addresses, and with BFD, by real FRR."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import pytest

from fabric.lab.real import RealLab
from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.reallab.conftest import PATIENCE_S, Running, require_parts
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab

#: All switches in one inventory have FRR: SONiC and Cumulus Linux.
STYLES = {"unnumbered": "{peering: unnumbered}", "bfd": "{bfd: true}"}


@pytest.mark.parametrize("style", STYLES)
def test_sessions_and_next_hops_are_those_of_the_proof(style: str, tmp_path: Path) -> None:
    require_parts()
    folder = shutil.copytree(INVENTORY / "dual-tor", tmp_path / "inventory")
    file = folder / "fabric.yaml"
    text = re.sub(r"(?m)^bgp:.*\n(?:[ #].*\n)*", "", file.read_text())
    file.write_text(f"{text}\nbgp: {STYLES[style]}\n")
    project = Project(folder)
    with real_laboratory(project) as lab:
        running = Running(project, lab)
        proof = running.proof()
        assert lab.wait_for_sessions(proof.sessions) == proof.sessions
        assert lab.wait_for_next_hops(proof.routes) == proof.routes
        promised = running.promised()
        assert running.settled(promised) == promised
        if style == "bfd":
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
