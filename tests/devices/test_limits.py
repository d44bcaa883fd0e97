"""Devices that never end: each call has its total time, each answer its longest length."""

from __future__ import annotations

import gc
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from fabric.core.errors import ConnectionLostError
from fabric.devices import answers, drivers
from fabric.devices.candidate import Files, RemoteFile
from fabric.devices.driver import Connection
from fabric.devices.limits import LIMITS_S, timed
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs
from fabric.observe.parsers import parsers
from fabric.workflow.project import Project
from tests.change import labs
from tests.change.labs import HOST, LEAF
from tests.devices.conftest import PASSWORD

# A thread whose session was cut ends with an error of http.client, which holds an open socket.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
TOKEN = "rocefab-run-1-1-0000abcd"
SLOW = ("host_gbps: 400, uplink_gbps: 400", "host_gbps: 100, uplink_gbps: 100")
ECN = ("kmin_bytes: 150000, kmax_bytes: 1500000", "kmin_bytes: 750000, kmax_bytes: 7500000")
#: For each driver: leaf and spine of a fabric, and what the fabric needs beside.
SYSTEMS = {
    "sonic": ("ACS-MSN4700", "7060X6-64PE"),
    "eos": ("7060X6-64PE", "7060X6-64PE"),
    "cumulus": ("SN4700", "SN5600"),
    "nxos": ("N9K-C9332D-GX2B", "N9K-C9364D-GX2A"),
    "junos": ("QFX5240-64OD", "QFX5230-64CD", ECN),
    "vrp8": ("CE8855-32CQ4BQ", "CE8851-32CQ8DQ-P", SLOW),
    "comware7": ("S9820-64H", "S9820-64H", SLOW),
    "esonic": ("Z9332F-ON", "Z9664F-ON"),
}
#: What a running configuration is asked for with.
ASKED = "show running-config|display current-config|get-config|sonic-cfggen|nv config show"


def fabric_of(folder, system):
    leaf, spine, *more = SYSTEMS[system]
    text = labs.INVENTORY
    for old, new in (("ACS-MSN4700", f"<{leaf}>"), ("7060X6-64PE", f"<{spine}>"), *more):
        text = text.replace(old, new)
    text = text.replace("<", "").replace(">", "")
    return Project(labs.write_inventory(folder, text))


@pytest.fixture(scope="module", params=SYSTEMS)
def served(request, tmp_path_factory):
    """A leaf of each system, and how to reach it."""
    project = fabric_of(tmp_path_factory.mktemp(request.param), request.param)
    (spec,) = [one for one in specs(project.devices, {}, PASSWORD) if one.name == LEAF]
    assert spec.platform == request.param
    with Lab([spec]) as lab:
        (name,) = lab.names()
        found = lab[name]
        yield (
            found,
            Connection(
                name, spec.platform, found.address, found.port, spec.username, PASSWORD, found.trust
            ),
        )


@pytest.fixture
def leaf(served):
    yield served
    served[0].faults.clear()
    gc.collect()


def logged_in(connection):
    driver = timed(drivers[connection.platform](connection))
    driver.open()
    return driver


@pytest.mark.parametrize("kind", ["drip", "endless", "hang"])
@pytest.mark.fault(2, 16, 17)
def test_a_reading_that_never_ends_is_cut_off(leaf, kind, monkeypatch):
    stand_in, connection = leaf
    driver = logged_in(connection)
    stand_in.faults.add(Fault(kind, pattern=ASKED, seconds=0.05, times=0))
    monkeypatch.setitem(LIMITS_S, "read_running", 1.0)
    begin_s = time.monotonic()
    with pytest.raises(ConnectionLostError, match=r"a reading took longer than 1 s|longer than"):
        driver.read_running([])
    assert time.monotonic() - begin_s < 30
    if kind != "endless":
        with pytest.raises(ConnectionLostError, match="session was cut"):
            driver.identify()
    driver.close()


@pytest.mark.fault(17)
def test_endless_output_is_cut_off_at_the_longest_answer(leaf, monkeypatch):
    stand_in, connection = leaf
    driver = logged_in(connection)
    monkeypatch.setattr(answers, "LONGEST_ANSWER_CHARACTERS", 2**20)
    stand_in.faults.add(Fault("endless", pattern=ASKED))
    with pytest.raises(ConnectionLostError) as caught:
        driver.read_running([])
    assert "its answer is longer than 1 MiB" in str(caught.value)
    driver.close()


