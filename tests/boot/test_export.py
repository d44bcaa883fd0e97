"""export ztp: its files as an engineer reviews them, and what it does not take."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from fabric.core import hostlist
from fabric.core.errors import DeviceError, InputError
from fabric.core.exports import Exported, export, exporters
from fabric.workflow.exporters.ztp import Words, ztp
from tests.boot.fabrics import HASH, KEY, URL, boot, project

GOLDEN = Path(__file__).parents[1] / "golden" / "boot"
SECRET = "ROCEFAB_SECRET_BOOT"


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, HASH)


def files(folder: Path, *parts: str, **words: object) -> dict[str, str]:
    made = boot(folder, **{"hashes": ("env:boot",), **words})
    return {one.path: one.text for one in export(made, exporters["ztp"], parts).files}


def test_files_as_an_engineer_reviews_them(tmp_path: Path, update_golden: bool) -> None:
    made = files(tmp_path)
    wanted = ("su1-rail0", "spine01", "hosts/a1", "dnsmasq", "kea")
    for path, text in made.items():
        if not any(name in path for name in wanted):
            continue
        golden = GOLDEN / path
        if update_golden:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8"), path


def test_dhcp_names_a_file_that_is_there(tmp_path: Path) -> None:
    made = files(tmp_path)
    server = made["dnsmasq.conf"]
    named = [line.split('"')[1] for line in server.splitlines() if URL in line]
    assert named
    assert all(url.replace(URL, "http") in made for url in named)


def test_a_whole_configuration(tmp_path: Path) -> None:
    made = files(tmp_path, "switches", "hosts", whole=True)
    config = json.loads(made["http/su1-rail0-config_db.json"])
    assert config["MGMT_INTERFACE"] == {"eth0|192.168.0.193/22": {"gwaddr": "192.168.0.1"}}
    assert "PORT" in config
    steps = json.loads(made["http/su1-rail0.json"])["ztp"]
    assert steps["02-configdb-json"]["clear-config"] is True
    assert "router bgp" in made["http/spine01.cfg"]
    seed = yaml.safe_load(made["http/hosts/a1/user-data"])
    assert {"path": "/etc/rocefab/apply.sh", "permissions": "0755"}.items() <= {
        key: value
        for one in seed["write_files"]
        for key, value in one.items()
        if "apply" in one["path"]
    }.items()
    assert seed["runcmd"] == [["/etc/rocefab/apply.sh"]]


def test_who_is_not_known_yet_is_named(tmp_path: Path) -> None:
    notes = export(boot(tmp_path, hashes=("env:boot",)), exporters["ztp"], ("kea",)).notes
    named = {name for one in notes for name in (hostlist.expand(one.device) if one.device else ())}
    assert named >= {"su2-rail0", "spine02", "a2", "a2-bmc"}
    assert not named & {"su1-rail0", "su1-rail1", "spine01", "a1"}
    assert len([one for one in notes if one.rule == "ZTP001"]) == 3  # switches, hosts, BMCs


WRONG = {
    "no hash": ({"hashes": ()}, "eos needs a hash of a password to log in with"),
    "no key": ({"key_file": None, "hashes": ("eos=env:boot",)}, "sonic needs a key or a hash"),
    "a name": ({"account": "root; id"}, "'root; id' is not the name of an account"),
    "a url": ({"url": 'http://a"b'}, "the address of the files is missing"),
    "no url": ({"url": ""}, "the address of the files is missing"),
    "a password": ({"hashes": ("hunter2",)}, "not a reference"),
    "a system": ({"hashes": ("eso=env:boot",)}, "there is no system 'eso'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_taken(tmp_path: Path, name: str) -> None:
    words, message = WRONG[name]
    with pytest.raises(InputError) as caught:
        files(tmp_path, "switches", **words)
    text = "".join(str(one) for one in caught.value.findings)
    assert message in text
    assert "hunter2" not in text


def test_what_is_missing_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        files(tmp_path, "switches", key_file=None, hashes=())
    assert {one.message.partition(" needs ")[0] for one in caught.value.findings} == {
        design.platform for design in project(tmp_path).devices.values()
    }
    bare = project(tmp_path, "", "", management={})
    with pytest.raises(InputError) as caught:
        ztp(bare, Words("admin", url=""))
    assert [one.field for one in caught.value.findings] == ["--boot-url", "fabric.management"]


@pytest.mark.parametrize("text", ["secret", "$6$a\nusername x", "$1$abc$def", "$y$j9T$x", ""])
def test_a_hash_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(SECRET, text)
    with pytest.raises((InputError, DeviceError)) as caught:
        files(tmp_path, "switches")
    assert "secret" not in str(getattr(caught.value, "findings", "")).replace("secret_", "")


@pytest.mark.parametrize(
    ("leaf", "fix"),
    [
        ("7060X6-64PE", "make it with `openssl passwd -6`, or copy it from a device"),
        ("N9K-C9332D-GX2B", "make it with `openssl passwd -5`, or copy it from a device"),
        ("CE8855-32CQ4BQ", "copy it from the running configuration of such a switch"),
        ("S9820-64H", "copy it from the running configuration of such a switch"),
    ],
    ids=["eos", "nxos", "vrp8", "comware7"],
)
def test_where_a_hash_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaf: str, fix: str
) -> None:
    monkeypatch.setenv(SECRET, "$y$j9T$x")
    made = project(tmp_path, "", "", platforms__leaf={"sku": leaf, "host_ports": 4})
    with pytest.raises(InputError) as caught:
        export(ztp(made, Words("admin", url=URL, hashes=("env:boot",))), exporters["ztp"])
    assert any(one.fix.startswith(fix) for one in caught.value.findings)


@pytest.mark.parametrize(
    "key", ["PRIVATE KEY", "ssh-rsa", f"command=id {KEY}", f"{KEY}\n{KEY}", f"{KEY}'; id '"]
)
def test_a_key_that_is_none(tmp_path: Path, key: str) -> None:
    file = tmp_path / "other.pub"
    file.write_text(key)
    with pytest.raises(InputError) as caught:
        boot(tmp_path, key_file=file, hashes=("env:boot",))
    assert "has no public key of SSH in one line" in caught.value.findings[0].message


def test_a_serial_is_no_line_of_a_script(tmp_path: Path) -> None:
    made = boot(tmp_path, hashes=("env:boot",))
    devices = """devices: [{names: spine01, serial: '"; import os; os.abort() #'}]"""
    other = replace(made, project=project(tmp_path, devices, ""))
    for part in ("kea", "switches"):
        with pytest.raises(InputError) as caught:
            export(other, exporters["ztp"], (part,))
        assert "has other characters than letters" in caught.value.findings[0].message


def test_no_network(tmp_path: Path) -> None:
    made = boot(tmp_path, hashes=("env:boot",))
    other = replace(made, project=project(tmp_path, "", "", management={}))
    with pytest.raises(InputError) as caught:
        export(other, exporters["ztp"], ("kea",))
    assert caught.value.findings[0].fix == "add management.network to fabric.yaml"


def other(folder: Path, sku: str, *parts: str, **words: object) -> Exported:
    """Return the export of a fabric whose spines are of another system."""
    spines = {"platforms__spine": {"sku": sku}, "speeds": {"host_gbps": 400, "uplink_gbps": 400}}
    made = boot(folder, **{"hashes": ("env:boot",), **words})
    return export(replace(made, project=project(folder, **spines)), exporters["ztp"], parts)


def test_dnsmasq_serves_tftp_where_a_system_needs_it(tmp_path: Path) -> None:
    assert "tftp" not in files(tmp_path, "dnsmasq")["dnsmasq.conf"]
    (server,) = other(tmp_path, "N9K-C9364D-GX2A", "dnsmasq").files
    assert "\nenable-tftp\ntftp-root=/srv/tftp\n" in server.text
    assert 'tag:spine01,67,"spine01.py"' in server.text


def test_junos_is_not_sent_to_https(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        other(tmp_path, "QFX5230-64CD", "kea", url="https://192.168.0.2")
    assert caught.value.findings[0].fix == "give --boot-url with http://"


def test_each_system_has_a_hash_of_its_form(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        other(tmp_path, "N9K-C9364D-GX2A", "switches")
    assert "nxos takes: it must begin with $5$" in caught.value.findings[0].message


def test_a_key_that_a_system_does_not_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_SECRET_VRP", "$1d$" + "x" * 20 + "$")
    hashes = ("env:boot", "vrp8=env:vrp")
    done = other(tmp_path, "CE8851-32CQ8DQ-P", "switches", whole=True, hashes=hashes)
    (note,) = done.notes
    message = "Huawei VRP8 takes a key of type ssh-rsa alone: the account has its password"
    assert (note.message, note.field) == (message, "--account-key")
    text = next(one.text for one in done.files if one.path == "http/spine01.cfg")
    assert "stelnet server enable" in text
    assert text.count("\nreturn\n") == 1
    assert "\nbgp " in text


def test_a_system_that_cannot_start_with_its_whole_configuration(tmp_path: Path) -> None:
    done = other(tmp_path, "Z9664F-ON", "switches", whole=True)
    (note,) = done.notes
    assert "starts with the part of its configuration" in note.message
    text = next(one.text for one in done.files if one.path == "http/spine01-config_db.json")
    assert "BGP" not in text
