"""Kea and dnsmasq judge the reservations: real clients that send what each system sends.

A configuration that a server takes may still never match, so each client must get its address and
its file. What systems send is in the sources of `fabric.systems.*.boot`.
"""

from __future__ import annotations

import json
import shlex
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
SERVER, LOG = "server", "log"
DHCLIENT_NAME = "dhclient"
IMAGE = f"{URL}/images/os.bin"
STRANGER_MAC = "02:00:00:00:00:99"

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
    "--log-facility=- --dhcp-leasefile=/run/leases --pid-file=",
}
SCRIPT = """#!/bin/sh
[ "$1" = bound ] || exit 0
env | grep -E '^(ip|bootfile|tftp|hostname|opt43|opt114|opt150|opt239)='
"""
#: dhclient-script(8): what the client sets where it has a lease.
DHCLIENT_SCRIPT = """#!/bin/sh
[ "$reason" = BOUND ] || exit 0
env | sed -n 's/^new_\\(ip_address\\|filename\\|bootfile_name\\|tftp_server_name\\)=/\\1=/p
s/^new_\\(host_name\\|vendor_encapsulated_options\\|tftp\\|provision\\|installer\\)=/\\1=/p'
"""
DHCLIENT = """
option tftp code 150 = ip-address;
option provision code 239 = text;
option installer code 114 = text;
initial-interval 1;
initial-delay 0;
timeout 8;
retry 60;
request subnet-mask, routers, host-name, tftp-server-name, bootfile-name,
    vendor-encapsulated-options, tftp, provision, installer;
"""


class Sent(NamedTuple):
    """What a DHCP client sends of itself: options 60 and 61; empty where it has none."""

    vendor: str = ""
    client: str = ""

    def udhcpc(self) -> list[str]:
        """Return the arguments of udhcpc."""
        vendor = ["-V", self.vendor] if self.vendor else []
        return vendor + (["-C", "-x", f"61:{self.client.encode().hex()}"] if self.client else [])

    def dhclient(self) -> str:
        """Return the lines of dhclient.conf(5)."""
        lines = [f'send vendor-class-identifier "{self.vendor}";'] if self.vendor else []
        if self.client:
            lines.append(f"send dhcp-client-identifier {self.client.encode().hex(':')};")
        return "\n".join(lines)


class Client(NamedTuple):
    """A device, what its DHCP client sends, and what the client must have got."""

    platform: str
    serial: str
    mac: str
    sends: Sent
    gets: dict[str, str]


def identity(text: str) -> Sent:
    return Sent(client=text)


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
    "leaf-onie": Client(
        "sonic", "ONI123", "", Sent("onie_vendor:x86_64-mlnx_msn4700-r0", "\0ONI123"),
        {"opt114": hex_text(IMAGE), "hostname": "leaf-onie"},
    ),
    "leaf-eos": Client(
        "eos", "JPE123", "", Sent("Arista;DCS-7050S-64;01.23;JPE123"),
        {"bootfile": f"{URL}/leaf-eos.cfg"},
    ),
    "leaf-cumulus": Client(
        "cumulus", "MT22", "", Sent("cumulus-linux  x86_64", "\0MT22"),
        {"opt239": hex_text(f"{URL}/leaf-cumulus.sh")},
    ),
    "leaf-cumulus-onie": Client(
        "cumulus", "MT23", "", Sent("onie_vendor:x86_64-mlnx_msn4700-r0", "\0MT23"),
        {"opt114": hex_text(IMAGE)},
    ),
    "leaf-nxos": Client(
        "nxos", "FDO22", "", identity("\0FDO22"),
        {"bootfile": "leaf-nxos.py", "opt150": SERVER_HEX},
    ),
    "leaf-junos": Client(
        "junos", "DN817", "", Sent("Juniper-qfx5240-64od-DN817"),
        {
            "opt43": "[(0, 'images/os.bin'), (1, 'leaf-junos.conf'), (3, 'http'), (5, '8781')]",
            "opt150": SERVER_HEX,
        },
    ),
    "leaf-vrp8": Client(
        "vrp8", "2102311LDL0000000806", "",
        Sent("HUAWEI CE8851-32CQ8DQ-P", "2102311LDL0000000806 00e0-fc12-3456"),
        {"tftp": "tftp://10.9.0.1", "bootfile": "ztp_leaf-vrp8.ini"},
    ),
    "leaf-comware": Client(
        "comware7", "", "02:00:00:00:00:15", Sent(),
        {"bootfile": "leaf-comware.cfg", "opt150": SERVER_HEX},
    ),
    "leaf-esonic": Client(
        "esonic", "", "02:00:00:00:00:16", Sent(), {"bootfile": f"{URL}/leaf-esonic.json"},
    ),
    "leaf-esonic-onie": Client(
        "esonic", "", "02:00:00:00:00:17", Sent("onie_vendor:x86_64-dellemc_z9432f-r0", "\0DELL1"),
        {"opt114": hex_text(IMAGE)},
    ),
    "leaf-mac": Client(
        "cumulus", "", "02:00:00:00:00:13", Sent(), {"opt239": hex_text(f"{URL}/leaf-mac.sh")},
    ),
    "host": Client("host", "", "02:00:00:00:00:14", Sent(), {"hostname": "host"}),
}  # fmt: skip
WITH_MORE = "a serial with more"
#: Its own client does not ask.
ABSENT = {"leaf-absent": Client("eos", "JPE777", "", Sent(), {})}
STRANGERS = {
    "the serial of none": Sent("Arista;DCS-7050S-64;01.23;JPE999"),
    WITH_MORE: Sent("Arista;DCS-7050S-64;01.23;JPE7771"),
    "another ESN": identity("2102311LDL0000000807 00e0-fc12-3456"),
    "another Junos": Sent("Juniper-qfx5240-64od-DN818"),
    "no serial": identity("SONiC##E1031##"),
    "an unknown vendor class": Sent("Acme;DCS-7050S-64;01.23;JPE123"),
    "another vendor": Sent("Acme-qfx5240-64od-DN817"),
    "an unknown client id": identity("Acme##E1031##ABC123"),
    "ONIE with another serial": Sent("onie_vendor:x86_64-mlnx_msn4700-r0", "\0ONI999"),
}
#: The system that ONIE installed asks from the same port, with another client id.
INSTALLED = "leaf-onie, after its installation"
INSTALLED_SENDS = identity("SONiC##E1031##ONI123")


