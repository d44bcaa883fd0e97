"""drift --watch on the lab, as a process: one event for one cause, with who changed it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.journal import Journal
from fabric.change.lock import held
from fabric.core.events import Ledger
from fabric.observe.authors import MOST_ENTRIES, Entry, author, histories
from fabric.report.drifts import CONFIGURATION, REPAIR, UNREAD
from fabric.report.events import EVENTS_FORMAT, read_events
from fabric.workflow import drift_service
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import Selection
from fabric.workflow.drift_service import DriftService
from fabric.workflow.drift_watch import Watch
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import plan
from fabric.workflow.project import Project
from fabric.workflow.run_under_way import RunUnderWay
from fabric.workflow.schedule import Pace
from tests.change import labs
from tests.cli.runs import ROCEFAB, ROOT, clean_environment
from tests.waiting import LONGEST_S, until

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
#: A value of CONFIG_DB that no packet meets, and one that all do.
HARMLESS = ("NTP_SERVER", "192.0.2.99", None)
PFC = ("PORT_QOS_MAP", "Ethernet0", "pfc_enable")
ALWAYS = "{start: '00:00', end: '23:59'}, {start: '23:59', end: '00:00'}"
NEVER = "{days: [@], start: '00:00', end: '00:01'}"


@contextmanager
def applied(folder, patch, text=labs.INVENTORY):
    """Yield the lab of an inventory, everything as planned."""
    patch.setenv("ROCEFAB_PASSWORD", "lab-password")
    project = Project(labs.write_inventory(folder / "inventory", text))
    with laboratory(project, folder / "lab") as lab:
        file = folder / "lab" / CONNECTIONS
        planned = plan(project, file, labs.ALL, "rail", labs.silent)
        assert apply(planned, folder / "state", file, OPTIONS, labs.silent).ok
        yield lab


class Watching:
    """A process of `rocefab drift --watch` and what it writes."""

    def __init__(self, folder, *words):
        self.file = folder / "events.jsonl"
        self.errors = folder / "stderr"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [
                    *(*ROCEFAB, "drift", str(folder / "inventory"), "--watch"),
                    *("--interval-s", "0.5", "--format", "jsonl", "--events", str(self.file)),
                    *("--state", str(folder / "state"), *words),
                ],
                cwd=ROOT,
                env={
                    **clean_environment(),
                    "ROCEFAB_PASSWORD": "lab-password",
                    "ROCEFAB_CONNECTIONS": str(folder / "lab" / CONNECTIONS),
                },
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def events(self):
        return list(read_events(self.file))

    def until(self, words, what):
        """Wait until the events are these: word, rule and device of each."""
        got = lambda: [(e.word, e.finding.rule, e.finding.device) for e in self.events()]  # noqa: E731
        try:
            until(lambda: got() == words or self.process.poll() is not None, what)
        finally:
            assert got() == words, self.errors.read_text()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=LONGEST_S)
        assert self.process.returncode == 0, self.errors.read_text()
        assert "Traceback" not in self.errors.read_text()
        return out


@contextmanager
def watching(folder, *words):
    process = Watching(folder, *words)
    try:
        yield process
    finally:
        with process.process:
            process.process.kill()


def begun(device, rule=CONFIGURATION):
    return ("opened", rule, device)


def ended(device, rule=CONFIGURATION):
    return ("closed", rule, device)


#: Inventory, device, what a person does there, and what undoes it.
BY_HAND = {
    "junos": (
        labs.JUNOS,
        "set system ntp server 192.0.2.99",
        "delete system ntp server 192.0.2.99",
    ),
    "nxos": (labs.NXOS, "ntp server 192.0.2.99", "no ntp server 192.0.2.99"),
    "vrp8": (labs.VRP8, "ntp unicast-server 192.0.2.99", "undo ntp unicast-server 192.0.2.99"),
    "cumulus": (
        labs.CUMULUS,
        "nv set service ntp mgmt server 192.0.2.99 iburst on",
        "nv unset service ntp mgmt server 192.0.2.99",
    ),
}


@pytest.mark.parametrize("system", BY_HAND)
def test_a_change_by_hand_is_one_event_with_its_user(tmp_path, monkeypatch, system):
    text, change, undo = BY_HAND[system]
    with (
        applied(tmp_path, monkeypatch, text) as lab,
        watching(tmp_path, "--only", labs.LEAF) as watch,
    ):
        lab[labs.LEAF].hand_edit(change)
        watch.until([begun(labs.LEAF)], "the change is reported")
        (event,) = watch.events()
        assert [one.split()[0] for one in event.by] == ["operator"]
        lab[labs.LEAF].hand_edit(undo)
        watch.until([begun(labs.LEAF), ended(labs.LEAF)], "its end is reported")
        printed = [json.loads(row) for row in watch.end().splitlines()]
    assert [row["format"] for row in printed] == [EVENTS_FORMAT] * 2
    assert [row["by"] for row in printed] == [list(event.by)] * 2


def test_a_new_process_goes_on_where_the_last_ended(tmp_path, monkeypatch):
    """Nothing is reported twice; a device that does not answer ends nothing."""
    words = ("--only", labs.LEAF)
    with applied(tmp_path, monkeypatch) as lab:
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        with watching(tmp_path, *words) as watch:
            watch.until([begun(labs.LEAF)], "the change is reported")
            watch.end(signal.SIGINT)
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write('{"torn": ')
    with watching(tmp_path, *words) as watch:
        unread = [begun(labs.LEAF), begun(labs.LEAF, UNREAD)]
        watch.until(unread, "the device is reported as unread")
        assert len(watch.end().splitlines()) == 1


def test_each_event_names_the_inventory_line_and_goes_to_syslog(tmp_path, monkeypatch):
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        applied(tmp_path, monkeypatch) as lab,
    ):
        server.bind(("127.0.0.1", 0))
        server.settimeout(LONGEST_S)
        lab[labs.LEAF].hand_edit(*PFC, "")
        address = f"udp://127.0.0.1:{server.getsockname()[1]}"
        with watching(tmp_path, "--only", labs.LEAF, "--syslog", address) as watch:
            watch.until([begun(labs.LEAF)], "the change is reported")
            (event,) = watch.events()
            message = server.recv(4096).decode()
            watch.end()
    assert "PORT_QOS_MAP|Ethernet0" in event.finding.field
    assert (event.finding.running, "3" in event.finding.planned) == ("nothing", True)
    assert "lossless." in event.finding.fix
    assert event.finding.position is None or "fabric.yaml" in event.finding.position.file
    assert f" {CONFIGURATION} - opened: " in message
    assert event.by == ()  # SONiC keeps no such record


def with_policy(folder, text):
    """Add lines to the inventory, as a user would."""
    file = folder / "inventory" / "fabric.yaml"
    replace(file, f"{file.read_text()}{text}\n")


def replace(file, text):
    """Give a file another text in one step: what reads it meanwhile sees the old or the new one."""
    new = file.parents[1] / "new.yaml"
    new.write_text(text)
    new.replace(file)


def test_drift_that_begins_in_a_window_is_held_back(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, f"rollout: {{windows: [{ALWAYS}]}}")
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            lab[labs.LEAF].hand_edit(*HARMLESS, {})
            day = (datetime.now(UTC) + timedelta(days=3)).strftime("%a").lower()
            file = tmp_path / "inventory" / "fabric.yaml"
            until(watch.file.exists, "it runs")
            assert watch.events() == []
            replace(file, file.read_text().replace(ALWAYS, NEVER.replace("@", day)))
            watch.until([begun(labs.LEAF)], "what is left after the window is reported")
            watch.end()


REPAIR_LINE = "drift: {repair: harmless}"


def runs(folder):
    return [run.by.reason for run in Journal(folder / "state").runs()]


def repaired(lab):
    return "192.0.2.99" not in lab[labs.LEAF].table("NTP_SERVER")


def test_harmless_drift_is_repaired_where_the_inventory_allows_it(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, REPAIR_LINE)
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            lab[labs.LEAF].hand_edit(*HARMLESS, {})
            watch.until([begun(labs.LEAF), ended(labs.LEAF)], "it is repaired")
            watch.end()
        assert repaired(lab)
        assert runs(tmp_path) == ["", "drift"]


@pytest.mark.parametrize("policy", ["", "drift: {repair: never}"])
def test_nothing_is_repaired_unless_it_is_allowed(tmp_path, monkeypatch, policy):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, policy)
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until([begun(labs.LEAF)], "it is reported")
            lab[labs.LEAF].hand_edit("NTP_SERVER", "192.0.2.98", None, {})
            watch.until([begun(labs.LEAF)] * 2, "the device was read again")
            watch.end()
        assert runs(tmp_path) == [""]


def test_drift_that_touches_traffic_is_not_repaired(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, REPAIR_LINE)
        lab[labs.LEAF].hand_edit(*PFC, "")
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until([begun(labs.LEAF)], "it is reported")
            lab[labs.LEAF].hand_edit(*HARMLESS, {})
            watch.until([begun(labs.LEAF)] * 2, "the device was read again")
            watch.end()
        assert runs(tmp_path) == [""]


def test_a_repair_without_approvals_is_rejected_once_for_each_drift(tmp_path, monkeypatch):
    """Two people have to approve here: that is one event, and no run."""
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, f"{REPAIR_LINE}\nrollout: {{approvals: 2}}")
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        failed = [begun(labs.LEAF), begun(labs.LEAF, REPAIR)]
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            watch.until(failed, "the repair fails")
            lab[labs.LEAF].hand_edit("NTP_SERVER", "192.0.2.98", None, {})
            more = [*failed, begun(labs.LEAF)]
            watch.until(more, "the device is read again, and not repaired")
            lab[labs.LEAF].hand_edit("NTP_SERVER", "192.0.2.98", None, None)
            more.append(ended(labs.LEAF))
            watch.until(more, "the device is read once more")
            messages = [one.finding.message for one in watch.events()]
            assert "demands approvals of each plan: 2" in messages[1]
            watch.end()
        with watching(tmp_path, "--only", labs.LEAF) as watch:
            lab[labs.LEAF].hand_edit(*HARMLESS, None)
            watch.until([*more, ended(labs.LEAF), ended(labs.LEAF, REPAIR)], "somebody repaired it")
            lab[labs.LEAF].hand_edit(*HARMLESS, {})
            watch.until(
                [*more, ended(labs.LEAF), ended(labs.LEAF, REPAIR), *failed],
                "the next drift is rejected too",
            )
            watch.end()
        assert runs(tmp_path) == [""]


def looked(folder, lab_busy, ledger, now=None):
    """Look at the leaf once; return what began and ended."""
    project = Project(folder / "inventory")
    file = folder / "lab" / CONNECTIONS
    clock = {"now": lambda: now} if now else {}
    only = Selection(only=labs.LEAF)
    watch = Watch(project, file, only, Pace(), ledger, lambda _: lab_busy, **clock)
    (look,) = watch.looks()
    return [event.word for event in look.events]


def test_a_window_or_a_run_holds_back_what_begins_not_what_ends(tmp_path, monkeypatch):
    inside, after = (datetime(2026, 11, 24, hour, tzinfo=UTC) for hour in (3, 6))
    with applied(tmp_path, monkeypatch) as lab:
        with_policy(tmp_path, "rollout: {windows: [{start: '02:00', end: '05:00'}]}")
        ledger = Ledger()
        lab[labs.LEAF].hand_edit(*HARMLESS, {})
        assert looked(tmp_path, False, ledger, inside) == []
        assert looked(tmp_path, True, ledger, after) == []
        assert looked(tmp_path, False, ledger, after) == ["opened"]
        assert looked(tmp_path, False, ledger, inside) == []
        lab[labs.LEAF].hand_edit(*HARMLESS, None)
        assert looked(tmp_path, False, ledger, inside) == ["closed"]


def test_a_run_under_way_is_known_by_its_lock(tmp_path, monkeypatch):
    with applied(tmp_path, monkeypatch):
        state = tmp_path / "state"
        assert not RunUnderWay(state).works_on(labs.LEAF)
        with held(state / "lock", 1):
            assert RunUnderWay(state).works_on(labs.LEAF)
            assert not RunUnderWay(state).works_on("another")
        assert not RunUnderWay(state).works_on(labs.LEAF)


READERS = ("cumulus", "junos", "nxos", "vrp8")
PIECES = st.sampled_from([
    *("<commit-history>", "<user>x</user>", "</commit-history>", "<log>", "&lt;", "\x00", "\n"),
    *("1) CommitId: 1", "   User: x", "[{", '"apply-meta": {"user": 1}', "}]", "[[", "null"),
    *("Mon:type=update:id=a:user=b:cmd=c (SUCCESS)", ":type=update:", "[" * 2000),
])


@pytest.mark.parametrize("system", READERS)
@given(text=st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=30).map("".join)))
def test_a_history_of_garbage_is_read_within_bounds(system, text):
    entries = histories[system](text)
    assert len(entries) <= MOST_ENTRIES
    assert all(one.user and str(one).isprintable() for one in entries)


def test_the_author_is_who_wrote_the_line_or_who_wrote_last():
    last, writer = Entry("eve", what="ntp server 192.0.2.1"), Entry("bob", what="mtu 9000 ; x")
    assert author([last, writer], ["mtu 9000"]) is writer
    assert author([last, writer], ["", "pause"]) is last
    assert author([], ["mtu"]) is None
    assert str(Entry("e\x1bve", "cli", "now")) == "e ve by cli at now"


def test_a_change_while_the_inventory_is_read_at_the_start_counts(tmp_path, monkeypatch):
    inventory, read = labs.write_inventory(tmp_path / "inventory", labs.INVENTORY), []
    file = inventory / "fabric.yaml"

    def changed_after(folder):
        project = Project(folder)
        if not read:
            replace(file, f"{file.read_text()}# changed\n")
        read.append(project)
        return project

    class OneLook:
        def looks(self):
            yield SimpleNamespace(events=[], health=None)

    monkeypatch.setattr(drift_service, "Project", changed_after)
    monkeypatch.setattr(DriftService, "_watch", lambda *_: OneLook())
    monkeypatch.setattr(DriftService, "_repaired", lambda *_: [])
    service = DriftService(inventory, None, Selection(), Pace(1), tmp_path, labs.silent)
    assert list(service.events()) == [[], [], [], []]
    assert len(read) == 2
