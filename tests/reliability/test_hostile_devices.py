"""A device that lies is unknown to observe and judge, and an event of drift --watch."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

from fabric.lab.faults import Fault
from fabric.lab.ssh import channel
from fabric.report.drifts import UNREAD
from fabric.workflow.laboratory import CONNECTIONS
from tests.change import labs
from tests.cli.runs import ROOT
from tests.reliability.test_push import MOST_MIB, SIZED
from tests.waiting import until
from tests.workflow.test_drift_watch import applied, begun, watching

ASKED = "sonic-cfggen|show|redis|python|sonic-db"
#: What stands in the middle of each answer of the leaf.
NOISE = {
    "escape codes": "\x1b[2J\x1b]0;owned\x07\x1b[31m",
    "invalid UTF-8": "\udcff\udcc3\udc28\udcfe",
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch, applied(folder, patch) as lab:
        yield lab, folder


@pytest.fixture(params=["without end", *NOISE])
def hostile(request, lab, monkeypatch):
    """The folder of the lab while its leaf lies."""
    devices, folder = lab
    leaf, noise = devices[labs.LEAF], NOISE.get(request.param, "")
    write = channel.Channel._write

    def noisy(self, text, *, error=False):
        half = len(text) // 2
        is_leaf = self._stand_in is leaf and half > 20
        write(self, text[:half] + noise + text[half:] if is_leaf else text, error=error)

    monkeypatch.setattr(channel.Channel, "_write", noisy)
    if not noise:
        leaf.faults.add(Fault("endless", pattern=ASKED, times=0))
    yield folder
    leaf.faults.clear()


def sized(folder, verb, *more):
    """Run a verb on the lab; return its end and the most memory that it had, MiB."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", SIZED, verb, str(folder / "inventory"), *more),
            *("--connections", str(folder / "lab" / CONNECTIONS)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    *out, peak = done.stdout.splitlines()
    done.stdout = "\n".join(out)
    assert "Traceback" not in done.stderr
    assert not set("\x1b\x07\udcff") & set(done.stdout + done.stderr)
    return done, int(peak)


@pytest.mark.fault(17)
@pytest.mark.parametrize("verb", ["observe", "judge"])
def test_a_device_that_lies_is_named(hostile, verb):
    more = ("--interval-s", "1") if verb == "judge" else ()
    done, peak_mib = sized(hostile, verb, *more)
    assert done.returncode in (0, 3, 4), done.stdout + done.stderr
    words = "unknown|could not be read|longer than 64 MiB"
    unknown = rf"{labs.LEAF}\b.*({words})|not known of .*{labs.LEAF}"
    assert re.search(unknown, done.stdout + done.stderr)
    assert peak_mib < MOST_MIB


@pytest.mark.fault(17)
def test_drift_watch_reports_it_and_goes_on(hostile):
    with watching(hostile) as watch:
        until(lambda: begun(labs.LEAF, UNREAD) in words(watch), "the leaf is reported")
        (event,) = [one for one in watch.events() if one.finding.device == labs.LEAF]
        assert str(event).isprintable()
        status = (f"/proc/{watch.process.pid}/status", "VmHWM")
        with pathlib.Path(status[0]).open() as file:
            (peak_kib,) = [int(row.split()[1]) for row in file if row.startswith(status[1])]
        assert peak_kib < MOST_MIB << 10
        watch.end()
    watch.file.unlink()


def words(watch):
    return [(one.word, one.finding.rule, one.finding.device) for one in watch.events()]


def test_counters_that_go_backwards_are_unknown(lab):
    devices, folder = lab
    counters = devices[labs.LEAF].counters
    counters.add("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", 1 << 40)
    counters.run("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", -1e9)
    done, _ = sized(folder, "judge", "--interval-s", "1")
    assert re.search(rf"not judged: received pause .*not known of .*{labs.LEAF}", done.stdout)
    assert "0 causes" in done.stdout
