"""NICs of Broadcom and AMD Pensando in the lab: what `apply.sh` calls, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.systems.host.lab import HostStandIn
from fabric.workflow.apply import Options, apply
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.change import labs

if TYPE_CHECKING:
    from pathlib import Path

UUID = "42424650-5232-3235-3230-303437303030"
HOST = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  nic: {{vendor: {vendor}, driver: {driver}}}
"""
VENDORS = {"bnxt": "broadcom", "ionic": "amd"}
SCHEDULE = "nicctl update qos scheduling --priority 3,0,6 --dwrr {} --rate-limit {}"
SETUP = "bnxt_setupcc.sh -d mlx5_1 -i rail0 -m 3 -r 3 -s 26 -c 6 -p 48 -b 50 -u 4"
REFUSED = {
    "no such NIC": (SETUP.replace("rail0", "rail9"), "-i rail9: there is no such interface"),
    "no such device": (SETUP.replace("mlx5_1", "bnxt_re9"), "there is no such RDMA device"),
    "no such priority": (SETUP.replace("-r 3", "-r 8"), "'8' is not a number from 0 to 7"),
    "another tool": (SETUP.replace("-u 4", "-u 1"), "only modes 1 to 3 and -u 4"),
    "an unknown option": (f"{SETUP} -x 1", "with values are supported"),
    "a priority without a DSCP": (SCHEDULE.format("50,50,0", "0,0,10"), "priority 3 has no DSCP"),
    "columns": (SCHEDULE.format("50,50", "0,0,10"), "need as many values"),
    "a port without a UUID": (
        "nicctl update port -p eth1 --pause-type pfc --rx-pause enable --tx-pause enable",
        "only the updates of a rendered apply.sh",
    ),
    "an option less": ("nicctl update qos pfc --priority 3", "needed: --no-drop, --priority"),
    "a device that is absent": ("nicctl update dcqcn -r ionic_9 -i 1", "no such RDMA device"),
    "what is shown": ("nicctl show port", "only the updates of a rendered apply.sh"),
}


@pytest.mark.parametrize(("command", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(host: HostStandIn, command: str, message: str) -> None:
    device = host.spec.nics[0].rdma_device
    code, said = host.run_detached(command.replace("mlx5_1", device))
    assert (code, message in said) == (1, True), said


def test_a_share_of_nothing_needs_a_rate_limit(host: HostStandIn) -> None:
    for dscp, priority in ((26, 3), (48, 6)):
        mark = f"nicctl update qos dscp-to-priority --dscp {dscp} --priority {priority}"
        assert host.run_detached(mark) == (0, "")
    assert host.run_detached(SCHEDULE.format("50,50,0", "0,0,10")) == (0, "")
    code, said = host.run_detached(SCHEDULE.format("50,50,0", "0,0,0"))
    assert (code, "priority 6 has neither a share nor a rate limit" in said) == (1, True)


@pytest.mark.parametrize("driver", VENDORS)
def test_a_host_is_applied_in_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str
) -> None:
    with labs.running_lab(tmp_path, monkeypatch) as (running, _, connections):
        project = _inventory(tmp_path / "inventory", driver)
        only = Selection(switches=False)
        made = plan(project, connections, only, "rail", labs.silent)
        options = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
        result = apply(made, tmp_path / "state", connections, options, labs.silent)
        assert result.ok, result.reasons
        device = running[labs.HOST]
        assert plan(project, connections, only, "rail", labs.silent).empty
        if driver == "bnxt":
            assert device.qos["eth1"].pfc == [0, 0, 0, 1, 0, 0, 0, 0]
            assert device.qos["eth1"].dscp == {26: 3, 48: 6}
        else:
            assert device.nic_tools.marks == {26: 3, 48: 6}
            assert device.nic_tools.settings[f"port {UUID} pause-type"] == "pfc"
            assert device.nic_tools.settings["dcqcn mlx5_1 cnp-dscp"] == "48"


def _inventory(folder: Path, driver: str) -> Project:
    """Give the host of the inventory another NIC."""
    file = folder / "fabric.yaml"
    text = file.read_text()
    nic = HOST.format(vendor=VENDORS[driver], driver=driver)
    file.write_text(text[: text.index("host:")] + nic + text[text.index("management:") :])
    if driver == "ionic":
        (folder / "hosts").mkdir(exist_ok=True)
        row = f"hosts:\n  - names: {labs.HOST}\n    nics: [{{rail: 0, port_uuid: {UUID}}}]\n"
        (folder / "hosts" / "uuids.yaml").write_text(row)
    return Project(folder)
