"""rsyslogd takes the events over UDP, TCP and a local socket, and parses every field."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.events import Event
from fabric.core.findings import Finding, Severity
from fabric.workflow.syslog import Syslog
from tests.judges.conftest import missing_judge
from tests.waiting import until

NOW = datetime(2026, 11, 24, 12, 0, 0, 250_000, tzinfo=UTC)
WRONG = Finding("DRF001", Severity.ERROR, "another MTU", "run plan", "mtu", device="leaf1")
OPENED = Event(NOW, True, WRONG, NOW, ("eve",))
CLOSED = Event(NOW, False, WRONG, NOW)
#: Each field of RFC 5424, as rsyslogd parsed it.
TEMPLATE = (
    "%syslogfacility-text%|%syslogseverity-text%|%timestamp:::date-rfc3339%|%app-name%|"
    "%msgid%|%structured-data%|%msg%\\n"
)
LINE = (
    "local0|err|2026-11-24T12:00:00.250Z|rocefab|DRF001|-|"
    "opened: mtu: leaf1: another MTU; run plan [DRF001] (by eve)"
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[dict[str, str], Path]]:
    """Run rsyslogd; yield its addresses, and the file that it writes."""
    if shutil.which("rsyslogd") is None:
        missing_judge("rsyslogd (Debian package rsyslog)")
    ports, written, local = (free_port(), free_port()), folder / "messages", folder / "log.sock"
    config = folder / "rsyslog.conf"
    config.write_text(
        f'module(load="imudp") module(load="imtcp")\n'
        f'module(load="imuxsock" SysSock.Use="off")\n'
        f'input(type="imuxsock" Socket="{local}" UseSpecialParser="off" UseSysTimeStamp="off")\n'
        f'input(type="imudp" address="127.0.0.1" port="{ports[0]}")\n'
        f'input(type="imtcp" address="127.0.0.1" port="{ports[1]}")\n'
        f'template(name="fields" type="string" string="{TEMPLATE}")\n'
        f'if $programname == "rocefab" then '
        f'action(type="omfile" file="{written}" template="fields")\n'
    )
    words = ["rsyslogd", "-n", "-f", str(config), "-i", str(folder / "pid")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        try:
            until(lambda: child.poll() is not None or local.exists(), "rsyslogd starts")
            addresses = {
                "udp": f"udp://127.0.0.1:{ports[0]}",
                "tcp": f"tcp://127.0.0.1:{ports[1]}",
                "unix": f"unix:{local}",
            }
            yield addresses, written
        finally:
            child.terminate()


@pytest.mark.parametrize("scheme", ["udp", "tcp", "unix"])
def test_every_field_is_parsed(scheme: str, tmp_path: Path) -> None:
    with server(tmp_path) as (addresses, written):
        syslog = Syslog(addresses[scheme])

        def lines() -> list[str]:
            return written.read_text().splitlines() if written.exists() else []

        def arrives() -> bool:
            with contextlib.suppress(OSError):  # the server does not listen yet
                syslog.send(OPENED)
            return bool(lines())

        until(arrives, "the first event arrives")
        syslog.send(CLOSED)
        until(lambda: any("closed" in line for line in lines()), "the second one arrives")
        syslog.close()
    # imuxsock stamps what comes by a local socket with its clock.
    first, wanted = lines()[0].split("|"), LINE.split("|")
    if scheme == "unix":
        first[2] = wanted[2]
    assert first == wanted
    closed = next(line for line in lines() if "closed" in line)
    day = "" if scheme == "unix" else "2026-11-24T"
    assert closed.startswith(f"local0|notice|{day}")
    assert "|rocefab|DRF001|-|closed: mtu: leaf1: " in closed


def test_what_a_device_wrote_begins_no_message(tmp_path: Path) -> None:
    hostile = Finding("A1", Severity.INFO, "x\n<0>1 - - root - - - fake\x1b[2J\u0085", device="a")
    with server(tmp_path) as (addresses, written):
        syslog = Syslog(addresses["tcp"])

        def arrives() -> bool:
            with contextlib.suppress(OSError):
                syslog.send(Event(NOW, True, hostile, NOW))
            return written.exists() and bool(written.read_text())

        until(arrives, "it arrives")
        syslog.close()
        line = written.read_text().splitlines()[0]
    assert line.endswith("opened: a: x <0>1 - - root - - - fake [2J  [A1]")


@pytest.mark.parametrize(
    "address", ["", "leaf1", "udp://", "http://a:1", "udp://a:99999", "unix:", "tcp://:1"]
)
def test_another_address_is_rejected(address: str) -> None:
    with pytest.raises(InputError) as caught:
        Syslog(address)
    assert caught.value.findings[0].field == "--syslog"
