"""What is wrong on the way from the box: refused whole, with its place, and nothing half served.

That DHCP servers leave an unknown vendor class and an unknown client id alone, and write it down,
is judged by real servers and clients: ``tests/judges/test_dhcp.py``.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from fabric.boot.log import BootLog, read_log
from fabric.core.errors import FabricError
from fabric.core.exports import export, exporters
from fabric.core.findings import Finding
from fabric.render.output import write
from fabric.serve.boot import BootFiles, boot_files
from fabric.workflow.exporters.ztp import Words, ztp
from fabric.workflow.project import Project
from fabric.workflow.serials import adopt_serials
from tests.boot.fabrics import DEVICES, HASH, HOSTS, KEY, NETWORK, URL, project

IMAGE = b"an image"
LEAF, SECOND = "192.168.0.193", "192.168.0.194"


@dataclass(frozen=True)
class Wrong:
    """Something that is wrong, and what must be said of it.

    Parameters
    ----------
    place : str
        Start of the message: file, line and field, or the option.
    message : str
        What it must say.
    devices, hosts : str
        Overrides of the inventory.
    management : mapping
        Changes of ``management``.
    words : mapping
        Changes of the options of the export.
    adopts : str
        A table that is adopted before the export; empty for none.
    """

    place: str
    message: str
    devices: str = DEVICES
    hosts: str = HOSTS
    management: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    adopts: str = ""


def devices(*entries: str) -> str:
    return "devices:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def pools(**pools: str) -> dict[str, object]:
    return {"network": {**NETWORK, **pools}}


def image(content: bytes) -> dict[str, object]:
    digest = hashlib.sha256(content).hexdigest()
    row = {"system": "sonic", "release": "202405", "file": "os.bin", "sha256": digest}
    return {"network": NETWORK, "images": [{**row, "version": "SONiC-OS-202405.1"}]}


SONIC_LEASE = b"SONiC##DCS-7060X6-64PE##NEW1".hex(":")
ABC = "names: su1-rail0, serial: ABC123"
MAC = 'management_mac: "02:00:00:00:00:12"'
CASES = {
    "two reservations for a serial": Wrong(
        "devices/test.yaml:3:24: devices[1].serial: ",
        "has the serial of su1-rail0",
        devices(ABC, "names: su1-rail1, serial: ABC123"),
    ),
    "a serial of switches of two systems": Wrong(
        "devices/test.yaml:3:22: devices[1].serial: ",
        "has the serial of su1-rail0",
        devices(ABC, "names: spine01, serial: ABC123"),
    ),
    "a serial that contains another": Wrong(
        "devices/test.yaml:3:22: devices[1].serial: ",
        "has a serial that contains the serial of spine01",
        devices("names: spine01, serial: JPE123", "names: spine02, serial: JPE1234"),
    ),
    "two reservations for a MAC": Wrong(
        "devices/test.yaml:3:24: devices[1].management_mac: ",
        "has the MAC of su1-rail0",
        devices(f"names: su1-rail0, {MAC}", f"names: su1-rail1, {MAC}"),
    ),
    "a BMC with the MAC of its host": Wrong(
        "hosts/test.yaml:2:54: hosts[0].bmc_mac: ",
        "has the MAC of a1",
        hosts='hosts:\n  - {names: a1, management_mac: "02:00:00:00:01:01", '
        'bmc_mac: "02:00:00:00:01:01"}\n',
    ),
    "a serial with a sign": Wrong(
        "devices/test.yaml:2:24: devices[0].serial: ",
        "has other characters than letters",
        devices("names: su1-rail0, serial: 'A\"B'"),
    ),
    "a serial of another model, in a list": Wrong(
        "list.csv:2:1: ",
        "su1-rail1 is planned as ACS-SN5600, and the line has a 7060X6-64PE",
        adopts="name,serial,model\nsu1-rail1,NEW1,DCS-7060X6-64PE\n",
    ),
    "a serial of another model, in a lease": Wrong(
        "list.csv:1:1: ",
        "su1-rail1 is planned as ACS-SN5600, and the line has a 7060X6-64PE",
        adopts=f"1764280000 02:00:00:00:00:12 192.168.0.194 * {SONIC_LEASE}\n",
    ),
    "a bootstrap without a key": Wrong(
        "--account-hash: ",
        "sonic needs a key or a hash to log in with",
        words={"key_file": None, "hashes": ("eos=env:boot",)},
    ),
    "a key that is none": Wrong(
        "bad.pub:1:1: --account-key: ",
        "has no public key of SSH in one line",
        words={"key_file": "bad.pub"},
    ),
    "a pool too small for the switches": Wrong(
        "fabric.yaml:15:5: fabric.management.network.switches: ",
        "exhausted: 4 needed, 1 available",
        management=pools(switches="192.168.0.128/30"),
    ),
    "a pool too small for the hosts": Wrong(
        "fabric.yaml:13:5: fabric.management.network.hosts: ",
        "exhausted: 5 needed, 2 available",
        management=pools(hosts="192.168.1.0/30"),
    ),
    "an image whose checksum differs": Wrong(
        "fabric.yaml:14:5: fabric.management.images[0].sha256: ",
        "os.bin has SHA-256 ",
        management=image(b"another image"),
        words={"images": "images"},
    ),
}


def findings(error: FabricError) -> Iterator[Finding]:
    yield from getattr(error, "findings", ())


def exported(folder: Path, case: Wrong) -> None:
    """Take the table over, and write the export, as the commands do."""
    (folder / "bad.pub").write_text("no key\n")
    (folder / "key.pub").write_text(f"{KEY}\n")
    (folder / "images").mkdir()
    (folder / "images" / "os.bin").write_bytes(IMAGE)
    inventory = folder / "inventory"
    inventory.mkdir()
    changes = {"management": case.management} if case.management else {}
    made = project(inventory, case.devices, case.hosts, **changes)
    if case.adopts:
        (folder / "list.csv").write_text(case.adopts)
        adopt_serials(inventory, [folder / "list.csv"])
    own: dict[str, Any] = {"key_file": "key.pub", "hashes": ("env:boot",), **case.words}
    for name in ("key_file", "images"):
        own[name] = folder / own[name] if own.get(name) else None
    words = Words("rocefab", url=URL, **own)
    write(export(ztp(made, words), exporters["ztp"]).files, folder / "ztp", force=False)


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_has_a_place_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    case = CASES[name]
    with pytest.raises(FabricError) as caught:
        exported(tmp_path, case)
    lines = [
        str(one).replace(f"{tmp_path}/inventory/", "").replace(f"{tmp_path}/", "")
        for one in findings(caught.value)
    ]
    assert [line for line in lines if line.startswith(case.place) and case.message in line], lines
    assert all(one.fix and one.rule for one in findings(caught.value))
    assert not (tmp_path / "ztp").exists()
    assert not (tmp_path / "inventory" / "devices" / "serials.yaml").exists()


class Server:
    """``serve --ztp`` of an export with an image, asked from any address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.said = folder, list[str]()
        case = Wrong("", "", management=image(IMAGE), words={"images": "images"})
        exported(folder, case)
        fabric = Project(folder / "inventory").fabric
        files, known = boot_files(fabric, folder / "ztp", folder / "images")
        log = BootLog(folder / "log")
        self.app = BootFiles(files, known, log, [], lambda *words: self.said.append(str(words)))

    def get(self, address: str, path: str, **headers: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, client=(address, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="http://boot") as client:
                return await client.get(path, headers=headers)

        return asyncio.run(ask())


def other_image(server: Server) -> None:
    (server.folder / "images" / "os.bin").write_bytes(IMAGE[::-1] + b"x")


def no_image(server: Server) -> None:
    (server.folder / "images" / "os.bin").unlink()


REQUESTS: dict[str, tuple[str, str, dict[str, str], Callable[[Server], None], int, str]] = {
    "a script, from an unknown address": (
        "192.168.3.3", "su1-rail0.sh", {}, lambda _: None, 403, "no device of the inventory",
    ),
    "a script, from another device": (
        SECOND, "su1-rail0.sh", {}, lambda _: None, 403, "the file is of another device",
    ),
    "an image, from an unknown address": (
        "192.168.3.3", "images/os.bin", {}, lambda _: None, 403, "no device of the inventory",
    ),
    "another serial": (
        LEAF, "su1-rail0.json", {"SERIAL-NUMBER": "X1"}, lambda _: None, 403, "another serial",
    ),
    "another model": (
        LEAF, "su1-rail0.json", {"PRODUCT-NAME": "DCS-7060X6-64PE"}, lambda _: None,
        403, "su1-rail0 is planned as ACS-SN5600, and a 7060X6-64PE asks",
    ),
    "an image that has changed": (
        LEAF, "images/os.bin", {}, other_image, 409, "the image has changed",
    ),
    "an image that is gone": (LEAF, "images/os.bin", {}, no_image, 409, "the image has changed"),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_what_a_server_refuses_is_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    address, path, headers, damage, status, message = REQUESTS[name]
    server = Server(tmp_path)
    damage(server)
    answer = server.get(address, f"/{path}", **headers)
    assert answer.status_code == status
    assert answer.text.count("\n") == 1  # the reason alone, and nothing of the file
    assert message in answer.text
    (record,) = read_log(tmp_path / "log")
    assert (record.address, record.path) == (address, path)
    assert message in record.refused
    assert message in server.said[0]


def test_who_is_planned_gets_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    server = Server(tmp_path)
    own = {"PRODUCT-NAME": "MSN5600", "SERIAL-NUMBER": "ABC123"}
    assert server.get(LEAF, "/images/os.bin", **own).content == IMAGE
    assert server.get(LEAF, "/su1-rail0.sh", **own).status_code == 200
