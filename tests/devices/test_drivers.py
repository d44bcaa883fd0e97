"""Drivers on the lab: timers, the way back, and what they leave behind on a device."""

from __future__ import annotations

import os
import re
import time

import pytest

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.candidate import Files, RemoteFile, SonicLive, WholeConfiguration
from fabric.lab.faults import Fault
from fabric.observe import read_running
from tests.change.labs import HOST, LEAF, SPINE

PATH = "/etc/sysctl.d/99-rocefab-test.conf"
ADDED = "qos profile TEST\n"


def candidate(content=b"x = 1\n", **more):
    return Files((RemoteFile(PATH, content, 0o640),), **more)


@pytest.fixture
def host(driver, lab):
    clear(lab)  # tests without this fixture leave their files too
    yield driver(HOST)
    clear(lab)


def clear(lab):
    lab[HOST].run_detached(f"rm -f {PATH}")
    lab[HOST].run_detached("rm -rf /var/lib/rocefab")
    lab[HOST].systemd.forget()


def mode_of(lab, path):
    return lab[HOST].fs.local(path).stat().st_mode & 0o777


def test_files_are_private_and_the_inbox_goes_away(host, lab):
    host.stage(candidate(), "rocefab-run-1-1-aa")
    folder = "/var/lib/rocefab/rocefab-run-1-1-aa"
    assert mode_of(lab, folder) == 0o700
    assert {mode_of(lab, f"{folder}/{name}") for name in ("new0", "undo.sh")} == {0o600}
    assert "rocefab-" not in lab[HOST].run_detached("ls /tmp")[1]


def test_what_a_lost_connection_left_goes_after_a_day(host, lab):
    """But not what is younger, nor what still has a net: it is an unconfirmed change."""
    day_s, top = 24 * 3600, "/var/lib/rocefab/rocefab-run-"
    host.stage(candidate(), "rocefab-run-1-1-aa")
    for path, age_s in (
        (f"{top}old", day_s + 120),
        (f"{top}armed", day_s + 120),
        (f"{top}young", day_s - 600),
        ("/tmp/rocefab-aaaaaaaaaa", day_s + 120),
        ("/tmp/rocefab-bbbbbbbbbb", day_s - 600),
    ):
        lab[HOST].run_detached(f"mkdir -p {path}")
        os.utime(lab[HOST].fs.local(path), (time.time() - age_s,) * 2)
    lab[HOST].fs.put("/etc/systemd/system/rocefab-run-armed.timer", "[Timer]\n")
    host.stage(candidate(), "rocefab-run-1-2-aa")
    kept = lab[HOST].run_detached("ls /var/lib/rocefab")[1].split()
    assert kept == [f"rocefab-run-{name}" for name in ("1-1-aa", "1-2-aa", "armed", "young")]
    assert lab[HOST].run_detached("ls -d /tmp/rocefab-*")[1].split() == ["/tmp/rocefab-bbbbbbbbbb"]
    lab[HOST].run_detached(
        "rm -r /tmp/rocefab-bbbbbbbbbb /etc/systemd/system/rocefab-run-armed.timer"
    )


def test_folder_of_an_earlier_change_is_never_used_again(host):
    host.stage(candidate(), "rocefab-run-1-1-aa")
    with pytest.raises(RefusedError, match="File exists"):
        host.stage(candidate(), "rocefab-run-1-1-aa")


@pytest.mark.fault(17)
def test_mktemp_that_answers_something_else_is_not_believed(host, lab):
    original = host._shell.check
    host._shell.check = lambda line, **more: (
        "/etc; reboot\n" if line.startswith("mktemp") else original(line, **more)
    )
    with pytest.raises(DeviceError, match="mktemp answered with another folder"):
        host.stage(candidate(), "rocefab-run-1-1-aa")


