"""Kernel parameters of hosts: which file wins at a boot, what a kernel lacks, garbled answers."""

from __future__ import annotations

import pytest

from fabric.lab.shell.state import Result
from fabric.workflow.apply import apply
from fabric.workflow.plan import plan
from fabric.workflow.plan_text import describe
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs
from tests.cli.runs import process
from tests.systems.host.test_change_stacks_lab import HOST, KEYFILES, OPTIONS, inventory

FILE, OLD = "/etc/sysctl.d/zz-rocefab.conf", "/etc/sysctl.d/90-rocefab.conf"
THRESHOLD = "net.ipv4.neigh.default.gc_thresh3"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch) as (running, _, connections):
        yield running[labs.HOST], connections, tmp_path


def applied(project, connections, folder):
    made = plan(project, connections, HOST, "rail", labs.silent)
    result = apply(made, folder / "state", connections, OPTIONS, labs.silent)
    assert result.ok, result.reasons
    return made, result.run


def test_our_values_win_at_a_boot(lab):
    """Against `/etc/sysctl.conf`, which is 99-sysctl.conf on Debian and Ubuntu."""
    host, connections, folder = lab
    host.fs.put("/etc/sysctl.d/99-sysctl.conf", f"{THRESHOLD} = 1024\n")
    project = inventory(folder, KEYFILES)
    applied(project, connections, folder)
    host.on_reboot()
    assert host.sysctl.get(THRESHOLD) == "16384"
    (found,) = drift(project, connections, HOST, labs.silent)
    assert found.drift == ()
    # The leaf has no configuration yet: its port is shut.
    assert [str(item) for item in found.deviations] == ["gpu1: H0 eth1: the link is down"]


def test_drift_looks_at_what_runs_and_not_at_the_file(lab):
    host, connections, folder = lab
    project = inventory(folder, KEYFILES)
    applied(project, connections, folder)
    host.run_detached("sysctl -w net.ipv4.conf.eth1.arp_notify=0")
    (found,) = drift(project, connections, HOST, labs.silent)
    assert [change.path for change in found.drift] == ["net.ipv4.conf.eth1.arp_notify"]
    (origin,) = found.origins
    assert origin is not None
    assert origin.line == "net.ipv4.conf.eth1.arp_notify = 1"


def test_the_file_under_its_old_name_goes_and_comes_back(lab):
    host, connections, folder = lab
    host.fs.put(OLD, f"{THRESHOLD} = 16384\n")
    made, number = applied(inventory(folder, KEYFILES), connections, folder)
    assert f"- {OLD}" in describe(made)
    assert (host.fs.exists(OLD), host.fs.exists(FILE)) == (False, True)
    back = rollback(number, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons
    assert (host.fs.exists(OLD), host.fs.exists(FILE)) == (True, False)


def test_what_the_host_lacks_is_passed_over_and_said(lab):
    host, connections, folder = lab
    host.lose(THRESHOLD, "pfc-prevention-tout")
    project = inventory(folder, KEYFILES)
    made, number = applied(project, connections, folder)
    assert f"# {THRESHOLD}: this host does not have it; skipped" in describe(made)
    code, said = host.run_detached("/etc/rocefab/apply.sh")
    assert code == 0
    assert "net/ipv4/neigh/default/gc_thresh3: this kernel does not have it; passed over" in said
    assert "eth1: its driver has no pfc-prevention-tout; passed over" in said
    assert plan(project, connections, HOST, "rail", labs.silent).empty
    (found,) = drift(project, connections, HOST, labs.silent)
    told = [str(item) for item in found.deviations if item.unknown]
    assert f"gpu1: skipped {THRESHOLD}: not available on this host" in told
    assert "gpu1: skipped storm:eth1: not available on this host" in told
    assert "storm time is not supported by" in host.run_detached("/etc/rocefab/check.sh")[1]
    back = rollback(number, folder / "state", connections, labs.silent)
    assert back.ok, back.reasons


@pytest.mark.fault(17)
def test_a_garbled_answer_is_no_plan(lab, monkeypatch):
    """A pager in the middle of mlnx_qos: nothing is known, and nothing is planned."""
    host, connections, folder = lab
    inventory(folder, KEYFILES)
    whole = host.tools["mlnx_qos"]

    def paged(context, argv, stdin):
        text = whole(context, argv, stdin).stdout
        return Result(text.replace("PFC configuration:", "--More--\nPFC configuration:"))

    monkeypatch.setitem(host.tools, "mlnx_qos", paged)
    words = ("plan", folder / "inventory", "--connections", connections, "--no-switches")
    done = process(*words, "--out", folder / "plan.json", ROCEFAB_PASSWORD="lab-password")
    assert done.code == 3, done.said
    assert "eth1: the output holds marks of a pager or a terminal" in done.said
    assert not (folder / "plan.json").exists()
