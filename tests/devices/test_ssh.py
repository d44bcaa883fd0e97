"""The shell session: what comes back is what the command printed, and its status."""

from __future__ import annotations

import shlex
import socket
import tempfile
import threading
import time
import traceback
from contextlib import ExitStack, contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paramiko import Transport

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices import limits
from fabric.devices.answers import read_answer
from fabric.devices.driver import checked_token
from fabric.devices.ssh import checked_path, prepare_transports
from fabric.lab.faults import Fault
from fabric.systems.host.drivers import _command
from tests.change.labs import HOST, LEAF
from tests.devices.conftest import PASSWORD


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, of this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def shell(driver):
    return driver(HOST)._shell


@pytest.mark.parametrize(
    ("command", "status", "output"),
    [
        ("echo one", 0, "one\n"),
        ("true", 0, ""),
        ("false", 1, ""),
        ("echo rocefab-status=0; sleep 0.3; echo later", 0, "rocefab-status=0\nlater\n"),
        ("printf 'no end of line'", 0, "no end of line"),
        ("printf 'a\\n\\n  b\\n'", 0, "a\n\n  b\n"),
        ("echo rocefab-status=7", 0, "rocefab-status=7\n"),
        ("echo rocefab-0011-begin; echo rocefab-0011-status=0; false", 1, None),
        ("cat /no/such/file 2>/dev/null", 1, ""),
    ],
)
def test_status_and_output(shell, command, status, output):
    found = shell.run(command)
    assert found[0] == status
    if output is not None:
        assert found[1] == output


def test_marks_of_one_command_are_not_those_of_the_next(shell):
    channel, sent = shell._session, []
    original = channel.write_channel
    channel.write_channel = lambda text: (sent.append(text), original(text))
    shell.run("true")
    shell.run("true")
    assert len(set(sent)) == 2


@pytest.mark.fault(17)
def test_colours_do_not_hide_the_marks(shell, lab):
    lab[HOST].fs.write("/tmp/colours", "\x1b[31mred\x1b[0m\n\x1b[?2004h")
    status, output = shell.run("cat /tmp/colours")
    assert status == 0
    assert output.startswith("red\n")  # netmiko takes the colours out


@pytest.mark.fault(17)
def test_two_megabytes(shell, lab):
    text = "".join(f"{number:07d} a line of a long answer\n" for number in range(60_000))
    lab[HOST].fs.write("/tmp/long", text)
    assert shell.run("cat /tmp/long") == (0, text)


@pytest.mark.fault(18)
def test_refusal_names_command_and_reason(shell):
    with pytest.raises(RefusedError, match="'cat /no/such' ended with status 1: .*No such file"):
        shell.check("cat /no/such")


@pytest.mark.fault(22)
def test_refusal_tells_no_secret(shell, lab):
    lab[HOST].fs.write("/tmp/said", 'Value "HUNTER2" is wrong.\n"passkey": "HUNTER2"\nLast.\n')
    shown = r"status 1: Value \*\*\* is wrong. \| .* \| Last\."
    with pytest.raises(RefusedError, match=shown) as caught:
        shell.check("cat /tmp/said; echo 'SNMP_COMMUNITY|HUNTER2' > /dev/null; false")
    assert "HUNTER2" not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.parametrize("kind", ["cut_at_byte", "cut_at_command"])
@pytest.mark.fault(1)
def test_device_that_closes_in_the_middle_is_noticed_at_once(driver, lab, kind):
    lab[LEAF].faults.add(Fault(kind, pattern="show version", count=40))
    shell = driver(LEAF)._shell
    with pytest.raises(ConnectionLostError, match="lost during 'show version'"):
        shell.run("show version", quiet_s=20)


@pytest.mark.fault(2)
def test_silent_device(driver, lab):
    lab[LEAF].faults.add(Fault("hang", pattern="show version"))
    shell = driver(LEAF)._shell
    with pytest.raises(ConnectionLostError, match="no answer for 0.3 s"):
        shell.run("show version", quiet_s=0.3)


def all_texts(error):
    return "".join(traceback.format_exception(error)) + repr(error)


LOGINS = {
    "wrong password": ({"password": f"{PASSWORD}-wrong"}, "cannot log in"),
    "wrong host key": (None, "cannot log in"),
    "unknown host key": ({"trust": ""}, "cannot log in"),
    "nobody there": ({"port": 1}, "cannot log in"),
}


@pytest.mark.fault(13, 14, 15, 22)
@pytest.mark.parametrize("name", LOGINS)
def test_failing_login_tells_no_secret(driver, lab, name, caplog, capfd, temporary):
    changes, message = LOGINS[name]
    if changes is None:
        changes = {"trust": lab[HOST].trust}
    with caplog.at_level(0), pytest.raises(ConnectionLostError, match=message) as caught:
        driver(LEAF, **changes)
    printed = capfd.readouterr()
    assert PASSWORD not in all_texts(caught.value) + caplog.text + printed.out + printed.err
    assert not list(temporary.iterdir())


def test_connection_is_shown_without_its_secrets(connection):
    assert PASSWORD not in repr(connection(LEAF))