@pytest.mark.parametrize("existed", [True, False])
def test_going_back_brings_content_and_mode(host, lab, existed):
    token = "rocefab-run-1-1-aa"
    if existed:
        lab[HOST].fs.write(PATH, "old\n")
        lab[HOST].fs.local(PATH).chmod(0o600)
    host.stage(candidate(), token)
    host.commit(candidate(), token, 60)
    assert (lab[HOST].fs.read(PATH), mode_of(lab, PATH)) == ("x = 1\n", 0o640)
    assert host.pending(token)
    assert host.foreign_sessions() == [token]
    host.rollback(token)
    assert not host.pending(token)
    assert lab[HOST].fs.exists(PATH) == existed
    if existed:
        assert (lab[HOST].fs.read(PATH), mode_of(lab, PATH)) == ("old\n", 0o600)


def test_the_net_is_two_whole_units(host, lab):
    token, units = "rocefab-run-1-1-aa", "/etc/systemd/system"
    host.stage(candidate(), token)
    host.commit(candidate(), token, 90)
    service = lab[HOST].fs.read(f"{units}/{token}.service")
    assert service.splitlines()[:2] == [
        "[Unit]",
        f"Description=Takes an unconfirmed change of rocefab back ({token})",
    ]
    assert f"\nExecStart=/bin/sh /var/lib/rocefab/{token}/undo.sh\n" in service
    assert service.endswith("\n[Install]\nWantedBy=multi-user.target\n")
    timer = lab[HOST].fs.read(f"{units}/{token}.timer")
    assert re.search(r"\nOnActiveSec=90\nOnCalendar=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n", timer)
    assert {mode_of(lab, f"{units}/{token}.{kind}") for kind in ("service", "timer")} == {0o644}


def test_an_inbox_goes_away_also_where_its_files_are_not_taken(host, lab):
    lab[HOST].faults.add(Fault("refuse_line", pattern="sudo -n install -m 600"))
    with pytest.raises(RefusedError, match="install -m 600"):
        host.stage(candidate(), "rocefab-run-1-1-aa")
    assert "rocefab-" not in lab[HOST].run_detached("ls /tmp")[1]


def test_a_timer_that_cannot_be_stopped_is_no_confirmation(host, lab):
    token = "rocefab-run-1-1-aa"
    host.stage(candidate(), token)
    host.commit(candidate(), token, 60)
    lab[HOST].faults.add(Fault("refuse_line", pattern=f"systemctl stop {token}"))
    with pytest.raises(RefusedError, match=f"'sudo -n systemctl stop {token}.timer' ended with"):
        host.confirm(token)
    assert host.pending(token)


@pytest.mark.fault(3)
def test_rollback_after_a_reboot_forgot_the_timer(host, lab):
    token = "rocefab-run-1-1-aa"
    host.stage(candidate(), token)
    host.commit(candidate(), token, 60)
    lab[HOST].systemd.forget()
    host.rollback(token)
    assert not lab[HOST].fs.exists(PATH)


@pytest.mark.fault(4)
def test_confirmation_comes_too_late(host, lab):
    token = "rocefab-run-1-1-aa"
    host.stage(candidate(), token)
    host.commit(candidate(), token, 60)
    lab[HOST].systemd.expire()
    with pytest.raises(DeviceError, match="already run out"):
        host.confirm(token)
    assert not lab[HOST].fs.exists(PATH)


@pytest.mark.fault(4)
def test_timer_that_fires_during_the_confirmation_is_seen(host, lab):
    token = "rocefab-run-1-1-aa"
    host.stage(candidate(), token)
    host.commit(candidate(), token, 60)
    original = host.pending

    def fires(asked):
        waits = original(asked)
        lab[HOST].run_detached(f"sh /var/lib/rocefab/{token}/undo.sh")
        return waits

    host.pending = fires
    with pytest.raises(DeviceError, match="already run out"):
        host.confirm(token)


def test_old_file_that_cannot_be_copied_stops_the_change(host, lab):
    lab[HOST].fs.write(PATH, "old\n")
    lab[HOST].faults.add(Fault("refuse_line", pattern="cp -p"))
    with pytest.raises(RefusedError):
        host.stage(candidate(), "rocefab-run-1-1-aa")


