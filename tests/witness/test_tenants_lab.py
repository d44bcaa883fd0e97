"""Tenants over the wire: they come, a host moves, the form changes, and they go again."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.verify import verify
from tests.change.labs import silent
from tests.witness.systems import witnessed
from tests.witness.tenants import TENANT_SYSTEMS, settings_of

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
SELECTION = Selection(hosts=False)
#: A move has a quarantine between.
STEPS = (
    "no tenants",
    "evpn",
    "evpn, all revoked",
    "evpn, a host moved",
    "evpn, a tenant removed",
    "local, a tenant",
)


@pytest.mark.parametrize("name", TENANT_SYSTEMS)
def test_the_life_of_tenants(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is applied, leaves nothing to do, and the fabric is as planned."""
    monkeypatch.setenv("ROCEFAB_PASSWORD", "lab-password")
    settings = settings_of(name)
    works = {
        step: witnessed(tmp_path / str(number), TENANT_SYSTEMS[name], step, settings[step])
        for number, step in enumerate(STEPS)
    }
    base = works[STEPS[0]].project
    assert base is not None
    connections = tmp_path / "lab" / CONNECTIONS
    with laboratory(base, tmp_path / "lab"):
        for step in (*STEPS, STEPS[0]):
            project = works[step].project
            assert project is not None
            draft = plan(project, connections, SELECTION, "rail", silent)
            assert not draft.empty, step
            result = apply(draft, tmp_path / "state", connections, OPTIONS, silent)
            assert result.ok, (step, result.reasons)
            assert plan(project, connections, SELECTION, "rail", silent).empty, step
            health = verify(project, connections, SELECTION, silent, wait_s=10)
            assert [item for item in health if not item.ok] == [], step
