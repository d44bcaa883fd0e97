"""The life of a replacement: out of service, another unit, plan, apply, verify, back in service."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError
from fabric.devices.connections import connections as connected
from fabric.devices.traffic import graceful_shutdown
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import Selection
from fabric.workflow.plan import plan
from fabric.workflow.project import Project
from fabric.workflow.replace import Replacement, Unit
from tests.boot.swapped import NEW, contact, swap, written
from tests.boot.test_start import FABRICS
from tests.change import labs
from tests.waiting import until

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1, traffic_stopped=True)


def drained(system: str, file: Path) -> bool | None:
    """Drain the leaf as a person does; tell whether it is, None where its system cannot."""
    platforms = {labs.LEAF: system, labs.SPINE: system, labs.HOST: "host"}
    driver = open_driver(connected(file, platforms)[labs.LEAF], 60.0)
    try:
        bgp = graceful_shutdown(driver)
        if bgp is None:
            return None
        bgp.drain()
        return bgp.drained()
    finally:
        driver.close()


@pytest.mark.parametrize(
    "system", [pytest.param("sonic", marks=pytest.mark.mechanism), *sorted({*FABRICS} - {"sonic"})]
)
def test_a_switch_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.chdir(tmp_path)
    text = written(tmp_path, FABRICS[system])
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, file):
        state, inventory = tmp_path / "state", tmp_path / "inventory"
        first = apply(labs.planned(project, file), state, file, OPTIONS, labs.silent)
        assert first.ok, first.reasons
        assert drained(system, file) in (True, None)
        old = lab[labs.LEAF].trust

        done = Replacement(inventory, labs.LEAF, Unit(NEW), file).run()
        assert done.old_key
        assert done.steps[0] == f"keep jobs away from {labs.HOST}"
        assert done.steps[-1].endswith(f"return {labs.HOST} to service")
        swap(lab, Project(inventory), labs.LEAF, file)
        now, leaf = Project(inventory), Selection(only=labs.LEAF)
        with pytest.raises(DeviceError, match=f"^{labs.LEAF}: "):  # its key is not known yet
            plan(now, file, leaf, "rail", labs.silent)
        assert contact(tmp_path, labs.LEAF, file) == {}
        assert lab[labs.LEAF].trust not in ("", old)

        whole = plan(now, file, leaf, "rail", labs.silent, rollout=True)
        (tmp_path / "drains").unlink(missing_ok=True)
        again = apply(whole, state, file, OPTIONS, labs.silent)
        assert again.ok, again.reasons
        drains = [json.loads(line) for line in (tmp_path / "drains").read_text().splitlines()]
        assert [(one["event"], one["hosts"]) for one in drains] == [
            ("drain", labs.HOST),
            ("undrain", labs.HOST),
        ]
        assert labs.unhealthy(now, file) == []
        assert labs.planned(now, file).empty  # neighbours and hosts needed nothing


def new_nic(host: Any, interface: str, mac: str) -> None:
    """Put another NIC into a host, which restarts for it."""
    nics = [replace(one, mac=mac) if one.interface == interface else one for one in host.spec.nics]
    host.spec = replace(host.spec, nics=tuple(nics))
    host.network.state.links[interface].mac = mac
    host.reboot()


@pytest.mark.parametrize("stack", ["netplan-networkd", "networkd", "networkmanager"])
def test_a_nic_that_files_match_by_mac_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: str
) -> None:
    """Without new files it has no address; the plan is those files, and brings it back."""
    old, new = "02:00:00:00:0a:01", "02:00:00:00:0a:02"
    text = labs.INVENTORY.replace("host: {", f"host: {{network_stack: {stack}, ")
    inventory, state = tmp_path / "inventory", tmp_path / "state"
    (inventory / "hosts").mkdir(parents=True)
    entry = f"hosts:\n  - {{names: {labs.HOST}, nics: [{{rail: 0, mac: '{old}'}}]}}\n"
    (inventory / "hosts" / "own.yaml").write_text(entry)
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, file):
        first = apply(labs.planned(project, file), state, file, OPTIONS, labs.silent)
        assert first.ok, first.reasons
        new_nic(lab[labs.HOST], "eth1", new)
        until(lambda: labs.unhealthy(project, file), "the host is back, without its address")

        Replacement(inventory, labs.HOST, Unit(mac=new, rail=0)).run()
        now = Project(inventory)
        whole = labs.planned(now, file)
        assert [name for name, one in whole.devices.items() if one.changes] == [labs.HOST]
        again = apply(whole, state, file, OPTIONS, labs.silent)
        assert again.ok, again.reasons
        assert labs.unhealthy(now, file) == []