def macs() -> dict[str, str]:
    """Return the MAC of each client: that of its device, or any."""
    return {
        name: one.mac or f"02:00:00:00:01:{row:02x}"
        for row, (name, one) in enumerate(CLIENTS.items(), 1)
    }


def devices() -> dict[str, Device]:
    """Return the devices, an address each."""
    return {
        name: Device(
            name, one.platform, "", one.serial, one.mac, "", str(SUBNET[row]), "10.9.0.1", SUBNET
        )
        for row, (name, one) in enumerate({**CLIENTS, **ABSENT}.items(), 11)
    }


def leases() -> list[Lease]:
    """Return the reservation of each device."""
    made = []
    for device in devices().values():
        match, boot = matched(device), boot_of(device.platform)
        assert not isinstance(match, Finding)
        if boot is None:
            made.append(Lease(device, match))
            continue
        answers = boot.answers(device, f"{URL}/{boot.file(device)}", IMAGE)
        made.append(Lease(device, match, answers, IMAGE if boot.onie else ""))
    return made


@pytest.fixture(scope="module", params=SERVERS)
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Return what each client got from a server."""
    programs = ("kea-dhcp4", "dnsmasq", "busybox", "dhclient", "unshare", "ip")
    if not all(map(shutil.which, programs)):
        packages = "kea-dhcp4-server, dnsmasq-base, busybox-static, isc-dhcp-client"
        missing_judge(f"Kea, dnsmasq, busybox or dhclient (Debian packages {packages})")
    if subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces cannot be made here; servers are asked where the tests run as root")
    folder = tmp_path_factory.mktemp(request.param)
    write(folder)
    lines = [
        NAMESPACE,
        f"{SERVERS[request.param].format(folder=folder)} >{folder}/log 2>&1 &",
        "sleep 2",
    ]
    for name, mac in macs().items():
        sent = CLIENTS[name].sends
        lines += asked(name, mac, udhcpc(sent, folder, tries=4))
        lines += asked(f"{name} {DHCLIENT_NAME}", mac, dhclient(name, sent, folder))
    for name, sent in STRANGERS.items():
        tries = 4 if name == WITH_MORE else 2
        lines += asked(name, STRANGER_MAC, udhcpc(sent, folder, tries=tries))
    command = udhcpc(INSTALLED_SENDS, folder, tries=2)
    lines += asked(INSTALLED, macs()["leaf-onie"], command)
    if request.param == "dnsmasq":
        lines.append(FETCH.format(folder=folder))
    ended = subprocess.run(
        ["unshare", "-mn", "sh", "-c", "\n".join([*lines, "kill $!"])],
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    got = folder / "got"
    return {
        SERVER: request.param,
        LOG: (folder / "log").read_text(),
        POAP: got.read_text() if got.exists() else "",
        **parsed(ended.stdout),
    }


def asked(name: str, mac: str, command: list[str]) -> list[str]:
    """Return the lines of the shell that ask once."""
    return [
        f"ip -n client link set client address {mac}",
        f"echo {shlex.quote(name)}",
        f"ip netns exec client timeout 20 {shlex.join(command)} 2>/dev/null || true",
        "echo --",
    ]


def udhcpc(sent: Sent, folder: Path, tries: int) -> list[str]:
    options = ("66", "67", "114", "150", "239", "43", "hostname")
    return [
        *("busybox", "udhcpc", "-i", "client", "-q", "-n", "-f", "-T", "1", "-t", str(tries)),
        *("-s", f"{folder}/script", *(word for one in options for word in ("-O", one))),
        *sent.udhcpc(),
    ]


def dhclient(name: str, sent: Sent, folder: Path) -> list[str]:
    (folder / f"{name}.conf").write_text(f"{DHCLIENT}{sent.dhclient()}\n")
    command = [
        *("dhclient", "-1", "-cf", f"{folder}/{name}.conf", "-sf", f"{folder}/dhclient-script"),
        *("-lf", f"/run/{name}.leases", "-pf", f"/run/{name}.pid"),
    ]
    stop = f"kill $(cat /run/{name}.pid)"
    return ["sh", "-c", f"{shlex.join(command)} client; {stop}"]


def write(folder: Path) -> None:
    """Write both configurations; Kea may not write below /var/lib here."""
    config = json.loads(kea(leases(), ENDS))
    config["Dhcp4"]["lease-database"] = {"type": "memfile", "persist": False}
    (folder / "kea.json").write_text(json.dumps(config))
    lines = dnsmasq(leases(), ENDS)
    assert f"tftp-root={TFTP_ROOT}\n" in lines
    (folder / "dnsmasq.conf").write_text(lines.replace(TFTP_ROOT, str(folder)))
    (folder / "leaf-nxos.py").write_text(POAP)
    for name, text in (("script", SCRIPT), ("dhclient-script", DHCLIENT_SCRIPT)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def parsed(text: str) -> dict[str, dict[str, str]]:
    """Return what each client got, by name."""
    found = {}
    for part in text.split("--\n")[:-1]:
        name, *rows = part.splitlines()
        found[name] = dict(row.split("=", 1) for row in rows if "=" in row)
        for key in {"opt43", NAMES["opt43"]} & found[name].keys():
            parts = found[name][key].split(":")  # dhclient writes no zero before a digit
            digits = (
                parts[0] if len(parts) == 1 else "".join(f"{int(one, 16):02x}" for one in parts)
            )
            found[name][key] = sub_options(digits)
    return found


#: What dhclient calls what udhcpc calls otherwise, and how it shows it.
NAMES = {
    "bootfile": "bootfile_name", "tftp": "tftp_server_name", "hostname": "host_name",
    "opt114": "installer", "opt150": "tftp", "opt239": "provision",
    "opt43": "vendor_encapsulated_options",
}  # fmt: skip


def shown_by_dhclient(name: str, text: str) -> str:
    """Return a value as dhclient shows it."""
    if name in ("opt114", "opt239"):
        return bytes.fromhex(text).decode()
    return "10.9.0.1" if name == "opt150" else text


@pytest.mark.parametrize("name", CLIENTS)
def test_a_device_gets_its_address_and_its_file(answers: Answers, name: str) -> None:
    got, client = answers[name], CLIENTS[name]
    assert got["ip"] == devices()[name].address
    # udhcpc takes no URL for option 66.
    gets = {key: text for key, text in client.gets.items() if key != "tftp"}
    assert gets.items() <= got.items()


@pytest.mark.parametrize("name", CLIENTS)
def test_dhclient_gets_the_same(answers: Answers, name: str) -> None:
    got = answers[f"{name} {DHCLIENT_NAME}"]
    assert got["ip_address"] == devices()[name].address
    gets = {NAMES[key]: shown_by_dhclient(key, text) for key, text in CLIENTS[name].gets.items()}
    assert gets.items() <= got.items()


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_gets_nothing(answers: Answers, name: str) -> None:
    if answers[SERVER] == "dnsmasq" and name == WITH_MORE:
        # docs/boot.md has this limit
        assert answers[name]["ip"] == devices()["leaf-absent"].address
    else:
        assert answers[name] == {}


def test_a_stranger_is_written_down(answers: Answers) -> None:
    lines = [line for line in answers[LOG].splitlines() if STRANGER_MAC in line]
    said = {"dnsmasq": "no address available", "kea": "no pools were available"}
    assert [line for line in lines if said[answers[SERVER]] in line]


def test_the_system_that_onie_installed_gets_the_same_address(answers: Answers) -> None:
    got = answers[INSTALLED]
    if answers[SERVER] == "dnsmasq":
        assert got == {}  # until the lease of ONIE ends: docs/boot.md has this limit
        return
    assert got["ip"] == devices()["leaf-onie"].address
    assert got["bootfile"] == f"{URL}/leaf-onie.json"


def test_dnsmasq_serves_what_is_fetched_by_tftp(answers: Answers) -> None:
    if answers[SERVER] == "dnsmasq":
        assert answers[POAP] == POAP