def test_file_that_cannot_be_read_is_not_taken_as_absent(host, lab):
    lab[HOST].fs.write(PATH, "old\n")
    assert host.read_files([PATH, "/no/such"]) == {f"file:{PATH}": "old\n"}
    lab[HOST].faults.add(Fault("refuse_line", pattern=f"cat {PATH}"))
    with pytest.raises(RefusedError):
        host.read_files([PATH])


def test_sonic_keeps_configurations_to_root(driver, lab):
    leaf, token = driver(LEAF), "rocefab-run-1-1-aa"
    leaf.stage(SonicLive(()), token)
    folder = lab[LEAF].fs.local(f"/var/lib/rocefab/{token}")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "DEVICE_METADATA" in (folder / "before.json").read_text()


def kept_on(lab, name):
    said = lab[name].run_detached("ls /var/lib/rocefab /etc/sonic/checkpoints /tmp 2>/dev/null")[1]
    return [line for line in said.splitlines() if line.startswith("rocefab-run-5-")]


@pytest.mark.parametrize("name", [HOST, LEAF])
@pytest.mark.parametrize("end", ["confirm", "rollback", "refused", "timer"])
def test_nothing_of_a_change_stays_on_the_device(driver, lab, name, end):
    device, token = driver(name), "rocefab-run-5-1-aa"
    wanted = candidate() if name == HOST else SonicLive(())
    if end == "refused":
        lab[name].faults.add(Fault("refuse_line", pattern="sudo -n install -m 600"))
        with pytest.raises(RefusedError):
            device.stage(wanted, token)
        assert kept_on(lab, name) == []
        return
    device.stage(wanted, token)
    device.commit(wanted, token, 60)
    if end == "timer":
        lab[name].systemd.expire()
        device.stage(wanted, "rocefab-run-5-2-aa")  # the next change clears it away
        device.rollback("rocefab-run-5-2-aa")
        assert token not in lab[name].run_detached("ls /var/lib/rocefab")[1]
        return
    assert kept_on(lab, name)
    getattr(device, end)(token)
    assert kept_on(lab, name) == []
    assert lab[name].fs.local("/var/lib/rocefab").stat().st_mode & 0o777 == 0o700


def test_sonic_without_a_way_back_is_not_changed(driver, lab):
    leaf = driver(LEAF)
    lab[LEAF].faults.add(Fault("refuse_line", pattern="sonic-cfggen"))
    with pytest.raises(RefusedError):
        leaf.stage(SonicLive(()), "rocefab-run-1-1-ac")


# -- EOS: each quirk of NAPALM that the driver's first lines name.


@pytest.fixture
def spine(driver, lab):
    state = lab[SPINE].state
    running, startup = state.running.copy(), state.startup.copy()
    yield driver(SPINE)
    state.expire_timer()
    state.sessions.clear()
    state._running, state.startup = running, startup


def text_of(spine):
    return read_running(spine, []).config


def wanted(spine):
    return WholeConfiguration(text_of(spine).replace("end\n", ADDED))


def committed(spine, token="rocefab-run-1-1-aa"):
    made = wanted(spine)
    spine.stage(made, token)
    spine.commit(made, token, 60)
    return token


def test_another_process_finds_and_confirms_the_session(driver, spine, lab):
    token = committed(spine)
    other = driver(SPINE)
    assert other.pending(token)
    assert list(other.foreign_sessions()) == [token]
    before = lab[SPINE].state.startup
    other.confirm(token)
    assert not other.pending(token)
    assert lab[SPINE].state.startup is not before  # NAPALM saves along with it


def test_close_does_not_abort_a_pending_commit(driver, spine):
    token = committed(spine)
    spine.close()
    assert driver(SPINE).pending(token)


def test_rollback_takes_a_pending_commit_back_and_saves_nothing(spine, lab):
    before, startup = text_of(spine), lab[SPINE].state.startup
    token = committed(spine)
    assert text_of(spine) != before
    spine.rollback(token)
    assert text_of(spine) == before
    assert lab[SPINE].state.startup is startup


