"""Whole runs on Enterprise SONiC in the lab, by netmiko, undisturbed and under faults."""

from __future__ import annotations

import pytest

from fabric.lab.faults import Fault
from fabric.workflow.verify import verify
from tests.change import labs
from tests.change.line_runs import (
    ALL,
    LEAF,
    TOKEN,
    Killed,
    LineLab,
    LineRuns,
    applied,
    lower_kmax,
    planned,
)

LINE = "^green "
ESONIC = LineLab(
    name="esonic",
    inventory=labs.ESONIC,
    lower_kmax="maximum-threshold 1400 ",
    account="username admin password $6$LAB$",
    edits=(
        ("interface Ethernet0\n no priority-flow-control priority 3", "flow-control priority 3"),
        ("interface Ethernet0\n no queue 3 wred-policy", "queue 3 wred-policy ROCE"),
        ("interface Ethernet0\n shutdown", "interface Ethernet0: no shutdown"),
        ("interface Ethernet0\n cable-length 300m", "cable-length"),
        ("no router bgp", "router bgp 65101"),
        ("interface Vlan 500\n description THEIRS", "interface Vlan500"),
        ("no lldp enable", "no lldp enable"),
        ("qos map dscp-tc ROCE\n dscp 26 traffic-class 4", "dscp 26 traffic-class 3"),
    ),
    dark_neighbours=frozenset({labs.HOST}),  # a shut port is dark at the host too
    mixed={
        "SONiC leaf": ("Z9332F-ON", "ACS-MSN4700"),
        "EOS spine": ("Z9664F-ON", "7060X6-64PE"),
    },
    faults={
        "a line is refused": Fault("refuse_line", pattern=LINE),
        "the session breaks at a line": Fault("cut_at_command", pattern=LINE),
        "the answer to a line is lost": Fault("cut_at_byte", pattern=LINE, count=2),
        "only a part is taken": Fault("accept_part", pattern="^qos wred-policy", count=1),
        "the timer runs out at once": Fault("expire_timer", pattern="show ip bgp summary", nth=2),
        "the timer cannot be armed": Fault("refuse_line", pattern="systemctl enable"),
        "the dump fails": Fault("refuse_line", pattern="before.json"),
        "it reboots at a line": Fault("reboot", pattern=LINE, seconds=0.5),
        "it reboots at the confirmation": Fault("reboot", pattern="systemctl stop", seconds=0.5),
        "saving is refused": Fault("refuse_line", pattern="config save"),
        "the way back by lines is refused": Fault("refuse_line", pattern=LINE, times=2),
    },
    refused=(
        Fault("refuse_line", pattern=LINE, text="% Error: Hardware says no\n"),
        "'green minimum-threshold 150 maximum-threshold 1400",
    ),
    timer_s=(59, 4),
    is_clean=lambda switch: not switch.systemd.jobs,
    is_disarmed=lambda switch: not switch.systemd.jobs,
    killed=Killed(
        command="show ip bgp summary",
        runs="router bgp",
        net=lambda switch: any("rocefab-run-1-" in name for name in switch.systemd.jobs),
    ),
)


class TestRuns(LineRuns):
    system = ESONIC

    def forget(self, lab):
        lab[LEAF].run_detached(f"rm -rf /var/lib/rocefab/{TOKEN}")
        lab.clock.advance(2)

    def test_pfc_that_is_off_is_a_deviation(self, ready):
        lab, project, connections, _ = ready
        lab[LEAF].hand_edit("interface Ethernet0\n no priority-flow-control priority 3")
        found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
        deviations = [str(item) for item in found[LEAF].deviations]
        assert f"{LEAF}: pfc Ethernet0: priorities none, expected 3" in deviations

    @pytest.mark.fault(28)
    def test_unsaved_configuration_is_reported(self, ready):
        lab, project, connections, _ = ready
        lab[LEAF].hand_edit("snmp-server location rack")
        found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
        assert [str(item) for item in found[LEAF].deviations] == [
            f"{LEAF}: saved configuration: the running configuration is not saved"
        ]
        lab[LEAF].hand_edit("no snmp-server location rack")

    def test_a_switch_without_lossless_buffers_is_not_planned(self, fresh):
        with fresh() as (lab, project, connections):
            lab[LEAF].hand_edit("no buffer init lossless")
            before = lab[LEAF].running_text
            with pytest.raises(Exception, match="buffer init lossless"):
                planned(project, connections)
            assert lab[LEAF].running_text == before

    @pytest.mark.fault(16)
    def test_a_slow_switch_is_waited_for(self, ready):
        lab, _, connections, folder = ready
        lab[LEAF].faults.add(Fault("slow", pattern="green", seconds=0.3, times=2))
        result = applied(planned(lower_kmax(folder), connections), folder, connections)
        assert result.ok, result.reasons

    def test_going_back_by_lines_restarts_nothing(self, ready):
        """And where they do not lead back, the database is loaded again."""
        lab, _, connections, folder = ready
        leaf = lab[LEAF]
        before, restarts = leaf.running_text, leaf.restarts
        project = lower_kmax(folder)
        driver = self.committed(lab, connections, project)
        assert driver.pending(TOKEN)
        driver.rollback(TOKEN)
        assert (leaf.running_text, leaf.restarts) == (before, restarts)
        assert not driver.pending(TOKEN)
        self.forget(lab)
        driver.close()
        driver = self.committed(lab, connections, project)
        leaf.hand_edit("ntp server 203.0.113.9")
        driver.rollback(TOKEN)
        assert leaf.running_text == before
        assert leaf.restarts == restarts + 1
        self.forget(lab)
        driver.close()
        lab.clock.advance(2)

    @pytest.mark.fault(5)
    def test_another_switch_is_never_written_to(self, ready):
        lab, _, connections, folder = ready
        made = planned(lower_kmax(folder), connections)
        before = lab[LEAF].running_text
        lab[LEAF].faults.add(Fault("identity", pattern="hostname", text="other-switch", times=0))
        result = applied(made, folder, connections)
        assert not result.ok
        assert "'other-switch'" in " ".join(result.reasons)
        assert lab[LEAF].running_text == before

    def test_a_plan_after_the_change_is_empty(self, ready):
        _, _, connections, folder = ready
        project = lower_kmax(folder)
        result = applied(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert planned(project, connections).empty
