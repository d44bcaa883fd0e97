"""`scope: merge` on the lab's switch: lines of others outlive plan, apply and roll back."""

from __future__ import annotations

import pytest

from fabric.workflow.apply import Options, apply, rollback, status
from fabric.workflow.verify import drift
from tests.change import labs
from tests.change.labs import planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
SPINE_SCOPE = labs.INVENTORY.replace("{sku: 7060X6-64PE}", "{sku: 7060X6-64PE, scope: merge}")
FOREIGN = (
    "vlan 3999\n   name STORAGE",
    "interface Ethernet1/1\n   load-interval 30",
    "interface Ethernet9/1\n   description of others",
    "snmp-server location row 7",
    "router bgp 65100\n   neighbor 192.0.2.7 remote-as 65000",
    "ntp server 192.0.2.77",
)
LINES = [line.strip() for one in FOREIGN for line in one.splitlines()]


def committed(spine, lines: str) -> None:
    spine.open_foreign_session("colleague", lines)
    spine.state.commit("colleague")


def applied(project, connections, state):
    result = apply(planned(project, connections), state, connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    return result


def lines_of(spine) -> list[str]:
    return [line.strip() for line in spine.running_text.splitlines()]


@pytest.mark.parametrize("scope", ["merge", "whole"])
def test_lines_of_others_outlive_a_change_and_its_way_back(tmp_path, monkeypatch, scope) -> None:
    text = SPINE_SCOPE.replace("scope: merge", f"scope: {scope}")
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        state, spine = tmp_path / "state", lab[labs.SPINE]
        applied(project, connections, state)
        committed(spine, "\n".join(FOREIGN))
        there = set(LINES) & set(lines_of(spine))
        assert "load-interval 30" in there
        assert (labs.SPINE in planned(project, connections).devices) is (scope == "whole")
        found = drift(project, connections, labs.ALL, labs.silent)
        (mine,) = [one for one in found if one.device == labs.SPINE]
        assert bool(mine.drift) is (scope == "whole")
        changed = labs.changed(tmp_path / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
        applied(changed, connections, state)
        assert "1400000" in spine.running_text
        if scope == "whole":
            assert not there <= set(lines_of(spine))
            return
        assert there <= set(lines_of(spine))
        run = status(state)[-1]["run"]
        assert rollback(run, state, connections, labs.silent).ok
        assert "1500000" in spine.running_text
        assert there <= set(lines_of(spine))
