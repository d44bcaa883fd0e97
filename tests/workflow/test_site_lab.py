"""Two fabrics on the same hosts in the lab: each applied, verified and taken back by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabric.topology.cabling import CableVerdict
from fabric.workflow.apply import Options, apply
from fabric.workflow.cabling import cabling
from fabric.workflow.laboratory import CONNECTIONS, site_laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.rollback import rollback
from fabric.workflow.site import projects_of
from fabric.workflow.verify import drift, verify
from tests.workflow.host_lab import silent

SITE = Path(__file__).parents[2] / "inventory" / "site"
HOST = "gpu001"
OPTIONS = Options(timer_s=60, verify_s=10.0, poll_s=0.1)
SCRIPTS = {"compute": "/etc/rocefab", "storage": "/etc/rocefab/storage"}
FILES = {
    "compute": ("/etc/netplan/60-rocefab.yaml", "/etc/systemd/system/rocefab-nic@.service"),
    "storage": (
        "/etc/netplan/60-rocefab-storage.yaml",
        "/etc/systemd/system/rocefab-storage-nic@.service",
    ),
}


class Bench:
    """Both projects, their lab, and what a person does with them."""

    def __init__(self, folder, lab, projects):
        self.folder, self.lab, self.projects = folder, lab, projects
        self.host = lab[HOST]
        self.connections = folder / "lab" / CONNECTIONS

    def chosen(self, name):
        project = self.projects[name]
        mine = [one for one in (*project.devices, HOST) if not one.startswith(("gpu002", "nas"))]
        return Selection(only=",".join(mine))

    def plan(self, name):
        return plan(self.projects[name], self.connections, self.chosen(name), "rail", silent)

    def apply(self, name):
        built = self.plan(name)
        done = apply(built, self.folder / name, self.connections, OPTIONS, silent)
        assert done.ok, done.reasons
        return done

    def unhealthy(self, name):
        result = verify(self.projects[name], self.connections, self.chosen(name), silent, wait_s=10)
        return [item for item in result if not item.ok]

    def drift(self, name):
        """Return what is apart on the host."""
        selection = Selection(switches=False, only=HOST)
        (result,) = drift(self.projects[name], self.connections, selection, silent)
        return [] if result.ok else [str(change.path) for change in result.drift] or [str(result)]

    def check(self, name):
        return self.host.run_detached(f"sh {SCRIPTS[name]}/check.sh")

    def state(self, *interfaces):
        """Return what the kernel and the driver hold for NICs, and the rules of their tables."""
        state = self.host.network.state
        links = {one: state.links[one] for one in interfaces}
        addresses = {one: list(link.addresses) for one, link in links.items()}
        plain = [text.split("/")[0] for result in addresses.values() for text in result]
        return {
            "addresses": addresses,
            "mtu": {one: link.mtu for one, link in links.items()},
            "pfc": {one: list(self.host.qos[one].pfc) for one in interfaces},
            "rules": sorted((r["src"], r["table"]) for r in state.rules if r["src"] in plain),
        }


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCEFAB_PASSWORD", "lab-password")
        projects = projects_of(SITE)
        with site_laboratory(projects, folder / "lab") as lab:
            lab[HOST].watch_light(lambda _port: True)  # its switches stay as from the box: shut
            yield Bench(folder, lab, projects)


def test_cables_of_the_other_fabric_are_no_finding(bench, monkeypatch):
    def wrong(name):
        result = cabling(bench.projects[name], bench.connections, Selection(only=HOST), silent)
        return [(item.near, item.far, item.verdict) for item in result.wrong]

    assert (wrong("compute"), wrong("storage")) == ([], [])
    crossed = [
        replace(one, system_name="su1-rail0", port_id="etp9") if one.local_port == "eth3" else one
        for one in bench.host.spec.neighbours
    ]
    monkeypatch.setattr(bench.host, "spec", replace(bench.host.spec, neighbours=tuple(crossed)))
    (result,) = wrong("compute")  # a NIC of storage on a switch of compute
    assert {*result[:2]} >= {(HOST, "eth3")}
    assert result[2] is CableVerdict.UNEXPECTED


def test_both_fabrics_one_after_the_other(bench):
    run = bench.apply("compute").run
    compute = bench.state("eth1", "eth2")
    assert compute["rules"] == [("10.64.0.2", "100"), ("10.64.1.2", "101")]
    assert not any(bench.host.fs.exists(path) for path in FILES["storage"])

    bench.apply("storage")
    storage = bench.state("eth3", "eth4")
    assert [table for _, table in storage["rules"]] == ["200", "201"]
    assert bench.state("eth1", "eth2") == compute
    for name in ("compute", "storage"):
        assert bench.unhealthy(name) == []
        assert bench.plan(name).empty
        assert bench.check(name) == (0, "")
        assert all(bench.host.fs.exists(path) for path in FILES[name])

    unit = FILES["storage"][1]
    text = bench.host.fs.read(unit)
    bench.host.fs.local(unit).unlink()
    bench.host.qos["eth4"].set_pfc([0] * 8)
    assert bench.drift("compute") == []
    assert bench.check("compute") == (0, "")
    assert {unit, "eth4 pfc"} <= {*bench.drift("storage")}
    assert bench.check("storage")[0] == 1
    assert bench.host.run_detached("/etc/rocefab/apply.sh")[0] == 0
    assert bench.host.qos["eth4"].pfc == [0] * 8  # the script of compute sets no NIC of storage
    bench.host.fs.put(unit, text)
    assert bench.host.run_detached("/etc/rocefab/storage/apply.sh")[0] == 0

    bench.host.on_reboot()
    marks = ("/run/rocefab/eth1", "/run/rocefab-storage/eth3")
    assert [bench.host.fs.exists(path) for path in marks] == [True, True]
    assert (bench.state("eth1", "eth2"), bench.state("eth3", "eth4")) == (compute, storage)

    back = rollback(run, bench.folder / "compute", bench.connections, silent)
    assert back.ok, back.reasons
    assert not any(bench.host.fs.exists(path) for path in FILES["compute"])
    assert bench.state("eth1", "eth2")["addresses"] == {"eth1": [], "eth2": []}
    assert all(bench.host.fs.exists(path) for path in FILES["storage"])
    assert bench.state("eth3", "eth4") == storage
    assert bench.unhealthy("storage") == []
    assert bench.check("storage") == (0, "")
