"""first-contact and replace, against the lab: only the device whose serial answers is trusted."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest

from fabric.boot.log import BootLog, State, read_log, states
from fabric.core.errors import InputError
from fabric.devices.connections import connections
from fabric.intent.inventory import load
from fabric.workflow.first_contact import Contacts, first_contact
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.project import Project
from fabric.workflow.replace import Replacement, Unit
from tests.change.labs import INVENTORY
from tests.cli.runs import run

NETWORK = """\
  network: {subnet: 192.168.0.0/24, switches: 192.168.0.64/26, hosts: 192.168.0.128/26}
"""
MANAGED = re.sub("management: .*\n", f"management:\n{NETWORK}", INVENTORY)
DEVICES = """\
devices:
  - {names: su1-rail0, serial: LEAF1}
  - {names: spine01, serial: SPINE1}
"""
PLATFORMS = {"su1-rail0": "sonic", "spine01": "eos", "gpu1": "host"}
WHO = frozenset({"su1-rail0", "spine01"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inventory = tmp_path / "inventory"
    for name, text in (
        (
            "fabric.yaml",
            INVENTORY.replace(
                "management: {ntp_servers: [192.0.2.10]}\n", "management:\n" + NETWORK
            ),
        ),
        ("devices/own.yaml", DEVICES),
        ("hosts/own.yaml", "hosts:\n  - {names: gpu1, serial: HOST1}\n"),
    ):
        path = inventory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def contact(folder: Path, names: frozenset[str] = frozenset()) -> tuple[dict[str, str], list[str]]:
    said: list[str] = []
    reasons = first_contact(
        Project(folder / "inventory"),
        Contacts(folder / "own.json", "admin", BootLog(folder / "boot.log")),
        names,
        0.0,
        lambda name, text: said.append(f"{name}: {text}"),
    )
    return reasons, said


@pytest.mark.waits
def test_keys_are_taken_over_for_those_whose_serial_answers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", "canary7Qx")
    with laboratory(Project(folder / "inventory"), folder / "lab"):
        whole = json.loads((folder / "lab" / CONNECTIONS).read_text())
        known = {name: one.pop("trust") for name, one in whole["devices"].items()}
        (folder / "own.json").write_text(json.dumps(whole))
        reasons, said = contact(folder)
        assert (reasons, len(said)) == ({}, 3)
        file = folder / "own.json"
        again = connections(file, PLATFORMS)
        assert {name: one.trust.strip() for name, one in again.items()} == {
            name: text.strip() for name, text in known.items()
        }
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        shown = (file.read_text(), (folder / "boot.log").read_text(), *said)
        assert not [text for text in shown if "canary7Qx" in text]
        reached = states(read_log(folder / "boot.log"), PLATFORMS)
        assert set(reached.values()) == {State.REACHABLE}
        assert contact(folder)[1] == []  # nothing is left to ask

        Replacement(folder / "inventory", "su1-rail0", Unit("OTHER"), file).run()
        assert "trust" not in json.loads(file.read_text())["devices"]["su1-rail0"]
        reasons, _ = contact(folder)
        assert "serial number is 'LEAF1', expected 'OTHER'" in reasons["su1-rail0"]
        assert "trust" not in json.loads(file.read_text())["devices"]["su1-rail0"]


def test_who_has_no_serial_is_not_asked(folder: Path) -> None:
    (folder / "inventory" / "devices" / "own.yaml").unlink()
    (folder / "inventory" / "hosts" / "own.yaml").unlink()
    assert contact(folder) == ({}, [])
    with pytest.raises(InputError) as caught:
        contact(folder, frozenset({"spine01"}))
    assert "nothing proves who answers" in caught.value.findings[0].message
    with pytest.raises(InputError) as caught:
        contact(folder, frozenset({"spine9"}))
    assert "'spine9' is not in the inventory" in caught.value.findings[0].message


def test_who_does_not_answer_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", "secret")
    entry = {"address": "127.0.0.1", "port": 1}
    (folder / "own.json").write_text(json.dumps({"devices": {"spine01": entry}}))
    reasons, said = contact(folder, frozenset({"spine01"}))
    assert "no key from 127.0.0.1:1" in reasons["spine01"]
    assert said == [f"spine01: {reasons['spine01']}"]
    assert json.loads((folder / "own.json").read_text()) == {"devices": {"spine01": entry}}


def entry_of(folder: Path, name: str) -> dict[str, object]:
    intent = load(folder / "inventory")
    overrides = [*intent.device_overrides.get(name, []), *intent.host_overrides.get(name, [])]
    fields: dict[str, object] = {}
    for override in overrides:
        fields |= override.value.model_dump(exclude_unset=True)
    return fields


REPLACED = {
    "a switch": ("spine01", Unit("SPINE2"), {"serial": "SPINE2"}),
    "its management port": (
        "spine01",
        Unit("SPINE2", management_mac="02:00:00:00:00:09"),
        {"serial": "SPINE2", "management_mac": "02:00:00:00:00:09"},
    ),
    "a host": ("gpu1", Unit("HOST2"), {"serial": "HOST2"}),
}


@pytest.mark.parametrize("name", REPLACED)
def test_another_unit(folder: Path, name: str) -> None:
    device, unit, wanted = REPLACED[name]
    done = Replacement(folder / "inventory", device, unit).run()
    assert done.edited is not None
    assert wanted.items() <= entry_of(folder, device).items()
    again = Replacement(folder / "inventory", device, unit).run()
    assert (again.edited, again.steps) == (None, done.steps)


def test_a_nic(folder: Path) -> None:
    unit = Unit(mac="02:00:00:00:0a:01", rail=0)
    Replacement(folder / "inventory", "gpu1", unit).run()
    (nic,) = entry_of(folder, "gpu1")["nics"]  # type: ignore[misc]
    assert (nic["rail"], nic["mac"]) == (0, "02:00:00:00:0a:01")
    other = Unit(mac="02:00:00:00:0a:02", rail=0)
    done = Replacement(folder / "inventory", "gpu1", other).run()
    assert done.edited is not None
    assert "-" in done.edited.diff
    assert done.steps[:2] == ("keep jobs away from gpu1", "put the NIC in and start the host")
    assert done.steps[-1].endswith(": when it is clean, return gpu1 to service")


def test_a_serial_of_many_gets_its_own_entry(folder: Path) -> None:
    file = folder / "inventory" / "devices" / "own.yaml"
    file.write_text('devices:\n  - {names: "spine01,su1-rail0", sku: ACS-MSN4700}\n' + DEVICES[9:])
    Replacement(folder / "inventory", "spine01", Unit("SPINE2")).run()
    assert entry_of(folder, "spine01")["serial"] == "SPINE2"
    assert entry_of(folder, "su1-rail0")["serial"] == "LEAF1"


WRONG = {
    "no device": ("spine9", Unit("A"), "there is no device 'spine9' in the inventory"),
    "no unit": ("spine01", Unit(), "nothing is new"),
    "a rail of a switch": ("spine01", Unit(mac="02:00:00:00:00:01", rail=0), "has no rail"),
    "of another": ("spine01", Unit("LEAF1"), "serial LEAF1 is the one of su1-rail0"),
    "half": (
        "spine01",
        Unit(management_mac="02:00:00:00:00:01"),
        "spine01 has a serial in the inventory, which is of the old unit",
    ),
    "no MAC": ("gpu1", Unit(mac="zz", rail=0), "mac"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_replaced(folder: Path, name: str) -> None:
    device, unit, message = WRONG[name]
    before = {path: path.read_bytes() for path in folder.rglob("*.yaml")}
    with pytest.raises(InputError) as caught:
        Replacement(folder / "inventory", device, unit).run()
    assert message in f"{caught.value} {[str(one) for one in caught.value.findings]}"
    assert {path: path.read_bytes() for path in folder.rglob("*.yaml")} == before


def test_killed_between_its_two_files_it_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "own.json"
    file.write_text('{"devices": {"spine01": {"address": "192.0.2.1", "trust": "old"}}}')
    one = Replacement(folder / "inventory", "spine01", Unit("SPINE2"), file)
    with monkeypatch.context() as patch:
        patch.setattr(one, "_forget_key", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            one.run()
    assert entry_of(folder, "spine01")["serial"] == "SPINE2"
    done = Replacement(folder / "inventory", "spine01", Unit("SPINE2"), file).run()
    assert (done.edited, done.old_key) == (None, True)
    assert json.loads(file.read_text()) == {"devices": {"spine01": {"address": "192.0.2.1"}}}


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_dry_run_says_what_would_become_of_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """The file may come from the variable, which no option shows."""
    file, inventory = folder / "own.json", str(folder / "inventory")
    text = '{"devices": {"spine01": {"address": "192.0.2.1", "trust": "old"}}}'
    file.write_text(text)
    monkeypatch.setenv("ROCEFAB_CONNECTIONS", str(file))
    ended = run("replace", "spine01", "--serial", "SPINE2", "--inventory", inventory, *options)
    is_dry = bool(options)
    taken = "would be taken" if is_dry else "is"
    assert f"spine01: the key of the old unit {taken} out of {file}\n" in ended.err
    assert (file.read_text() == text) is is_dry


def _interrupt() -> bool:
    raise KeyboardInterrupt
