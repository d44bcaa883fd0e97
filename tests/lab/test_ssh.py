"""The SSH server with real clients, and every kind of fault."""

from __future__ import annotations

import io
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import paramiko
import pytest
from netmiko import ConnectHandler
from scp import SCPClient

from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from tests.lab.conftest import PASSWORD, execute, host_spec, leaf_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    Login = Callable[[Any], paramiko.SSHClient]


def netmiko_to(device: Any) -> Any:
    """Log in as the product does."""
    return ConnectHandler(
        device_type="linux",
        host=device.address,
        port=device.port,
        username=device.spec.username,
        password=PASSWORD,
        fast_cli=True,
    )


def test_netmiko_sees_the_prompt_and_the_code(lab: Lab) -> None:
    with netmiko_to(lab["leaf01"]) as session:
        assert session.find_prompt() == "admin@leaf01:~$"
        assert session.send_command("cat /nope; echo rc=$?").endswith("rc=1")
        long = "x" * 900
        assert session.send_command(f"echo {long} | wc -c") == "901"
        session.enable()
        assert session.find_prompt().startswith("root@leaf01")


@pytest.mark.parametrize(
    "pieces", [["echo onx\x7fe; ech\bho two\n"], list("echo onx\x7fe; ech\bho two\n")]
)
def test_a_terminal_echoes_and_edits(lab: Lab, connect: Login, pieces: list[str]) -> None:
    """Typed at once or key by key."""
    channel = connect(lab["leaf01"]).invoke_shell()
    channel.settimeout(5)
    text = ""
    while not text.endswith("$ "):
        text += channel.recv(4096).decode()
    for piece in pieces:
        channel.send(piece)
    text = ""
    while not text.endswith("$ "):
        text += channel.recv(4096).decode()
    typed = "echo onx\b \be; ech\b \bho two\r\n"
    assert text == f"{typed}one\r\ntwo\r\nadmin@leaf01:~$ "


def test_wrong_password_is_refused(lab: Lab, connect: Login) -> None:
    with pytest.raises(paramiko.AuthenticationException):
        connect(lab["leaf01"], "wrong")


def test_fingerprint_is_that_of_the_host_key(lab: Lab, connect: Login) -> None:
    key = connect(lab["leaf01"]).get_transport().get_remote_server_key()
    assert lab["leaf01"].fingerprint == key.fingerprint


def test_sftp_stays_in_its_root(lab: Lab, connect: Login) -> None:
    client = connect(lab["leaf01"])
    with client.open_sftp() as sftp:
        with sftp.open("/tmp/../../tmp/plan.json", "w") as stream:
            stream.write("{}\n")
        with pytest.raises(PermissionError):
            sftp.open("/etc/sonic/config_db.json", "w")
        with pytest.raises(PermissionError):
            sftp.symlink("/etc", "/tmp/out")
    assert execute(client, "cat /tmp/plan.json") == ("{}\n", "", 0)


def test_scp_of_a_file(lab: Lab, connect: Login) -> None:
    client = connect(lab["leaf01"])
    with SCPClient(client.get_transport()) as scp:
        scp.putfo(io.BytesIO(b"{}\n"), "/tmp/by-scp.json")
    assert execute(client, "cat /tmp/by-scp.json")[0] == "{}\n"


def test_exec_keeps_stdout_stderr_and_code_apart(lab: Lab, connect: Login) -> None:
    assert execute(connect(lab["gpu01"]), "echo a; nope; exit 3") == (
        "a\n",
        "-bash: nope: command not found\n",
        3,
    )


def test_exec_reads_the_input_of_the_client(lab: Lab, connect: Login) -> None:
    stdin, stdout, _ = connect(lab["gpu01"]).exec_command("sh -s", timeout=60)
    stdin.write("echo from input\n")
    stdin.channel.shutdown_write()
    assert stdout.read() == b"from input\n"


def test_several_sessions_at_once(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("slow", pattern="first", seconds=0.5))
    first, second = connect(lab["leaf01"]), connect(lab["leaf01"])
    waiting = first.exec_command("echo first", timeout=60)
    assert execute(second, "echo second")[0] == "second\n"
    assert waiting[1].read() == b"first\n"


