"""Several lossless classes: what each system and each host renders, reads back, and applies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from fabric.change.expectation import of_switch
from fabric.core.findings import Severity
from fabric.intent.classes import lossless_classes
from fabric.intent.policy import ClassPolicy, EcnPolicy, LosslessPolicy, SchedulerPolicy
from fabric.intent.resolve import PolicyResolver
from fabric.placement.export import Order
from fabric.placement.job_host import JobImage
from fabric.qos.deadlock.lossless import LOSSY, uplink_classes, vertex_count
from fabric.render import render_device
from fabric.systems.host.render import render_host
from fabric.workflow.apply import Options, apply
from fabric.workflow.check import check
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change.labs import ALL, planned, running_lab, silent, unhealthy

EXAMPLES = Path(__file__).parents[2] / "inventory"
TWO = [
    {"name": "rdma", "dscps": [26], "pfc_priority": 3, "scheduler_percent": 40},
    {
        "name": "storage",
        "dscps": [34, 35],
        "pfc_priority": 4,
        "scheduler_percent": 20,
        "ecn": {"kmin_bytes": 1_600_000},
    },
]
ONE = [{"name": "rdma", "dscps": [26], "pfc_priority": 3}]
#: Lines of the second class, and how often each port in use or the whole switch has them.
LINES = {
    "cumulus-leaf": """\
nv set qos mapping default-global dscp 32 switch-priority 0
nv set qos egress-queue-mapping default-global switch-priority 4 traffic-class 4
nv set qos pfc default-global switch-priority 3,4
nv set qos congestion-control default-global traffic-class 4 min-threshold 1600000
nv set qos egress-scheduler default-global traffic-class 4 bw-percent 20
""",
    "eos-leaf": """\
   priority-flow-control priority 4 no-drop
   uc-tx-queue 4
      bandwidth percent 20
      random-detect ecn minimum-threshold 1600000 bytes maximum-threshold 3000000 bytes \
max-mark-probability 100 weight 0
qos map dscp 34 35 to traffic-class 4
qos map traffic-class 4 to tx-queue 4
""",
    "nxos-leaf": """\
class-map type qos match-any ROCE-STORAGE
  match dscp 34-35
    set qos-group 4
  class type network-qos c-8q-nq4
    pause pfc-cos 4
    bandwidth remaining percent 20
    random-detect minimum-threshold 1600 kbytes maximum-threshold 3000 kbytes \
drop-probability 100 weight 0 ecn
""",
    "junos-leaf": """\
set class-of-service forwarding-classes class NO-LOSS-STORAGE queue-num 4
set class-of-service forwarding-classes class NO-LOSS-STORAGE no-loss
set class-of-service forwarding-classes class NO-LOSS-STORAGE pfc-priority 4
set class-of-service classifiers dscp ROCE forwarding-class NO-LOSS-STORAGE loss-priority low \
code-points 100011
set class-of-service congestion-notification-profile ROCE input dscp code-point 100010 pfc
set class-of-service congestion-notification-profile ROCE output ieee-802.1 code-point 100 \
flow-control-queue 4
set class-of-service schedulers LOSSLESS-STORAGE drop-profile-map loss-priority any protocol any \
drop-profile ECN-STORAGE
set class-of-service scheduler-maps ROCE forwarding-class NO-LOSS-STORAGE scheduler \
LOSSLESS-STORAGE
""",
    "vrp8-leaf": """\
 priority 4
 priority 4 deadlock-detect time 2
 ip-dscp-inbound 34 phb af4 green
drop-profile roce-ecn-storage
 ecn buffer-size low-limit 1600000 high-limit 3000000 discard-percentage 100
 qos queue 4 drr weight 20
 qos queue 4 wred roce-ecn-storage
""",
    "comware7-leaf": """\
 priority-flow-control no-drop dot1p 3,4
 import 34 35 export 4
""",
    "esonic-leaf": """\
qos wred-policy ROCE-storage
 dscp 34-35 traffic-class 4
 queue 4 wred-policy ROCE-storage
 priority-flow-control priority 4
 weight 20
""",
    "sonic-leaf": """\
