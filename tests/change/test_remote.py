"""A journal in PostgreSQL, on a real server that the test starts."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fabric.change import database
from fabric.change.actor import Actor
from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal, State
from fabric.change.remote import is_url, link
from fabric.core.errors import InputError, JournalError
from fabric.workflow.state import of_url
from tests.change import labs, memory_fabric
from tests.change.scripted import ScriptedDriver
from tests.cli.runs import process, run
from tests.judges.conftest import missing_judge
from tests.waiting import until

START_S = 60.0
SAVED = json.dumps({"config": {"a": "\x00 ü"}, "canonical": "", "files": {}, "kernel": {}})


def _programs() -> Path:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb")
    if not folders and not found:
        missing_judge("PostgreSQL (Debian package postgresql)")
    return folders[-1] if folders else Path(str(found)).parent


def _account_for(folder: Path) -> str:
    """Return the account of the server, which refuses to run as root; the folder becomes its."""
    if os.geteuid():
        return getpass.getuser()
    shutil.chown(folder, "nobody")
    return "nobody"


def connect(url: str, **options: Any) -> Any:
    """Connect as an administrator: the library takes a third of a second to import."""
    import psycopg

    return psycopg.connect(url, **options)


def _wait(url: str) -> None:
    import psycopg

    until_s = time.monotonic() + START_S
    while True:
        try:
            connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until_s
            time.sleep(0.1)
        else:
            return


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Yield how to make a database, and get its URL."""
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="rocefab-pg-"))  # a socket has a path of 107 characters
    account = _account_for(folder)
    data = folder / "data"
    options: Any = {"user": account, "cwd": folder, "stdout": subprocess.DEVNULL}
    first = [programs / "initdb", "-D", data, "-A", "trust", "-U", account, "-N"]
    subprocess.run(first, check=True, **options)
    settings = ["-c", "listen_addresses=", "-k", folder, "-c", "fsync=off"]
    words = [programs / "postgres", "-D", data, *settings]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, **options) as running:
        try:

            def url(database: str) -> str:
                return f"postgresql:///{database}?host={quote(str(folder))}&user={account}"

            _wait(url("postgres"))

            def database(name: str) -> str:
                with connect(url("postgres"), autocommit=True) as connection:
                    connection.execute(f'CREATE DATABASE "{name}"')
                return url(name)

            yield database
        finally:
            running.terminate()
            running.wait()
            shutil.rmtree(folder)


@pytest.fixture
def machines(
    server: Callable[[str], str], tmp_path: Path, request: pytest.FixtureRequest
) -> tuple[str, Path, Path]:
    """The URL of a journal, and its copies on two machines."""
    url = server(request.node.name[:60])
    for name in ("one", "two"):
        link(tmp_path / name, url)
    return url, tmp_path / "one", tmp_path / "two"


def test_two_machines_write_one_chain(machines: tuple[str, Path, Path]) -> None:
    _, first, second = machines
    alice = Journal(first, Actor("alice", "bastion1", 1))
    with alice.exclusive():
        run = alice.begin("apply", "demo", '{"plan": 1}')
        alice.keep(run, "leaf1", SAVED)
        alice.record(run, "leaf1", State.COMMITTING, "rocefab-run-1-1-0000abcd")
    bob = Journal(second, Actor("bob", "bastion2", 2))
    assert bob.unfinished() == run
    assert bob.kept(run, "leaf1") == json.loads(SAVED)
    with bob.exclusive(run):
        bob.record(run, "leaf1", State.DONE)
        bob.record(run, "", State.DONE)
    with alice.exclusive():
        again = alice.begin("apply", "demo", "{}")
    assert again == run + 1
    assert [event.by.user for event in Journal(second).events(run)] == [
        "alice",
        "alice",
        "bob",
        "bob",
    ]
    whole = Journal(first).verify()
    assert whole.whole
    assert whole.head == Journal(second).verify().head
    assert list(Journal(first).lines()) == list(Journal(second).lines())


def test_one_run_at_a_time_on_all_machines(machines: tuple[str, Path, Path]) -> None:
    _, first, second = machines
    holding = Journal(first, Actor("alice", "bastion1", 7))
    with (
        holding.exclusive(),
        pytest.raises(JournalError, match=r"on bastion1, process 7, since 20"),
        Journal(second).exclusive(),
    ):
        pass
    with Journal(second).exclusive():
        pass