def test_trusted_key_leaves_no_file(driver, temporary):
    driver(LEAF)
    assert not list(temporary.iterdir())


def is_one_word(text):
    return shlex.split(f"cat {text} end", posix=True) == ["cat", text, "end"] and not set(
        text
    ) & set(";&|<>()$`\\\"'*?[]#~=%!{} \t\r\n")


HOSTILE = st.text(
    st.sampled_from("abz09/._-@:+;&|$`\\\"'*?#~ \n\t(){}<>\x00\xe9\u2028"), max_size=12
)


@given(HOSTILE)
@pytest.mark.fault(20)
def test_no_path_adds_a_word(text):
    try:
        checked_path(f"/{text}")
    except ValueError:
        return
    assert is_one_word(f"/{text}")
    assert ".." not in text.split("/")


@given(HOSTILE)
@pytest.mark.fault(20)
def test_no_token_adds_a_word(text):
    try:
        checked_token(f"rocefab-{text}")
    except ValueError:
        return
    assert is_one_word(f"rocefab-{text}")
    assert "/" not in text


@given(st.sampled_from(["qos", "tc", "cnp"]), HOSTILE)
@pytest.mark.fault(20)
def test_no_interface_name_adds_a_word(kind, text):
    try:
        command = _command(f"{kind}:{text}")
    except ValueError:
        return
    assert command == _command(f"{kind}:NAME").replace("NAME", text)
    assert is_one_word(text)
    assert "/" not in text


def test_a_session_reads_no_echo_and_no_prompt(shell):
    shell.run("true")
    shell._session.write_channel("echo one; echo two\n")
    assert read_answer(shell._session, lambda tail, _: tail.endswith("two\n"), 60) == "one\ntwo\n"


def test_a_system_that_cannot_be_silent_is_read_all_the_same(shell):
    shell.run("stty echo; PS1='leaf01$ '")
    assert shell.run("echo one") == (0, "one\n")
    assert shell.run_each({"a": "echo two", "b": "false"}) == {"a": (0, "two\n"), "b": (1, "")}


def test_a_session_is_encrypted_with_gcm(shell):
    """Another cipher costs three times as much here."""
    transport = shell._session.remote_conn_pre.get_transport()
    assert {transport.local_cipher, transport.remote_cipher} == {"aes128-gcm@openssh.com"}


def test_a_device_without_gcm_gets_what_it_has(monkeypatch):
    before = (*Transport._preferred_ciphers[1:], Transport._preferred_ciphers[0])
    monkeypatch.setattr(Transport, "_preferred_ciphers", before)
    prepare_transports()
    with socket.socket() as one:
        after = Transport(one).get_security_options().ciphers
    assert sorted(after) == sorted(before), "none is left out"
    gcm = [name for name in before if "gcm" in name]
    assert list(after) == [*gcm, *(name for name in before if name not in gcm)]


@pytest.mark.fault(30)
def test_a_busy_machine_has_longer_for_the_key_exchange_than_for_tcp(lab, driver, monkeypatch):
    """The connection is there: what takes its time is the work of both ends."""
    monkeypatch.setattr(limits, "CONNECT_S", 0.3)
    with late_proxy(lab[HOST].port, 1.0) as port:
        assert driver(HOST, port=port)._shell.run("echo here") == (0, "here\n")


def test_the_exchange_is_not_given_up_after_15_seconds():
    prepare_transports()
    prepare_transports()
    with socket.socket() as one:
        transport = Transport(one)
    waits_s = (transport.handshake_timeout, transport.banner_timeout, transport.auth_timeout)
    assert waits_s == (limits.LOGIN_S,) * 3


@contextmanager
def late_proxy(port, late_s):
    """Give the port of a server whose first word comes late."""

    def forward(source, target, pause_s):
        with suppress(OSError):
            while data := source.recv(65536):
                time.sleep(pause_s)
                pause_s = 0.0
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

        def serve():
            near = stack.enter_context(listener.accept()[0])
            far = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            for ends in ((near, far, 0.0), (far, near, late_s)):
                threading.Thread(target=forward, args=ends, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def test_commands_in_turn_end_at_the_first_that_fails(shell):
    shell.check_in_turn("true", "echo one", "printf two")
    with pytest.raises(RefusedError, match="'cat /no/such/file' ended with status 1: .*No such"):
        shell.check_in_turn("echo fine", "cat /no/such/file", "touch /tmp/later")
    assert shell.run("test -e /tmp/later")[0] == 1, "what follows was not run"


def test_commands_that_no_line_holds_are_run_in_turn_all_the_same(shell, lab):
    long = [f"echo {number:060d} >> /tmp/rows" for number in range(60)]
    with pytest.raises(RefusedError, match="'cat /no/such/file' ended with status 1"):
        shell.check_in_turn(*long, "cat /no/such/file", "touch /tmp/later")
    rows = shell.run("cat /tmp/rows; ls /tmp/later 2>/dev/null")[1]
    assert rows == "".join(f"{number:060d}\n" for number in range(60))
