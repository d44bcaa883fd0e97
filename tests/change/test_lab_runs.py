"""Plans and runs against the lab, with real netmiko and NAPALM, undisturbed and under faults."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.core.errors import (
    DeviceError,
    ForeignSessionError,
    IdentityMismatchError,
    JournalError,
)
from fabric.lab.faults import Fault
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift, verify
from tests.change import labs
from tests.change.labs import ALL, planned
from tests.reliability.faults import by_injection

APPLY = "sudo -n sh -c /etc/rocefab/apply.sh"
OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)


def applied(made, folder, connections, options=OPTIONS):
    return apply(made, folder / "state", connections, options, labs.silent)


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A lab on which the inventory has been applied."""
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        result = applied(planned(project, connections), tmp_path, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, project, connections, tmp_path


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory):
    """The same for all tests that leave the lab as their inventory says."""
    folder = tmp_path_factory.mktemp("shared")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, _, connections),
    ):
        project = labs.changed(folder / "inventory", "lossless:\n", "lossless:\n  cnp_dscp: 48\n")
        result = applied(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert labs.unhealthy(project, connections) == []
        yield lab, connections, folder


@pytest.fixture
def shared(shared_lab):
    lab, connections, folder = shared_lab
    yield lab, Project(folder / "inventory"), connections, folder
    for name in lab.names():
        lab[name].faults.clear()


def changed_everywhere(folder):
    """Return the project after a change that no device has seen yet."""
    file = folder / "inventory" / "fabric.yaml"
    text = file.read_text()
    text = re.sub(r"kmax_bytes: (\d+)", lambda m: f"kmax_bytes: {int(m[1]) - 1000}", text)
    text = re.sub(r"cnp_dscp: (\d+)", lambda m: f"cnp_dscp: {98 - int(m[1])}", text)
    file.write_text(text)
    return Project(folder / "inventory")


def sonic_state(lab):
    return json.dumps(lab[labs.LEAF].running, sort_keys=True)


def everything(lab):
    host = lab[labs.HOST]
    return (
        sonic_state(lab),
        lab[labs.SPINE].running_text,
        re.sub(r"link_flaps=\d+", "", str(host.qos["eth1"])),
        host.fs.exists("/etc/rocefab/apply.sh"),
    )


@pytest.mark.mechanism
def test_from_the_box_to_a_verified_fabric(ready):
    lab, project, connections, folder = ready
    assert labs.unhealthy(project, connections) == []
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))
    again = planned(project, connections)
    assert again.empty
    assert describe(again) == "No changes. 3 devices match the inventory.\n"
    assert lab[labs.LEAF].table("MGMT_INTERFACE")  # what is not ours is kept
    assert "username admin privilege 15" in lab[labs.SPINE].running_text
    kept = folder / "state" / "runs" / "1" / "spine01.before.json"
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.fault(22)
def test_secrets_stay_out_of_plan_and_journal(ready):
    _, _, _, folder = ready
    database = (folder / "state" / "journal.sqlite3").read_bytes()
    for secret in (b"lab-password", b"$6$lab$"):
        assert secret not in database


