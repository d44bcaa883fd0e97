"""Passwords by reference: where they come from, when they are asked for, where they never are."""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import replace

import keyring
import pytest
from keyring.backend import KeyringBackend

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError, InputError
from fabric.devices import secrets
from fabric.devices.connections import connections
from fabric.devices.secrets import Reference, missing, reference, reveal

PASSWORD = "hunter2 ü"
PLATFORMS = {"leaf1": "sonic", "leaf2": "sonic"}


class Memory(KeyringBackend):
    """A keyring of this process alone."""

    priority = 1

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def memory():
    before = keyring.get_keyring()
    keyring.set_keyring(Memory())
    yield
    keyring.set_keyring(before)


def echo(*lines: str) -> str:
    """Return a command that runs Python lines with the name as its argument."""
    return f"{sys.executable} -c '{';'.join(('import sys, os', *lines))}' {{name}}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ROCEFAB_SECRETS_FOLDER", str(tmp_path / "secrets"))
    (tmp_path / "secrets" / "site").mkdir(parents=True)
    return tmp_path / "secrets"


def put(path, text=PASSWORD, mode=0o600):
    path.write_text(f"{text}\n")
    path.chmod(mode)


@pytest.mark.parametrize("text", ["env:leaf", "file:site/leaf.txt", "keyring:leaf-1", "command:a"])
def test_a_reference_is_written_as_it_is_read(text):
    assert str(reference(text)) == text


