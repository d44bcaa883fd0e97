"""Whole runs on Comware 7 in the lab, with netmiko's client, undisturbed and under faults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.change.model import parse_plan
from fabric.core.errors import PlanError
from fabric.lab.faults import Fault
from fabric.workflow.plan_text import NO_NET, describe
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs
from tests.change.line_runs import (
    ALL,
    LEAF,
    OPTIONS,
    Killed,
    LineLab,
    LineRuns,
    applied,
    planned,
)

PORT, PORT2 = "interface HundredGigE1/0/1", "interface HundredGigE1/0/2"
COMWARE7 = LineLab(
    name="comware7",
    inventory=labs.COMWARE7,
    lower_kmax="high-limit 6731",
    account="password hash $h$6$LAB",
    edits=(
        (f"{PORT}\nundo priority-flow-control no-drop dot1p", "no-drop dot1p 3"),
        (f"{PORT}\npriority-flow-control no-drop dot1p 3-4", "no-drop dot1p 3-4"),
        (f"{PORT}\nflow-control", "flow-control"),
        (f"{PORT}\nundo qos wfq", "qos wfq cs6 group sp"),
        (f"{PORT2}\nport link-mode route\nip address 198.51.100.1 255.255.255.0", "198.51.100.1"),
        ("qos map-table dscp-lp\nimport 26 export 2", "import 26 export 3"),
        ("undo lldp global enable", "lldp global enable"),
        ("arp timer aging 20", "arp timer aging 4"),
        ("mac-address timer aging 600", "mac-address timer aging 600"),
        ("bgp 65101\nundo peer 10.254.0.0", "peer 10.254.0.0 as-number"),
        ("vlan 500\nname THEIRS", "vlan 500"),
        ("undo bgp 65101", "bgp 65101"),
        ("undo vlan 101", "vlan"),
    ),
    mixed={
        "SONiC leaf": ("leaf: {sku: S9820-64H}", "leaf: {sku: ACS-MSN2700}"),
        "SONiC spine": ("spine: {sku: S9820-64H}", "spine: {sku: DellEMC-Z9264f-C64}"),
    },
    faults={
        "a line is refused": Fault("refuse_line", pattern="^queue 3 low-limit"),
        "a line is refused in other words": Fault(
            "refuse_line", pattern="^queue 3 low-limit", text="The device is busy.\n"
        ),
        "the session breaks at a line": Fault("cut_at_command", pattern="^queue 3 low-limit"),
        "the answer to a line is lost": Fault("cut_at_byte", pattern="^queue 3 low-limit", count=2),
        "only a part is taken": Fault("accept_part", pattern="^qos wred queue table", count=1),
        "the timer runs out at once": Fault(
            "expire_timer", pattern="^display interface|^display bgp"
        ),
        "the file is refused": Fault("refuse_line", pattern=r"^save rocefab-"),
        "the timer is refused": Fault("refuse_line", pattern="^configuration commit delay"),
        "the mark is refused": Fault("refuse_line", pattern="^route-policy rocefab-"),
        "the confirmation is refused": Fault("refuse_line", pattern="^configuration commit$"),
        "it reboots at the confirmation": Fault(
            "reboot", pattern="^configuration commit$", seconds=0.5
        ),
        "saving is refused": Fault("refuse_line", pattern="^save safely force"),
    },
    refused=(
        Fault("refuse_line", pattern="high-limit", text=" % Wrong parameter found\n"),
        "'queue 3 low-limit 722 high-limit 6731' was rejected",
    ),
    timer_s=(59, 62),
    running=lambda switch: switch.text,
    startup=lambda switch: switch.startup,
    is_clean=lambda switch: switch.files == {} and not switch.armed,
    is_disarmed=lambda switch: not switch.armed,
    killed=Killed(
        command="display bgp",
        runs="bgp 65101",
        net=lambda switch: "route-policy rocefab-run-1-" in switch.text,
    ),
)


class TestRuns(LineRuns):
    system = COMWARE7

    def test_what_a_person_set_beside_ours_stays(self, ready):
        lab, project, connections, _ = ready
        leaf = lab[LEAF]
        leaf.hand_edit(
            "priority-flow-control deadlock cos 3 interval 10\n"
            f"{PORT}\npriority-flow-control deadlock enable\n"
            "priority-flow-control dot1p 3 headroom 2000"
        )
        assert planned(project, connections).empty
        assert all(item.ok for item in drift(project, connections, ALL, labs.silent))
        leaf.hand_edit(
            "undo priority-flow-control deadlock cos 3 interval\n"
            f"{PORT}\nundo priority-flow-control deadlock enable\n"
            "undo priority-flow-control dot1p 3 headroom"
        )
        assert leaf.text == leaf.startup

    def test_a_release_without_a_timer_needs_a_word(self, ready):
        """The plan says so, and nothing is begun before somebody has said to go on."""
        lab, _, connections, folder = ready
        leaf = lab[LEAF]
        before = leaf.text
        changed = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1300000")
        leaf.has_commit_delay = False
        try:
            made = parse_plan(planned(changed, connections).to_json(), "plan.json")
            line = next(line for line in describe(made).splitlines() if "SAFETY NET" in line)
            assert line.startswith(
                f"    {NO_NET}: this release has no `configuration commit delay`: %"
            )
            assert describe(made).count(NO_NET) == 1
            wanted = f"no safety net on {LEAF} .*console access"
            with pytest.raises(PlanError, match=wanted):
                applied(made, folder, connections)
            assert leaf.text == before
            bold = replace(OPTIONS, without_net=True)
            leaf.faults.add(
                Fault("refuse_line", pattern="high-limit", text=" % Wrong parameter found\n")
            )
            assert not applied(made, folder, connections, bold).ok
            assert leaf.text == before
            leaf.faults.clear()
            result = applied(planned(changed, connections), folder, connections, bold)
            assert result.ok, result.reasons
            assert "rocefab-" not in leaf.text
            assert rollback(result.run, folder / "state", connections, labs.silent).ok
            assert leaf.text == before
        finally:
            leaf.has_commit_delay = True