def test_a_run_may_begin_as_soon_as_another_one_ended(
    machines: tuple[str, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server ends the session of a client later than the client does."""
    _, first, second = machines
    with ExitStack() as sessions:

        @contextmanager
        def lasting(url: str) -> Iterator[object]:
            yield sessions.enter_context(database.connect(url))

        monkeypatch.setattr("fabric.change.remote.connect", lasting)
        for folder in (first, second):
            with Journal(folder).exclusive():
                pass


def test_workers_of_a_run_share_its_connection(machines: tuple[str, Path, Path]) -> None:
    """A rollback on another machine reads states while it writes rows, side by side."""
    _, first, second = machines
    names = [f"leaf{number}" for number in range(40)]
    alice, bob = Journal(first), Journal(second)
    run = alice.begin("apply", "demo", "{}")
    for name in names:
        alice.keep(run, name, SAVED)

    def restore(name: str) -> bool:
        bob.record(run, name, State.ROLLING_BACK)
        kept = bob.kept(run, name)
        bob.record(run, name, State.ROLLED_BACK)
        return bool(kept == json.loads(SAVED))

    with bob.exclusive(run), ThreadPoolExecutor(8) as pool:
        assert all(pool.map(restore, names))
    assert Journal(first).verify().whole


def test_others_read_a_journal_that_is_written(machines: tuple[str, Path, Path]) -> None:
    """The copy is that of the same machine: a row is on the server before it is there."""
    _, first, _ = machines
    writing = Journal(first)
    run = writing.begin("apply", "demo", "{}")

    def write() -> None:
        for number in range(60):
            writing.record(run, "leaf1", State.PENDING, str(number))

    with ThreadPoolExecutor(1) as pool, writing.exclusive(run):
        done = pool.submit(write)
        while not done.done():
            assert Journal(first).states(run) is not None
        done.result()
    assert Journal(first).verify().whole


def test_two_schemas_are_two_journals(server: Callable[[str], str], tmp_path: Path) -> None:
    url = server("schemas")
    with connect(url) as admin:
        admin.execute("CREATE SCHEMA east; CREATE SCHEMA west")
    for name in ("east", "west"):
        link(tmp_path / name, f"{url}&options=-csearch_path%3D{name}")
    east, west = Journal(tmp_path / "east"), Journal(tmp_path / "west")
    with east.exclusive(), west.exclusive():
        east.begin("apply", "east", "{}")
        assert west.runs() == []
    assert [one.fabric for one in Journal(tmp_path / "east").runs()] == ["east"]
    assert Journal(tmp_path / "west").runs() == []


def _lose_server(journal: Journal, run: int, url: str) -> None:
    with journal.exclusive():
        journal.record(run, "leaf1", State.STAGING)
        with connect(url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        journal.record(run, "leaf1", State.COMMITTING)


def test_a_server_that_goes_away_stops_the_run_and_nothing_is_half_written(
    machines: tuple[str, Path, Path],
) -> None:
    url, first, second = machines
    journal = Journal(first)
    run = journal.begin("apply", "demo", "{}")
    with pytest.raises(JournalError, match="the journal on the server cannot be used"):
        _lose_server(journal, run, url)
    assert Journal(first).states(run)["leaf1"].state is State.STAGING
    other = Journal(second)
    with other.exclusive(run):
        other.record(run, "leaf1", State.ROLLED_BACK)
    assert Journal(first).states(run)["leaf1"].state is State.ROLLED_BACK
    assert Journal(first).verify().whole


def test_rows_that_were_edited_on_the_server_are_reported(machines: tuple[str, Path, Path]) -> None:
    url, first, _ = machines
    journal = Journal(first)
    run = journal.begin("apply", "demo", "{}")
    journal.keep(run, "leaf1", SAVED)
    journal.record(run, "leaf1", State.DONE)
    with connect(url) as admin:
        admin.execute("UPDATE rocefab_rows SET content = replace(content, 'done', 'failed')")
        admin.execute("UPDATE rocefab_states SET content = replace(content, 'canonical', 'x')")
    said = str(Journal(first).verify())
    assert "1 row is damaged" in said
    assert "leaf1.before.json is damaged" in said


def test_a_server_that_was_set_back_is_no_journal_of_ours(machines: tuple[str, Path, Path]) -> None:
    url, first, _ = machines
    Journal(first).begin("apply", "demo", "{}")
    with connect(url) as admin:
        admin.execute("DELETE FROM rocefab_rows")
    with pytest.raises(JournalError, match="ends before its copy"):
        Journal(first)


@pytest.mark.parametrize(
    "url",
    ["postgresql://alice:secret@db/journal", "postgresql://db/journal?user=alice&password=secret"],
)
def test_a_password_in_the_url_is_rejected_and_not_shown(url: str) -> None:
    ended = run("status", "--state", url)
    assert ended.code == 2
    assert "use ~/.pgpass or PGPASSWORD" in ended.said
    assert "secret" not in ended.said


def test_only_postgresql_is_a_url() -> None:
    assert is_url("postgresql://db/journal")
    assert not is_url("/var/lib/journal")
    with pytest.raises(InputError, match="only URLs of PostgreSQL"):
        of_url("mysql://db/journal")


def test_a_server_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    ended = run("status", "--state", f"postgresql:///journal?host={tmp_path}")
    assert ended.code == 2
    assert "the journal on the server cannot be used" in ended.said


def test_apply_status_and_rollback_in_fresh_processes(
    server: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with a folder of states of its own, as on another machine."""
    url = server("processes")
    with labs.running_lab(tmp_path, monkeypatch) as (_, _, connections):
        words = {"ROCEFAB_CONNECTIONS": str(connections), "ROCEFAB_STATE": url}
        words["ROCEFAB_PASSWORD"] = os.environ["ROCEFAB_PASSWORD"]

        def rocefab(machine: str, *command: object) -> str:
            ended = process(*command, **words, XDG_STATE_HOME=str(tmp_path / machine))
            assert ended.code == 0, ended.said
            return ended.said

        plan = tmp_path / "plan.json"
        rocefab("one", "plan", tmp_path / "inventory", "--out", plan)
        rocefab("one", "apply", plan, "--commit", "--ticket", "CHG-1")
        assert "CHG-1" in rocefab("two", "status")
        rocefab("two", "rollback", "1", "--commit")
        assert "none damaged" in rocefab("three", "status", "--verify")
        assert rocefab("one", "status").count("CHG-1") == 1


class Proxy:
    """Forwards to the server, until it is told to keep quiet: connections stay open then."""

    def __init__(self, url: str) -> None:
        from psycopg.conninfo import conninfo_to_dict

        self._path = conninfo_to_dict(url)["host"]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.is_silent = False
        port = self._listener.getsockname()[1]
        self.url = url.partition("host=")[0] + f"host=127.0.0.1&port={port}&" + url.split("&")[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(f"{self._path}/.s.PGSQL.5432")
            self._open += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if not self.is_silent:
                    target.sendall(data)
        except OSError:
            return

    def close(self) -> None:
        """Let the server see that nobody is there."""
        for end in (self._listener, *self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture
def proxy(machines: tuple[str, Path, Path]) -> Iterator[Proxy]:
    proxied = Proxy(machines[0])
    yield proxied
    proxied.close()


def _ended(work: Callable[[], object], within_s: float) -> Exception | None:
    """Return how work ends; it must end in time."""
    ends: list[Exception | None] = []

    def run_it() -> None:
        try:
            work()
            ends.append(None)
        except Exception as error:  # noqa: BLE001 - returned
            ends.append(error)

    thread = threading.Thread(target=run_it, daemon=True)
    thread.start()
    thread.join(within_s)
    assert ends, f"it goes on after {within_s:g} s"
    return ends[0]


@pytest.fixture
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of a second in place of those of a run, which together are below 30 s."""
    assert database.ANSWER_S + database.CONNECT_S < 30
    monkeypatch.setattr(database, "ANSWER_S", 0.6)
    monkeypatch.setitem(database._ALIVE, "connect_timeout", 2)


@pytest.mark.fault(29)
@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize(
    "moment", ["commit", "after commit", "confirm"], ids=lambda moment: moment.replace(" ", "-")
)
def test_a_silent_server_ends_the_run(
    machines: tuple[str, Path, Path],
    proxy: Proxy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    """Silence is no error of TCP; another machine resumes the run."""
    _, _, direct = machines
    link(tmp_path / "proxied", proxy.url)
    memory_fabric.use_memory_drivers(monkeypatch, ScriptedDriver)
    ScriptedDriver.reset()
    memory_fabric.create(tmp_path)
    plan = memory_fabric.make_plan(tmp_path)
    ScriptedDriver.act("leaf1", moment, lambda _driver: setattr(proxy, "is_silent", True))
    reachable = memory_fabric.connections(tmp_path)
    options = Options(verify_s=0.5, poll_s=0.01)

    def applier(folder: Path) -> Applier:
        return Applier(Journal(folder), reachable, pool, labs.silent, options)

    with ThreadPoolExecutor(4) as pool:
        near = applier(tmp_path / "proxied")
        begin_s = time.monotonic()
        try:
            error = _ended(lambda: near.apply(plan), 20)
        finally:
            proxy.close()
        assert isinstance(error, JournalError), error
        assert "no answer for 0.6 s; the run stops" in str(error)
        assert time.monotonic() - begin_s < 15
        until(lambda: _is_free(direct), "the server has let the lock go")
        far = applier(direct)
        result = far.resume(far.journal.unfinished() or 0, plan)
        assert result.ok, result.reasons
    names = ("spine01", "leaf1", "leaf2")
    assert all(
        memory_fabric.state(tmp_path, name)["startup"] == memory_fabric.wanted() for name in names
    )
    assert Journal(direct).verify().whole


@pytest.mark.usefixtures("shorter")
def test_a_server_that_is_silent_from_the_start_is_named(proxy: Proxy, tmp_path: Path) -> None:
    link(tmp_path / "proxied", proxy.url)
    proxy.is_silent = True
    error = _ended(lambda: Journal(tmp_path / "proxied"), 20)
    assert isinstance(error, JournalError)
    assert "timeout" in str(error)


def test_the_server_forgets_a_client_that_is_gone(machines: tuple[str, Path, Path]) -> None:
    """Else its lock would stay for the two hours of Linux; what it waits for has an end too."""
    with database.connect(machines[0]) as connection:
        rows = [
            database.ask(connection, "SELECT current_setting(%s)", (name,))[0][0]
            for name in ("statement_timeout", "idle_in_transaction_session_timeout")
        ]
    assert rows == ["12s", "30s"]


def _is_free(folder: Path) -> bool:
    try:
        with Journal(folder).exclusive():
            return True
    except JournalError:
        return False
