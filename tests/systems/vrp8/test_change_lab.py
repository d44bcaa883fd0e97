"""Whole runs on VRP8 in the lab, with netmiko, undisturbed and under faults."""

from __future__ import annotations

from fabric.change.model import Risk
from fabric.lab.faults import Fault
from fabric.systems.vrp8.lab.state import Candidate
from fabric.workflow.verify import verify
from tests.change import labs
from tests.change.line_runs import (
    ALL,
    LEAF,
    Killed,
    LineLab,
    LineRuns,
    applied,
    lower_kmax,
    planned,
)

VRP8 = LineLab(
    name="vrp8",
    inventory=labs.VRP8,
    lower_kmax="high-limit 1400000",
    account=" local-user admin password irreversible-cipher $1d$LAB$",
    edits=(
        ("interface 100GE1/0/1\n undo dcb pfc enable roce mode manual", "dcb pfc enable"),
        ("interface 100GE1/0/1\n undo qos queue 3 ecn", "qos queue 3 ecn"),
        ("drop-profile roce-ecn\n undo ecn", "ecn buffer-size"),
        ("dcb pfc global disable", "global disable"),
        ("dcb pfc roce\n priority 4", "priority 4"),
        ("undo bgp 65101", "bgp 65101"),
        ("vlan batch 500", "vlan batch 500"),
        ("diffserv domain roce\n undo ip-dscp-inbound 26", "ip-dscp-inbound 26"),
    ),
    mixed={
        "SONiC leaf": ("CE8855-32CQ4BQ", "ACS-MSN3700"),
        "EOS spine": ("CE8851-32CQ8DQ-P", "7050DX4-32S"),
    },
    faults={
        "a line is refused": Fault("refuse_line", pattern="^ecn buffer-size"),
        "the session breaks at a line": Fault("cut_at_command", pattern="^ecn buffer-size"),
        "the commit is refused": Fault("refuse_line", pattern="^commit trial"),
        "the session breaks at the commit": Fault("cut_at_command", pattern="^commit trial"),
        "the answer to the commit is lost": Fault("cut_at_byte", pattern="^commit trial", count=20),
        "only a part is taken": Fault("accept_part", pattern="^commit trial", count=1),
        "the timer runs out at once": Fault(
            "expire_timer", pattern="display current-configuration"
        ),
        "it reboots after the commit": Fault("reboot", pattern="^display lldp", nth=2, seconds=0.5),
        "it reboots at the confirmation": Fault("reboot", pattern="^commit persist", seconds=0.5),
        "saving is refused": Fault("refuse_line", pattern="^save"),
    },
    refused=(
        Fault("refuse_line", pattern="^ecn buffer-size", text="Error: No more profiles."),
        "'ecn buffer-size",
    ),
    timer_s=(50, 11),
    is_clean=lambda switch: (
        switch.state.trial is None
        and "interface MEth0/0/0\n ip binding vpn-instance MGMT\n" in switch.running_text
    ),
    is_disarmed=lambda switch: switch.state.trial is None,
    killed=Killed(
        command="display bgp",
        runs="bgp 65101",
        net=lambda switch: switch.state.trial is not None,
    ),
)
LEAF_LINES = (
    "leaf: {sku: CE8855-32CQ4BQ, host_ports: 16}, spine: {sku: CE8851-32CQ8DQ-P}}\n"
    "speeds: {host_gbps: 100, uplink_gbps: 100}\n"
)
SPLIT_LINES = (
    "leaf: {sku: CE8851-32CQ8DQ-P, host_ports: 16, breakouts: [{cages: '1', mode: 2x50G}]}, "
    "spine: {sku: CE8851-32CQ8DQ-P}}\nspeeds: {host_gbps: 50, uplink_gbps: 100}\n"
)


class TestRuns(LineRuns):
    system = VRP8

    def test_pfc_that_deadlocks_turned_off_is_a_deviation(self, ready):
        lab, project, connections, _ = ready
        counters = lab[LEAF].count("100GE1/0/1")
        counters.turned_off.add(3)
        try:
            found = {i.device: i for i in verify(project, connections, ALL, labs.silent)}
            assert ["pfc 100GE1/0/1" in str(one) for one in found[LEAF].deviations] == [True]
        finally:
            counters.turned_off.clear()

    def test_what_a_rollback_of_the_switch_forgets_is_sent_again(self, fresh, tmp_path):
        """The trial does not bring back what stood on ports that were split: rocefab does."""
        whole = LEAF_LINES.replace("CE8855-32CQ4BQ", "CE8851-32CQ8DQ-P")
        with fresh(labs.VRP8.replace(LEAF_LINES, whole)) as (lab, project, connections):
            assert applied(planned(project, connections), tmp_path, connections).ok
            leaf = lab[LEAF]
            before = self.texts(leaf)
            split = labs.changed(tmp_path / "inventory", whole, SPLIT_LINES)
            change_plan = planned(split, connections)
            assert change_plan.devices[LEAF].risk is Risk.PORT_FLAP
            result = applied(change_plan, tmp_path, connections)
            assert not result.ok  # the lab is not cabled for the parts: the run is taken back
            assert "description gpu1" in leaf.running_text
            assert self.texts(leaf) == before
            assert leaf.state.trial is None

    def test_somebody_else_on_trial_is_in_the_way(self, ready):
        lab, _, connections, folder = ready
        change_plan = planned(lower_kmax(folder), connections)
        state = lab[LEAF].state
        with lab[LEAF].lock:
            state.commit(Candidate(), "commit trial 600 persist theirs", None, None)
        result = applied(change_plan, folder, connections)
        with lab[LEAF].lock:
            state.go_back()
        assert not result.ok
        reasons = " ".join(result.reasons)
        assert "another configuration session is active on it: theirs" in reasons
