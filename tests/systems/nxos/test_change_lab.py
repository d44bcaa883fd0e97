"""Whole runs on NX-OS in the lab, with NAPALM's client, undisturbed and under faults."""

from __future__ import annotations

from fabric.lab.faults import Fault
from fabric.systems.nxos.parsers.text import blocks, configuration
from tests.change import labs
from tests.change.line_runs import Killed, LineLab, LineRuns

QUEUE = "policy-map type queuing ROCE-OUT\nclass type queuing c-out-8q-q3"
MARKING = (
    "random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 "
    "weight 0 ecn"
)
NXOS = LineLab(
    name="nxos",
    inventory=labs.NXOS,
    lower_kmax="maximum-threshold 1400 kbytes",
    account="username admin password 5",
    edits=(
        ("interface Ethernet1/1\npriority-flow-control mode auto", "priority-flow-control mode on"),
        (f"{QUEUE}\nno {MARKING}", "random-detect"),
        ("priority-flow-control override-interface mode off", "override-interface"),
        ("no router bgp 65101", "router bgp 65101"),
        ("vlan 500\nname THEIRS", "vlan 500"),
    ),
    mixed={
        "SONiC leaf": ("N9K-C9332D-GX2B", "ACS-MSN4700"),
        "SONiC spine": ("N9K-C9364D-GX2A", "ACS-SN5600"),
    },
    faults={
        "a line is refused": Fault("refuse_line", pattern="random-detect"),
        "the session breaks at a line": Fault("cut_at_command", pattern="random-detect"),
        "the answer to the lines is lost": Fault("cut_at_byte", pattern="random-detect", count=20),
        "only a part is taken": Fault("accept_part", pattern="random-detect", count=2),
        "the timer runs out at once": Fault("expire_timer", pattern="show running-config"),
        "the checkpoint is refused": Fault("refuse_line", pattern="^checkpoint"),
        "the schedule is refused": Fault("refuse_line", pattern="^time start"),
        "the job is refused": Fault("refuse_line", pattern="^scheduler job name"),
        "it reboots at the confirmation": Fault(
            "reboot", pattern="^no scheduler schedule", seconds=0.5
        ),
        "saving is refused": Fault("refuse_line", pattern="^copy running-config"),
    },
    refused=(
        Fault("refuse_line", pattern="random-detect", text="% QOS no\n"),
        "cannot change the configuration",
    ),
    timer_s=(59, 62),
    running=lambda switch: configuration(blocks(switch.running_text)),
    startup=lambda switch: configuration(blocks(switch.startup_text)),
    is_clean=lambda switch: (
        switch.state.checkpoints == {} and "rocefab-" not in switch.running_text
    ),
    is_disarmed=lambda switch: all(one.ran for one in switch.state.schedules.values()),
    killed=Killed(
        command="show bgp all",
        runs="router bgp",
        net=lambda switch: "scheduler schedule name rocefab-run-1-" in switch.running_text,
    ),
)


class TestRuns(LineRuns):
    system = NXOS
