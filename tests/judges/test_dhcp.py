"""Kea and dnsmasq judge the reservations: real clients that send what each system sends.

A configuration that a server takes may still never match, so each client must get its address and
its file. What systems send is in the sources of `fabric.systems.*.boot`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fabric.boot.dnsmasq import TFTP_ROOT, dnsmasq
from fabric.boot.kea import kea
from fabric.boot.leases import Lease, boot_of, matched
from fabric.boot.model import Device
from fabric.core.findings import Finding
from fabric.topology.model import ManagementEnds
from tests.judges.conftest import missing_judge

URL = "http://10.9.0.1:8781"
SUBNET = IPv4Network("10.9.0.0/24")
NOBODY = np.zeros(0, dtype=np.int64)
ENDS = ManagementEnds(SUBNET, SUBNET[1], NOBODY, NOBODY, NOBODY)
Answers = dict[str, Any]
SERVER = "server"
MAC = "02:00:00:00:00:99"

NAMESPACE = """
set -eu
mount -t tmpfs none /run
mkdir /run/netns /run/kea
ip netns add client
ip link add server type veth peer name client netns client
ip addr add 10.9.0.1/24 dev server
ip link set server up
ip link set lo up
ip -n client link set client up
"""
POAP = "print('POAP')\n"
FETCH = """
ip -n client addr add 10.9.0.2/24 dev client
ip netns exec client timeout 20 busybox tftp -g -r leaf-nxos.py -l {folder}/got 10.9.0.1
"""
SERVERS = {
    "kea": "KEA_LOCKFILE_DIR=none KEA_PIDFILE_DIR=/run/kea kea-dhcp4 -c {folder}/kea.json",
    "dnsmasq": "dnsmasq --keep-in-foreground --conf-file={folder}/dnsmasq.conf --user=root "
    "--dhcp-leasefile=/run/leases --pid-file=",
}
SCRIPT = """#!/bin/sh
[ "$1" = bound ] || exit 0
env | grep -E '^(ip|bootfile|tftp|hostname|opt43|opt150|opt239)='
"""


class Client(NamedTuple):
    """A device, what its DHCP client sends, and what the client must have got."""

    platform: str
    serial: str
    mac: str
    sends: tuple[str, ...]
    gets: dict[str, str]


def identity(text: str) -> tuple[str, ...]:
    """Return the arguments of udhcpc that send a client id, and no other one."""
    return ("-C", "-x", f"61:{text.encode().hex()}")


def hex_text(text: str) -> str:
    return text.encode().hex()


def sub_options(digits: str) -> str:
    """Return what option 43 holds by code; the order is another one with each server."""
    content, by_code = bytes.fromhex(digits), {}
    while content and content[0] != END:
        code, size = content[:2]
        by_code[code], content = content[2 : 2 + size].decode(), content[2 + size :]
    return str(sorted(by_code.items()))


END = 0xFF
SERVER_HEX = bytes((10, 9, 0, 1)).hex()
CLIENTS = {
    "leaf-sonic": Client(
        "sonic", "ABC123", "", identity("SONiC##E1031##ABC123"),
        {"bootfile": f"{URL}/leaf-sonic.json", "hostname": "leaf-sonic"},
    ),
    "leaf-eos": Client(
        "eos", "JPE123", "", ("-V", "Arista;DCS-7050S-64;01.23;JPE123"),
        {"bootfile": f"{URL}/leaf-eos.cfg"},
    ),
    "leaf-cumulus": Client(
        "cumulus", "MT22", "", ("-V", "cumulus-linux  x86_64", *identity("\0MT22")),
        {"opt239": hex_text(f"{URL}/leaf-cumulus.sh")},
    ),
    "leaf-nxos": Client(
        "nxos", "FDO22", "", identity("\0FDO22"),
        {"bootfile": "leaf-nxos.py", "opt150": SERVER_HEX},
    ),
    "leaf-junos": Client(
        "junos", "DN817", "", ("-V", "Juniper-qfx5240-64od-DN817"),
        {
            "opt43": "[(1, 'leaf-junos.conf'), (3, 'http'), (5, '8781')]",
            "opt150": SERVER_HEX,
        },
    ),
    "leaf-vrp8": Client(
        "vrp8", "2102311LDL0000000806", "",
        ("-V", "HUAWEI CE8851-32CQ8DQ-P", *identity("2102311LDL0000000806 00e0-fc12-3456")),
        {"tftp": "bad", "bootfile": "ztp_leaf-vrp8.ini"},  # udhcpc takes no URL for option 66
    ),
    "leaf-comware": Client(
        "comware7", "", "02:00:00:00:00:15", (),
        {"bootfile": "leaf-comware.cfg", "opt150": SERVER_HEX},
    ),
    "leaf-esonic": Client(
        "esonic", "", "02:00:00:00:00:16", (), {"bootfile": f"{URL}/leaf-esonic.json"},
    ),
    "leaf-mac": Client(
        "cumulus", "", "02:00:00:00:00:13", (), {"opt239": hex_text(f"{URL}/leaf-mac.sh")},
    ),
    "host": Client("host", "", "02:00:00:00:00:14", (), {"hostname": "host"}),
}  # fmt: skip
STRANGERS = {
    "the serial of none": ("-V", "Arista;DCS-7050S-64;01.23;JPE999"),
    "a serial with more": ("-V", "Arista;DCS-7050S-64;01.23;JPE1234"),
    "another ESN": identity("2102311LDL0000000807 00e0-fc12-3456"),
    "another Junos": ("-V", "Juniper-qfx5240-64od-DN818"),
    "no serial": identity("SONiC##E1031##"),
    "an unknown vendor class": ("-V", "Acme;DCS-7050S-64;01.23;JPE123"),
    "another vendor": ("-V", "Acme-qfx5240-64od-DN817"),
    "an unknown client id": identity("Acme##E1031##ABC123"),
}


def devices() -> dict[str, Device]:
    """Return the devices, an address each."""
    return {
        name: Device(
            name, one.platform, "", one.serial, one.mac, "", str(SUBNET[row]), "10.9.0.1", SUBNET
        )
        for row, (name, one) in enumerate(CLIENTS.items(), 11)
    }


def leases() -> list[Lease]:
    """Return the reservation of each device."""
    made = []
    for device in devices().values():
        match, boot = matched(device), boot_of(device.platform)
        assert not isinstance(match, Finding)
        url = f"{URL}/{boot.file(device) if boot else ''}"
        made.append(Lease(device, match, boot.answers(device, url) if boot else ()))
    return made


@pytest.fixture(scope="module", params=SERVERS)
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Return what each client got from a server."""
    programs = ("kea-dhcp4", "dnsmasq", "busybox", "unshare", "ip")
    if not all(map(shutil.which, programs)):
        missing_judge("Kea, dnsmasq and busybox (Debian packages kea-dhcp4-server, dnsmasq-base)")
    if subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces cannot be made here; servers are asked where the tests run as root")
    folder = tmp_path_factory.mktemp(request.param)
    write(folder)
    lines = [
        NAMESPACE,
        f"{SERVERS[request.param].format(folder=folder)} >{folder}/log 2>&1 &",
        "sleep 2",
    ]
    sent = {name: (one.mac or MAC, one.sends) for name, one in CLIENTS.items()}
    sent |= {name: (MAC, words) for name, words in STRANGERS.items()}
    for name, (mac, words) in sent.items():
        tries = "4" if name in CLIENTS else "2"
        command = [
            *(
                "ip",
                "netns",
                "exec",
                "client",
                "timeout",
                "20",
                "busybox",
                "udhcpc",
                "-i",
                "client",
            ),
            *("-q", "-n", "-f", "-t", tries, "-T", "1", "-s", f"{folder}/script"),
            *(
                "-O",
                "66",
                "-O",
                "67",
                "-O",
                "150",
                "-O",
                "239",
                "-O",
                "43",
                "-O",
                "hostname",
                *words,
            ),
        ]
        quoted = " ".join("'" + word.replace("'", "") + "'" for word in command)
        lines += [
            f"ip -n client link set client address {mac}",
            f"echo '{name}'",
            f"{quoted} 2>/dev/null || true",
            "echo --",
        ]
    if request.param == "dnsmasq":
        lines.append(FETCH.format(folder=folder))
    ended = subprocess.run(
        ["unshare", "-mn", "sh", "-c", "\n".join([*lines, "kill $!"])],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    got = folder / "got"
    return {
        SERVER: request.param,
        POAP: got.read_text() if got.exists() else "",
        **parsed(ended.stdout),
    }


def write(folder: Path) -> None:
    """Write both configurations; Kea may not write below /var/lib here."""
    config = json.loads(kea(leases(), ENDS))
    config["Dhcp4"]["lease-database"] = {"type": "memfile", "persist": False}
    (folder / "kea.json").write_text(json.dumps(config))
    lines = dnsmasq(leases(), ENDS)
    assert f"tftp-root={TFTP_ROOT}\n" in lines
    (folder / "dnsmasq.conf").write_text(lines.replace(TFTP_ROOT, str(folder)))
    (folder / "leaf-nxos.py").write_text(POAP)
    (folder / "script").write_text(SCRIPT)
    (folder / "script").chmod(0o755)


def parsed(text: str) -> dict[str, dict[str, str]]:
    """Return what each client got, by name."""
    found = {}
    for part in text.split("--\n")[:-1]:
        name, *rows = part.splitlines()
        found[name] = dict(row.split("=", 1) for row in rows if "=" in row)
        if "opt43" in found[name]:
            found[name]["opt43"] = sub_options(found[name]["opt43"])
    return found


@pytest.mark.parametrize("name", CLIENTS)
def test_a_device_gets_its_address_and_its_file(answers: Answers, name: str) -> None:
    got = answers[name]
    assert got["ip"] == devices()[name].address
    assert CLIENTS[name].gets.items() <= got.items()


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_gets_nothing(answers: Answers, name: str) -> None:
    if answers[SERVER] == "dnsmasq" and name == "a serial with more":
        assert answers[name]["ip"] == devices()["leaf-eos"].address  # docs/boot.md names this limit
    else:
        assert answers[name] == {}


def test_dnsmasq_serves_what_is_fetched_by_tftp(answers: Answers) -> None:
    if answers[SERVER] == "dnsmasq":
        assert answers[POAP] == POAP