@pytest.mark.fault(17)
def test_endless_output_of_a_reading_is_cut_off_earlier(leaf, monkeypatch):
    stand_in, connection = leaf
    driver = logged_in(connection)
    monkeypatch.setattr(answers, "LONGEST_READING_CHARACTERS", 2**20)
    stand_in.faults.add(Fault("endless"))
    with pytest.raises(ConnectionLostError) as caught:
        driver.read_state([*parsers[connection.platform].readings])
    assert "its answer is longer than 1 MiB" in str(caught.value)
    driver.close()


@pytest.mark.fault(16)
def test_a_pause_in_the_middle_of_an_answer_is_not_its_end(leaf):
    """Wherever the pause falls: what is read is what is read without it."""
    stand_in, connection = leaf
    if connection.platform in ("eos", "nxos", "junos"):
        pytest.skip("its protocol tells how long an answer is, or marks its end")
    driver = logged_in(connection)
    whole = driver.read_running([])["config"]
    for count in (0, 1, 30, 300, len(whole) // 2, len(whole)):
        stand_in.faults.add(Fault("pause", pattern=ASKED, count=count, seconds=0.7))
        assert driver.read_running([])["config"] == whole, count
        stand_in.faults.clear()
    driver.close()


@pytest.fixture
def dripping():
    """A port that sends bytes before the SSH version, and never the version."""
    ended = threading.Event()

    def serve(server):
        server.settimeout(30)
        with suppress(OSError), server.accept()[0] as session:
            while not ended.wait(0.05):
                session.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        yield server.getsockname()[1]
        ended.set()
        thread.join()


@pytest.mark.fault(16)
def test_a_login_that_drips_is_cut_off(leaf, dripping, monkeypatch):
    """RFC 4253 section 4.2 allows lines before the version."""
    _, connection = leaf
    monkeypatch.setitem(LIMITS_S, "open", 1.0)
    begin_s = time.monotonic()
    with pytest.raises(ConnectionLostError, match="the login took longer than 1 s|cannot log in"):
        logged_in(replace(connection, port=dripping))
    assert time.monotonic() - begin_s < 30


@pytest.mark.fault(2)
def test_an_upload_whose_bytes_are_swallowed_is_cut_off(connection, lab, monkeypatch):
    driver = logged_in(connection(HOST))
    lab[HOST].faults.add(Fault("hang", pattern="sftp put", times=0))
    monkeypatch.setitem(LIMITS_S, "stage", 1.0)
    wanted = Files((RemoteFile("/etc/x", b"x" * 100_000),))
    begin_s = time.monotonic()
    with pytest.raises(ConnectionLostError, match="the upload took longer than 1 s"):
        driver.stage(wanted, TOKEN)
    assert time.monotonic() - begin_s < 30
    driver.close()


@pytest.mark.fault(2)
def test_a_silent_upload_ends_before_its_total_time(driver, lab, monkeypatch):
    monkeypatch.setattr("fabric.devices.ssh._QUIET_S", 0.3)
    lab[HOST].faults.add(Fault("hang", pattern="sftp put", times=0))
    with pytest.raises(ConnectionLostError, match="lost during 'write /tmp/x'"):
        driver(HOST)._shell.upload({"/tmp/x": b"x" * 100_000})


class Stubborn:
    """A driver whose every call waits until somebody cuts it."""

    def __init__(self, connection):
        self.connection = connection
        self.freed = threading.Event()
        self.cuts = 0

    def cut(self):
        self.cuts += 1
        self.freed.set()

    def __getattr__(self, name):
        if name not in LIMITS_S:
            raise AttributeError(name)
        return lambda *_: self.freed.wait()


@pytest.mark.parametrize("name", sorted(LIMITS_S))
@pytest.mark.fault(2)
def test_every_phase_has_a_total_time(name, monkeypatch):
    monkeypatch.setitem(LIMITS_S, name, 0.05)
    stubborn = Stubborn(Connection("leaf1", "x", "", 0, ""))
    driver = timed(stubborn)
    if name == "close":
        driver.close()
    else:
        with pytest.raises(ConnectionLostError, match=r"leaf1: .* took longer than 0.05 s"):
            getattr(driver, name)()
    assert stubborn.cuts == 1
    driver.close()
    with pytest.raises(ConnectionLostError, match="its session was cut"):
        driver.save()


def test_every_call_of_a_driver_is_timed():
    from fabric.devices.driver import Driver

    calls = {name for name in vars(Driver) if not name.startswith("_")} - {"cut", "connection"}
    assert calls <= set(LIMITS_S)
