"""Images: each is what the inventory says, or nothing is exported and nothing is served."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.serve.boot import boot_files
from fabric.workflow.exporters.ztp import Words, ztp
from tests.boot.fabrics import HASH, KEY, NETWORK, URL, project

CONTENT = b"an image"
IMAGE = {
    "system": "sonic",
    "release": "202405",
    "file": "sonic.bin",
    "sha256": hashlib.sha256(CONTENT).hexdigest(),
    "version": "SONiC-OS-202405.1",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "sonic.bin").write_bytes(CONTENT)
    (tmp_path / "key.pub").write_text(KEY)
    (tmp_path / "inventory").mkdir()
    return tmp_path


def files(folder: Path, **changes: str) -> dict[str, str]:
    own = project(
        folder / "inventory",
        "devices:\n  - {names: su1-rail0, serial: ABC123, release: '202405'}\n",
        "",
        management={"network": NETWORK, "images": [{**IMAGE, **changes}]},
    )
    words = Words("rocefab", folder / "key.pub", ("env:boot",), URL, images=folder / "images")
    return {one.path: one.text for one in export(ztp(own, words), exporters["ztp"]).files}


def test_devices_of_its_release_install_it(folder: Path) -> None:
    made = files(folder)
    steps = json.loads(made["http/su1-rail0.json"])["ztp"]
    assert min(steps) == "00-firmware"
    assert steps["00-firmware"]["install"] == {
        "url": f"{URL}/images/sonic.bin",
        "version": "SONiC-OS-202405.1",
        "set-default": True,
    }
    assert "00-firmware" not in json.loads(made["http/su1-rail1.json"])["ztp"]


def test_onie_gets_it_too(folder: Path) -> None:
    made = files(folder)
    server = json.loads(made["kea-dhcp4.json"])["Dhcp4"]
    (installer,) = [one for one in server["client-classes"] if one["name"].startswith("onie:")]
    assert installer["name"] == "onie:su1-rail0"
    urls = [one["data"] for one in installer["option-data"] if "captive" in one["name"]]
    assert urls == [f"{URL}/images/sonic.bin"]
    assert f'114,"{URL}/images/sonic.bin"' in made["dnsmasq.conf"]


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


WRONG = {
    "another content": (lambda file: file.write_bytes(b"other"), "has SHA-256 "),
    "missing": (lambda file: file.unlink(), "cannot be read"),
    "a pipe": (_pipe, "sonic.bin"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_not_the_image(folder: Path, name: str) -> None:
    damage, message = WRONG[name]
    damage(folder / "images" / "sonic.bin")  # type: ignore[operator]
    with pytest.raises(InputError) as caught:
        files(folder)
    (finding,) = caught.value.findings
    assert message in finding.message
    assert finding.field == "fabric.management.images[0].sha256"
    assert finding.position is not None
    with pytest.raises(InputError):
        boot_files(project(folder / "inventory", "", "", management={
            "network": NETWORK, "images": [IMAGE],
        }).fabric, folder / "ztp", folder / "images")  # fmt: skip


def test_a_system_that_installs_none(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        files(folder, system="eos")
    assert "eos installs no image when it starts from the box" in caught.value.findings[0].message


@pytest.mark.parametrize(
    ("field", "value"),
    [("file", "../x"), ("file", "a/b"), ("sha256", "zz"), ("version", "a\nb"), ("file", ".x")],
)
def test_an_entry_that_is_none(folder: Path, field: str, value: str) -> None:
    with pytest.raises(InputError) as caught:
        files(folder, **{field: value})
    assert caught.value.findings[0].field == f"fabric.management.images[0].{field}"