"AZURE_LOSSLESS_Q4": {
"scheduler.1.q4": {"type": "DWRR", "weight": "20"},
"Ethernet0|4": {"scheduler": "scheduler.1.q4", "wred_profile": "AZURE_LOSSLESS_Q4"},
"Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"},
""",
}


def inventory(folder: Path, classes: list[dict], **lossless: object) -> Path:
    """Write the example of all systems with a list of classes; return its folder."""
    shutil.copytree(EXAMPLES / "mixed", folder)
    file = folder / "fabric.yaml"
    data = yaml.safe_load(file.read_text())
    for name in ("roce_dscp", "pfc_priority"):
        del data["lossless"][name]
    data["lossless"] |= {"classes": classes, **lossless}
    file.write_text(yaml.safe_dump(data))
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> Project:
    folder = tmp_path_factory.mktemp("two") / "inventory"
    return Project(inventory(folder, TWO, scheduler={"default_percent": 40}))


@pytest.mark.parametrize("switch", LINES)
def test_each_system_has_the_second_class(two, switch):
    text = "".join(one.text for one in render_device(two.devices[switch]))
    lines = {" ".join(line.split()) for line in text.splitlines()}
    for line in LINES[switch].splitlines():
        assert any(" ".join(line.split()) in one for one in lines), line


@pytest.mark.parametrize("switch", LINES)
def test_verify_expects_both_priorities(two, switch):
    expected = of_switch(two.devices[switch], {}).pfc
    assert set(expected.values()) <= {(3, 4)}


def test_hosts_have_both_priorities(two):
    (script,) = [
        one.text for one in render_host(two.hosts["gpu1"]) if one.path.endswith("apply.sh")
    ]
    for line in (
        "--pfc 0,0,0,1,1,0,0,0",
        "--tcbw 40,0,0,40,20,0,0,0",
        "--dscp2prio set,35,4",
        "ecn/roce_np/enable/3\n",
        "ecn/roce_rp/enable/4\n",
        "cma_roce_tos -d mlx5_1 -p 1 -t 104",
    ):
        assert line in script, line


def test_no_rule_objects(two):
    assert [str(one) for one in check(two).at_least(Severity.ERROR)] == []


def test_a_list_of_one_class_renders_what_the_fields_render(tmp_path):
    fields, listed = Project(EXAMPLES / "mixed"), Project(inventory(tmp_path / "one", ONE))
    for name, device in fields.devices.items():
        other = render_device(listed.devices[name])
        assert [(one.path, one.text) for one in render_device(device)] == [
            (one.path, one.text) for one in other
        ]
    for name, host in fields.hosts.items():
        assert [one.text for one in render_host(host)] == [
            one.text for one in render_host(listed.hosts[name])
        ]


def test_defaults_of_a_class():
    policy = LosslessPolicy(
        classes=(
            ClassPolicy(name="a", dscps=(3,), pfc_priority=3),
            ClassPolicy(name="b", dscps=(4,), pfc_priority=4, ecn=EcnPolicy(pmax_percent=5)),
            ClassPolicy(name="c", dscps=(5,), pfc_priority=5, queue=2),
        ),
        ecn=EcnPolicy(kmin_bytes=10, kmax_bytes=20),
        scheduler=SchedulerPolicy(lossless_percent=50),
    )
    first, second, third = lossless_classes(policy)
    assert [one.percent for one in (first, second, third)] == [17, 17, 16]
    assert (second.kmin_bytes, second.kmax_bytes, second.pmax_percent) == (10, 20, 5)
    assert first.own_thresholds
    assert (third.traffic_class, third.queue, third.priority_group) == (5, 2, 5)
    assert second.field("ecn.pmax_percent") == "classes.1.ecn.pmax_percent"
    assert second.field("ecn.kmin_bytes") == "ecn.kmin_bytes"


def test_each_class_has_its_lossless_buffers(two):
    single = Project(EXAMPLES / "mixed")
    counts = [vertex_count(one.fabric, PolicyResolver(one.fabric.intent)) for one in (single, two)]
    assert counts[1] == 2 * counts[0]
    device = two.devices["sonic-leaf"]
    ports = [port for port in device.ports if port.headroom]
    assert len(device.lossless_groups) == 2 * len(ports)


def test_a_class_that_one_end_lacks_is_lossy_there(tmp_path):
    folder = inventory(tmp_path / "inventory", TWO, scheduler={"default_percent": 40})
    (folder / "devices" / "spine.yaml").write_text(
        f"devices:\n  - names: spine01\n    lossless: {{classes: {TWO[:1]}}}\n"
    )
    project = Project(folder)
    fabric = project.fabric
    classes = uplink_classes(fabric, PolicyResolver(fabric.intent))
    at_spine = fabric.uplinks.upper == fabric.switch_row["spine01"]
    assert ((classes != LOSSY).sum(axis=1)[at_spine] == 1).all()
    assert ((classes != LOSSY).sum(axis=1)[~at_spine] == 2).all()
    assert "QOS006" in {one.rule for one in check(project).findings}


@pytest.mark.parametrize(("name", "byte"), [(None, "104"), ("rdma", "104"), ("storage", "136")])
def test_a_job_names_its_class(two, name, byte):
    order = Order(fabric=two.fabric, nodes=2, job=JobImage(lossless_class=name))
    for environment in order.environments.values():
        assert environment.values["NCCL_IB_TC"] == byte


def test_all_systems_take_the_second_class_and_go_back(tmp_path, monkeypatch):
    """From one class to two and back, on every system and its host; nothing drifts."""
    text = (EXAMPLES / "mixed" / "fabric.yaml").read_text()
    folder = tmp_path / "inventory"
    options = Options(timer_s=300, verify_s=30.0, poll_s=0.1)
    shutil.copytree(EXAMPLES / "mixed" / "devices", folder / "devices")
    with running_lab(tmp_path, monkeypatch, text) as (_, project, connections):
        state = tmp_path / "state"
        assert apply(planned(project, connections), state, connections, options, silent).ok
        shutil.rmtree(folder)
        after = Project(inventory(folder, TWO, scheduler={"default_percent": 40}))
        result = apply(planned(after, connections), state, connections, options, silent)
        assert result.ok, result.reasons
        assert unhealthy(after, connections) == []
        assert [one.device for one in drift(after, connections, ALL, silent) if one.drift] == []
        assert rollback(result.run, state, connections, silent).ok
        assert [one.device for one in drift(project, connections, ALL, silent) if one.drift] == []


EARLY = {"wred": {"kmin_bytes": 1_500_000, "kmax_bytes": 3_000_000}}
DROPS = {
    "sonic-leaf": """\