def test_rollback_just_after_the_timer_ran_out_does_not_load_the_startup(spine, lab):
    lab[SPINE].hand_edit("mac address-table aging-time 777")  # runs, and is not saved
    before = text_of(spine)
    token = committed(spine)
    lab[SPINE].state.expire_timer()
    with pytest.raises(RefusedError):  # the session is gone; the way back compares what runs
        spine.rollback(token)
    assert text_of(spine) == before
    assert "777" in before


def test_staged_session_is_discarded(spine):
    before = text_of(spine)
    spine.stage(wanted(spine), "rocefab-run-1-1-aa")
    assert list(spine.foreign_sessions()) == ["rocefab-run-1-1-aa"]
    spine.rollback("rocefab-run-1-1-aa")
    assert list(spine.foreign_sessions()) == []
    assert text_of(spine) == before


def test_timed_commit_is_not_saved(spine, lab):
    startup = lab[SPINE].state.startup
    committed(spine)
    assert lab[SPINE].state.startup is startup


def test_preview_leaves_no_session(spine, lab):
    diff = spine.preview(wanted(spine))
    assert "+qos profile TEST" in diff
    assert not lab[SPINE].state.sessions
    lab[SPINE].faults.add(Fault("refuse_line", pattern="diffs"))
    with pytest.raises(DeviceError):
        spine.preview(wanted(spine))
    assert not lab[SPINE].state.sessions


def test_previews_of_others_stay_until_they_are_an_hour_old(spine, lab):
    now = int(time.time())
    names = {
        "rocefab-preview": False,
        f"rocefab-preview-{now - 3700}-0a1b2c3d": False,
        f"rocefab-preview-{now - 60}-0a1b2c3d": True,
        "rocefab-preview-of-alice": True,
    }
    for name in names:
        lab[SPINE].state.open_session(name)
    assert list(spine.foreign_sessions()) == ["configuration session rocefab-preview-of-alice"]
    assert "+qos profile TEST" in spine.preview(wanted(spine))
    left = set(lab[SPINE].state.sessions)
    lab[SPINE].state.sessions.clear()
    assert left == {name for name, stays in names.items() if stays}


@pytest.mark.fault(18, 22)
def test_refusal_is_no_lost_connection_and_hides_the_secret(spine):
    line = "username eve privilege 99 secret sha512 HUNTER2"
    target = text_of(spine).replace("end\n", f"{line}\n")
    with pytest.raises(RefusedError) as caught:
        spine.stage(WholeConfiguration(target), "rocefab-run-1-1-aa")
    chain, error = [], caught.value
    while error is not None:
        chain.append(str(error))
        error = error.__cause__
    assert "HUNTER2" not in "".join(chain)
    assert not spine.pending("rocefab-run-1-1-aa")


def test_second_timed_commit_is_refused(driver, spine):
    committed(spine)
    other = driver(SPINE)
    made = wanted(other)
    with pytest.raises(RefusedError, match="in the way: rocefab-run-1-1-aa"):
        other.stage(made, "rocefab-run-2-1-bb")


def test_banners_and_comments_of_others_survive_a_replacement(spine, lab):
    lab[SPINE].hand_edit("banner motd\nvlan 7 is closed\n\nip routing\nEOF")
    before = text_of(spine)
    assert "vlan 7 is closed\n\nip routing\nEOF" in before
    token = committed(spine)
    assert text_of(spine).replace(ADDED, "") == before
    spine.rollback(token)
    assert text_of(spine) == before


@pytest.mark.fault(14, 15, 22)
def test_wrong_password_and_certificate_tell_no_secret(driver, lab, caplog, capfd):
    for changes in ({"password": "hunter2-wrong"}, {"trust": ""}, {"port": 1}):
        with (
            caplog.at_level(0),
            pytest.raises(ConnectionLostError, match="cannot log in") as caught,
        ):
            driver(SPINE, **changes)
        assert "hunter2" not in f"{caught.value!r}{caught.value.__cause__}"
    printed = capfd.readouterr()
    assert "hunter2" not in caplog.text + printed.out + printed.err
    assert "Traceback" not in caplog.text + printed.err
