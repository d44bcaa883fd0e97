"""Pushes that break at any byte, and answers without measure, in whole runs."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from fabric.change.options import Options
from fabric.devices.limits import LIMITS_S
from fabric.lab.faults import Fault
from fabric.workflow.apply import apply, status
from tests.change import labs
from tests.change.labs import planned

ROOT = Path(__file__).parents[2]
OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
KMAX = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")
MTU = ("timeout_s: 240", "timeout_s: 180")
#: Shorter than the first file that is sent to any device.
LONGEST_BYTES = 300
HOST_FILES = ("/etc/rocefab/apply.sh", "/etc/sysctl.d/zz-rocefab.conf")
#: A command may use this much memory while a device prints without end, in MiB: 64 of the answer,
#: twice for its decoding, and what the program needs.
MOST_MIB = 600


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("push")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, project, connections),
    ):
        first = planned(project, connections)
        assert apply(first, folder / "state", connections, OPTIONS, labs.silent).ok
        yield lab, folder, connections


@pytest.fixture
def changing(site):
    """The lab and a plan of both settings; faults and inventory are restored."""
    lab, folder, connections = site
    labs.changed(folder / "inventory", *KMAX)
    project = labs.changed(folder / "inventory", *MTU)
    yield lab, folder / "state", connections, planned(project, connections)
    for name in lab.names():
        lab[name].faults.clear()
    labs.changed(folder / "inventory", *reversed(KMAX))
    project = labs.changed(folder / "inventory", *reversed(MTU))
    left = planned(project, connections)
    assert left.empty or apply(left, folder / "state", connections, OPTIONS, labs.silent).ok


def state_of(lab, device):
    """Return what runs on a leaf or host, and what would run after a restart."""
    if device == labs.LEAF:
        leaf = lab[labs.LEAF]
        return json.dumps(leaf.running, sort_keys=True), leaf.fs.read("/etc/sonic/config_db.json")
    host = lab[labs.HOST]
    return tuple(host.fs.read(path) for path in HOST_FILES)


@pytest.mark.fault(1)
@pytest.mark.parametrize("device", [labs.LEAF, labs.HOST])
@pytest.mark.parametrize("seed", range(3))
def test_an_upload_that_ends_at_any_byte_changes_nothing(changing, device, seed):
    lab, state, connections, change_plan = changing
    count = random.Random(f"{device}{seed}").randrange(1, LONGEST_BYTES) if seed else 0
    before = state_of(lab, device)
    lab[device].faults.add(Fault("cut_at_byte", pattern="sftp put", count=count))
    result = apply(change_plan, state, connections, OPTIONS, labs.silent)
    assert not result.ok
    assert any(reason.startswith(f"{device}: lost during") for reason in result.reasons)
    assert state_of(lab, device) == before
    rows = {row["device"]: row["state"] for row in status(state, result.run)}
    assert rows[device] == "rolled-back"


@pytest.mark.fault(2, 16)
@pytest.mark.parametrize("kind", ["hang", "drip"])
def test_a_device_that_never_answers_ends_the_wave_in_time(changing, monkeypatch, kind):
    """Silent from its commit on: new sessions are tried until the time to verify is over."""
    lab, state, connections, change_plan = changing
    before = state_of(lab, labs.LEAF)
    monkeypatch.setitem(LIMITS_S, "read_state", 1.0)
    silent = Fault(kind, pattern="show ip bgp summary", nth=2, times=0, seconds=0.05)
    lab[labs.LEAF].faults.add(silent)
    result = apply(change_plan, state, connections, OPTIONS, labs.silent)
    assert not result.ok
    assert "a reading took longer than 1 s" in result.reasons[0]
    assert state_of(lab, labs.LEAF) == before


SIZED = """\
import sys
from fabric.cli import main
code = main(sys.argv[1:])
# not ru_maxrss: that of the process which started this one counts too (getrusage(2))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
sys.exit(code)
"""


@pytest.mark.fault(17)
@pytest.mark.parametrize("device", [labs.LEAF, labs.SPINE])
def test_output_without_end_takes_bounded_memory(site, device):
    lab, folder, connections = site
    asked = "sonic-cfggen|show running-config"
    lab[device].faults.add(Fault("endless", pattern=asked, times=0))
    words = ["drift", folder / "inventory", "--connections", connections, "--only", device]
    try:
        done = subprocess.run(
            [sys.executable, "-c", SIZED, *map(str, words)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        lab[device].faults.clear()
    assert done.returncode == 3, done.stderr
    assert "its answer is longer than 64 MiB" in done.stdout + done.stderr
    assert int(done.stdout.split()[-1]) < MOST_MIB