"AZURE_LOSSY": {
"ecn": "ecn_none",
"green_drop_probability": "10",
"Ethernet0|0": {"scheduler": "scheduler.0", "wred_profile": "AZURE_LOSSY"},
"q_lossy_profile": {"pool": "egress_lossy_pool", "size": "4096", "dynamic_th": "-2"},
""",
    "nxos-leaf": """\
    random-detect minimum-threshold 1500 kbytes maximum-threshold 3000 kbytes \
drop-probability 10 weight 0
""",
    "junos-leaf": """\
set class-of-service drop-profiles WRED interpolate drop-probability 10
set class-of-service schedulers DEFAULT drop-profile-map loss-priority any protocol any \
drop-profile WRED
""",
}


@pytest.mark.parametrize("switch", DROPS)
def test_early_drops_of_other_traffic(tmp_path, switch):
    buffers = {"dynamic_th": -2, "reserved_bytes": 4096} if switch == "sonic-leaf" else {}
    project = Project(inventory(tmp_path / "inventory", ONE, lossy={**EARLY, **buffers}))
    text = "".join(one.text for one in render_device(project.devices[switch]))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in DROPS[switch].splitlines():
        assert any(" ".join(line.split()) in one for one in lines), line


def test_a_system_without_early_drops_says_so(tmp_path):
    project = Project(inventory(tmp_path / "inventory", ONE, lossy=EARLY))
    lacking = {one.device for one in check(project).findings if one.rule == "SYS001"}
    assert {"eos-leaf", "cumulus-leaf"} <= lacking
    assert not lacking & set(DROPS)