@pytest.mark.parametrize(
    ("device", "edit", "path"),
    [
        (
            labs.LEAF,
            lambda s: s.hand_edit("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "9"),
            "WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold",
        ),
        (
            labs.LEAF,
            lambda s: s.hand_edit("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "4"),
            "PORT_QOS_MAP|Ethernet0|pfc_enable",
        ),
        (
            labs.SPINE,
            lambda s: s.hand_edit("mac address-table aging-time 100"),
            "mac address-table aging-time",
        ),
        (labs.HOST, lambda s: s.run_detached("mlnx_qos -i eth1 --pfc 0,0,0,0,0,0,0,0"), "eth1 pfc"),
        (labs.HOST, lambda s: s.run_detached("mlnx_qos -i eth1 -d fw"), "eth1 dcbx"),
        (labs.HOST, lambda s: s.run_detached("rm /etc/sysctl.d/zz-rocefab.conf"), "zz-rocefab"),
    ],
)
def test_a_change_by_hand_is_drift_and_goes_away(shared, device, edit, path):
    lab, project, connections, folder = shared
    edit(lab[device])
    found = {item.device: item for item in drift(project, connections, ALL, labs.silent)}
    assert [name for name, item in found.items() if not item.ok] == [device]
    assert any(path in change.path for change in found[device].drift)
    result = applied(planned(project, connections), folder, connections)
    assert result.ok, result.reasons
    assert all(item.ok for item in drift(project, connections, ALL, labs.silent))


@pytest.mark.fault(28)
def test_unsaved_configuration_is_reported(ready):
    lab, project, connections, _ = ready
    lab[labs.LEAF].hand_edit("MGMT_INTERFACE", "eth0|192.0.2.2/24", "gwaddr", "192.0.2.3")
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert [str(item) for item in found[labs.LEAF].deviations] == [
        "su1-rail0: saved configuration: the running configuration is not saved"
    ]


def test_wrong_cable_is_reported_from_both_ends(ready):
    lab, project, connections, _ = ready
    leaf = lab[labs.LEAF]
    from fabric.lab.spec import Neighbour

    leaf.neighbours["Ethernet0"] = [Neighbour("Ethernet0", "gpu9", "eth1")]
    found = {item.device: item for item in verify(project, connections, ALL, labs.silent)}
    assert [str(item) for item in found[labs.LEAF].deviations] == [
        "su1-rail0: lldp Ethernet0: gpu9 eth1, expected gpu1 eth1"
    ]


def test_qos_thresholds_change_in_place(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    assert made.devices[labs.LEAF].method == "live"
    assert made.devices[labs.LEAF].risk.word == "harmless"
    assert made.devices[labs.SPINE].risk.word == "harmless"
    flaps = dict(lab[labs.LEAF].port_flaps)
    assert applied(made, folder, connections).ok
    assert dict(lab[labs.LEAF].port_flaps) == flaps


@pytest.mark.mechanism
def test_whole_run_is_taken_back(ready):
    lab, _, connections, folder = ready
    before = everything(lab)
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    result = applied(planned(project, connections), folder, connections)
    assert everything(lab) != before
    back = rollback(result.run, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert everything(lab) == before
    assert [row["kind"] for row in status(folder / "state")] == ["apply", "apply", "rollback"]


def test_first_run_is_taken_back_too(ready):
    lab, _, connections, folder = ready
    back = rollback(1, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert "BGP_NEIGHBOR" not in lab[labs.LEAF].running
    assert "qos profile" not in lab[labs.SPINE].running_text
    assert not lab[labs.HOST].fs.exists("/etc/rocefab/apply.sh")


@pytest.mark.fault(11)
def test_rollback_is_refused_after_another_change(ready):
    lab, _, connections, folder = ready
    lab[labs.LEAF].hand_edit("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "9")
    back = rollback(1, folder / "state", connections, labs.silent)
    assert not back.ok
    assert "changed again after run 1" in back.reasons[0]


@pytest.mark.fault(11)
def test_stale_plan_is_refused_before_anything_is_written(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    lab[labs.SPINE].hand_edit("mac address-table aging-time 100")
    before = everything(lab)
    result = applied(made, folder, connections)
    assert not result.ok
    assert "changed after it was planned" in result.reasons[0]
    assert everything(lab) == before


@pytest.mark.fault(5)
def test_foreign_identity_is_never_written_to(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    before = everything(lab)
    lab[labs.SPINE].faults.add(Fault("identity", text="other-switch", times=0))
    result = applied(made, folder, connections)
    assert not result.ok
    assert "host name is 'other-switch', expected 'spine01'" in result.reasons[0]
    assert everything(lab) == before
    with pytest.raises(IdentityMismatchError):
        planned(project, connections)


@pytest.mark.fault(15)
def test_unknown_host_key_is_refused(ready):
    _, project, connections, _ = ready
    data = json.loads(connections.read_text())
    data["devices"][labs.LEAF]["trust"] = data["devices"][labs.HOST]["trust"]
    data["devices"][labs.SPINE]["trust"] = ""
    connections.write_text(json.dumps(data))
    with pytest.raises(DeviceError) as caught:
        planned(project, connections)
    texts = [str(caught.value), *caught.value.__notes__]
    assert any(labs.LEAF in text and "cannot log in" in text for text in texts)
    assert any(labs.SPINE in text and "certificate" in text.lower() for text in texts)


@pytest.mark.fault(12)
def test_foreign_session_is_respected(ready):
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    lab[labs.SPINE].open_foreign_session("colleague", "hostname somebody")
    before = everything(lab)
    result = applied(made, folder, connections)
    assert not result.ok
    assert (
        "another configuration session is active on it: configuration session colleague"
        in result.reasons[0]
    )
    assert everything(lab) == before


FAULTS = {
    "leaf refuses the rows": (labs.LEAF, Fault("refuse_line", pattern="config load")),
    "leaf is cut in the commit": (labs.LEAF, Fault("cut_at_command", pattern="config load")),
    "leaf is cut in its answer": (
        labs.LEAF,
        Fault("cut_at_byte", pattern="config load", count=5),
    ),
    "leaf reboots in the commit": (
        labs.LEAF,
        Fault("reboot", pattern="config load", seconds=0.5),
    ),
    "leaf takes only a part": (labs.LEAF, Fault("accept_part", pattern="config load", count=1)),
    "leaf's timer runs out": (
        labs.LEAF,
        Fault("expire_timer", pattern="show ip bgp summary", nth=2),
    ),
    "leaf is slow": (labs.LEAF, Fault("slow", pattern="show", seconds=0.3, times=3)),
    "spine refuses a line": (labs.SPINE, Fault("refuse_line", pattern="random-detect ecn minimum")),
    "spine is cut in the commit": (labs.SPINE, Fault("cut_at_command", pattern="commit timer")),
    "spine reboots in the commit": (
        labs.SPINE,
        Fault("reboot", pattern="commit timer", seconds=0.5),
    ),
    "spine's timer runs out": (
        labs.SPINE,
        Fault("expire_timer", pattern="show ip bgp summary"),
    ),
    "host refuses the command": (
        labs.HOST,
        Fault("refuse_line", pattern=APPLY),
    ),
    "host is cut": (
        labs.HOST,
        Fault("cut_at_command", pattern=APPLY),
    ),
    "host reboots": (
        labs.HOST,
        Fault("reboot", pattern=APPLY, seconds=0.5),
    ),
}
HARMLESS = {"leaf is slow"}


@pytest.mark.parametrize("name", by_injection({name: fault for name, (_, fault) in FAULTS.items()}))
def test_fault_in_the_commit_window(shared, name):
    """Whatever goes wrong, the wave is as before, or the run succeeds; never in between."""
    lab, _, connections, folder = shared
    project = changed_everywhere(folder)
    made = planned(project, connections)
    device, fault = FAULTS[name]
    before = everything(lab)
    lab[device].faults.add(
        Fault(
            fault.kind,
            fault.pattern,
            fault.nth,
            fault.times,
            fault.count,
            fault.seconds,
            fault.text,
        )
    )
    result = applied(made, folder, connections)
    lab[device].faults.clear()
    if name in HARMLESS:
        assert result.ok, result.reasons
        return
    assert not result.ok
    assert any(device in reason for reason in result.reasons)
    after = everything(lab)
    index = [labs.LEAF, labs.SPINE].index(device) if device != labs.HOST else 2
    assert after[index] == before[index]
    states = {row["device"]: row["state"] for row in status(folder / "state", result.run)}
    assert states.get(device, "untouched") in {"rolled-back", "untouched"}
    repaired = applied(planned(project, connections), folder, connections)
    assert repaired.ok, repaired.reasons


@pytest.mark.fault(8, 27)
def test_killed_in_the_commit_window_and_resumed(ready):
    """A real process, killed while the leaf waits for its confirmation."""
    lab, _, connections, folder = ready
    project = labs.changed(folder / "inventory", "kmax_bytes: 1500000", "kmax_bytes: 1400000")
    made = planned(project, connections)
    (folder / "plan.json").write_text(made.to_json())
    command = [sys.executable, "-m", "fabric", "apply"]
    options = ["--connections", str(connections), "--state", str(folder / "state")]
    lab[labs.LEAF].faults.add(Fault("slow", pattern="show ip bgp summary", nth=2, seconds=5))
    process = subprocess.Popen(
        [*command, str(folder / "plan.json"), "--commit", *options],
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(f"{labs.LEAF}: commit"):
            break
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    lab[labs.LEAF].faults.clear()
    assert status(folder / "state")[-1]["state"] == "interrupted"
    with pytest.raises(ForeignSessionError, match="an unconfirmed change is pending on it"):
        planned(project, connections)
    with pytest.raises(JournalError):
        applied(made, folder, connections)
    resumed = subprocess.run(
        [*command, "--resume", *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert resumed.returncode == 0, resumed.stderr
    assert status(folder / "state")[-1]["state"] == "done"
    assert labs.unhealthy(project, connections) == []