# -- faults --------------------------------------------------------------------------------------


def test_cut_at_byte(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("cut_at_byte", pattern="echo", count=5))
    assert execute(connect(lab["leaf01"]), "echo 123456789") == ("12345", "", -1)


def test_cut_at_command(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("cut_at_command", pattern="touchy", nth=2))
    client = connect(lab["leaf01"])
    assert execute(client, "echo touchy")[2] == 0
    assert execute(client, "echo touchy > /tmp/x")[2] == -1
    assert not lab["leaf01"].fs.exists("/tmp/x")


def test_slow(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("slow", seconds=0.3))
    client, start_s = connect(lab["leaf01"]), time.monotonic()
    assert execute(client, "echo a")[0] == "a\n"
    assert time.monotonic() - start_s >= 0.3


def test_hang(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("hang"))
    client = connect(lab["leaf01"])
    channel = client.exec_command("echo a", timeout=0.4)
    with pytest.raises(TimeoutError):
        channel[1].read()
    assert execute(client, "echo b")[0] == "b\n"


def test_refuse_line(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("refuse_line", pattern="config save", text="no space left"))
    answer = execute(connect(lab["leaf01"]), "sudo config save -y")
    assert answer == ("", "no space left\n", 1)


def test_identity(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("identity", text="leaf99", pattern="hostname"))
    client = connect(lab["leaf01"])
    assert execute(client, "hostname")[0] == "leaf99\n"
    assert execute(client, "hostname")[0] == "leaf01\n"


def test_reboot_refuses_connections_and_loads_the_startup(lab: Lab, connect: Login) -> None:
    leaf = lab["leaf01"]
    leaf.hand_edit("NTP_SERVER", "192.0.2.99", None, {})
    leaf.faults.add(Fault("reboot", pattern="bye", seconds=60))
    client = connect(leaf)
    assert execute(client, "echo bye")[2] == -1
    with pytest.raises((OSError, paramiko.SSHException)):
        connect(leaf)
    lab.clock.advance(61)
    assert execute(connect(leaf), "hostname")[0] == "leaf01\n"
    assert "192.0.2.99" not in leaf.table("NTP_SERVER")


def test_accept_part_of_an_upload(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("accept_part", pattern="sftp put", count=1))
    client = connect(lab["leaf01"])
    with client.open_sftp() as sftp, sftp.open("/tmp/two", "w") as stream:
        stream.write("one\ntwo\n")
    assert execute(client, "cat /tmp/two")[0] == "one\n"


def test_cut_at_byte_of_an_upload(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("cut_at_byte", pattern="sftp put /tmp/big", count=10))
    client = connect(lab["leaf01"])
    with pytest.raises((OSError, EOFError, paramiko.SSHException)), client.open_sftp() as sftp:
        sftp.putfo(io.BytesIO(b"x" * 100_000), "/tmp/big")
    assert len(lab["leaf01"].fs.read("/tmp/big")) == 10


def test_expire_timer(lab: Lab, connect: Login) -> None:
    lab["leaf01"].faults.add(Fault("expire_timer", pattern="hostname"))
    client = connect(lab["leaf01"])
    timer = "sudo systemd-run --unit=undo --on-active=600 /bin/sh -c 'echo x > /etc/undone'"
    assert execute(client, timer)[2] == 0
    assert execute(client, "hostname; systemctl is-active undo.timer")[0] == "leaf01\ninactive\n"
    assert lab["leaf01"].fs.read("/etc/undone") == "x\n"


# -- lab -----------------------------------------------------------------------------------------


def test_many_stand_ins_start_and_leave_nothing() -> None:
    specs = [leaf_spec(f"leaf{n}") for n in range(5)] + [host_spec(f"gpu{n}") for n in range(5)]
    before = threading.active_count()
    with Lab(specs) as many:
        ports = [many[name].port for name in many.names()]
        assert len(set(ports)) == len(specs)
        folder = many["leaf0"].fs.top
    assert threading.active_count() == before
    assert not folder.exists()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", ports[0]), timeout=1)