WRONG = [
    "hunter2", "env:", "env:a b", "file:../shadow", "file:/etc/shadow", "file:a/../b", "file:a//b",
    "command:-rf", "command:$(id)", "command:a;id", "vault:a", "env:a\nb", "", ":a", "ENV:a",
    "file:.hidden", "env:é",
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_reference_is_not_quoted(tmp_path, text):
    with pytest.raises(ValueError, match="not a reference; write env, file, keyring, command and"):
        reference(text)
    path = tmp_path / "connections.json"
    path.write_text(json.dumps({"devices": {"leaf1": {"password": text}}}, indent=1))
    with pytest.raises(InputError) as caught:
        connections(path, PLATFORMS)
    (finding,) = caught.value.findings
    assert finding.message.startswith("not a reference")
    assert (finding.field, finding.position.line) == ("devices.leaf1.password", 4)
    assert len(text) < 5 or text not in f"{finding}{caught.value}"


def test_variables(monkeypatch):
    monkeypatch.setenv("ROCEFAB_SECRET_SITE_LEAF_1", PASSWORD)
    assert reveal(reference("env:site/leaf-1"), "leaf1") == PASSWORD
    assert missing(reference("env:spine")) == "set ROCEFAB_SECRET_SPINE"


def test_files(folder):
    wanted = reference("file:site/leaf")
    assert missing(wanted) == f"there is no file {folder}/site/leaf"
    put(folder / "site" / "leaf")
    assert (missing(wanted), reveal(wanted, "leaf1")) == ("", PASSWORD)
    put(folder / "site" / "leaf", mode=0o640)
    with pytest.raises(DeviceError, match=r"leaf has mode 0640: others can read it; run `chmod 0"):
        reveal(wanted, "leaf1")


@pytest.mark.parametrize("text", ["", "two\nlines", "a\tb", "x" * 1025, "bell\a"])
def test_what_cannot_be_a_password_is_not_sent(folder, text):
    put(folder / "leaf", text)
    with pytest.raises(DeviceError, match="leaf1: no password from file:leaf: it is not one line"):
        reveal(reference("file:leaf"), "leaf1")


def test_a_file_without_an_end_is_refused(folder):
    (folder / "leaf").symlink_to("/dev/zero")
    assert "there is no file" in missing(reference("file:leaf"))
    (folder / "big").write_bytes(b"x" * 70_000)
    (folder / "big").chmod(0o600)
    with pytest.raises(DeviceError, match="big"):
        reveal(reference("file:big"), "leaf1")


@pytest.mark.usefixtures("memory")
def test_the_keyring():
    wanted = reference("keyring:leaf")
    assert missing(wanted) == ""
    with pytest.raises(DeviceError, match="run `keyring set rocefab leaf`"):
        reveal(wanted, "leaf1")
    keyring.set_password("rocefab", "leaf", PASSWORD)
    assert reveal(wanted, "leaf1") == PASSWORD


def test_no_keyring(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert missing(reference("keyring:leaf")) == "run `pip install 'rocefab[keyring]'`"


def test_commands(monkeypatch):
    wanted = reference("command:site/leaf")
    assert missing(wanted).startswith("set ROCEFAB_SECRETS_COMMAND, such as 'pass show rocefab/{na")
    monkeypatch.setenv("VAULT_TOKEN", "s.1")
    monkeypatch.setenv("ROCEFAB_PASSWORD", "other")
    monkeypatch.setenv(secrets.COMMAND_VARIABLE, echo(
        'print(sys.argv[1] + os.environ["VAULT_TOKEN"] + str("ROCEFAB_PASSWORD" in os.environ))'
    ))  # fmt: skip
    assert missing(wanted) == ""
    assert reveal(wanted, "leaf1") == "site/leafs.1False"


def test_a_command_that_fails_shows_nothing_that_it_printed(monkeypatch):
    monkeypatch.setenv(secrets.COMMAND_VARIABLE, echo('print("hunter2")', "sys.exit(7)"))
    with pytest.raises(DeviceError, match="python.* ended with 7") as caught:
        reveal(reference("command:leaf"), "leaf1")
    assert "hunter2" not in str(caught.value)
    monkeypatch.setenv(secrets.COMMAND_VARIABLE, "no-such-program-here {name}")
    with pytest.raises(DeviceError, match="no-such-program-here"):
        reveal(reference("command:leaf"), "leaf1")


def test_the_name_is_added_where_the_command_has_no_place_for_it(monkeypatch):
    monkeypatch.setenv(secrets.COMMAND_VARIABLE, "echo of")
    assert reveal(reference("command:leaf"), "leaf1") == "of leaf"


def test_the_nearer_reference_counts_and_all_sources_are_looked_at_first(tmp_path, monkeypatch):
    path = tmp_path / "connections.json"
    text = {"password": "env:site", "devices": {"leaf2": {"password": "env:leaf2"}}}
    path.write_text(json.dumps(text))
    monkeypatch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    with pytest.raises(InputError) as caught:
        connections(path, PLATFORMS)
    said = {finding.field: f"{finding.message}; {finding.fix}" for finding in caught.value.findings}
    assert said == {
        "password": "env:site: there is no such secret; set ROCEFAB_SECRET_SITE",
        "devices.leaf2.password": "env:leaf2: there is no such secret; set ROCEFAB_SECRET_LEAF2",
    }
    monkeypatch.setenv("ROCEFAB_SECRET_SITE", "a")
    monkeypatch.setenv("ROCEFAB_SECRET_LEAF2", "b")
    by_name = connections(path, PLATFORMS)
    wanted = {name: one.secret for name, one in by_name.items()}
    assert wanted == {"leaf1": Reference("env", "site"), "leaf2": Reference("env", "leaf2")}
    assert {one.password for one in by_name.values()} == {""}


def test_a_password_is_asked_for_when_a_session_opens_and_kept_nowhere(monkeypatch, tmp_path):
    path = tmp_path / "connections.json"
    path.write_text('{"password": "env:site"}')
    monkeypatch.setenv("ROCEFAB_SECRET_SITE", "first")
    connection = connections(path, PLATFORMS)["leaf1"]
    monkeypatch.setenv("ROCEFAB_SECRET_SITE", PASSWORD)
    seen = []

    class Driver:
        def __init__(self, own):
            seen.append(own)

        def open(self):
            pass

    open_driver(connection, make=Driver)
    assert seen == [replace(connection, password=PASSWORD, secret=None)]
    assert PASSWORD not in repr(seen)
    assert PASSWORD.encode() not in pickle.dumps(connection)
