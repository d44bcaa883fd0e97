"""replace --port: what the inventory says of a cable, wherever it says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.files import write_whole
from fabric.intent.inventory import load
from fabric.topology.cable_types import typed_cables
from fabric.topology.realise import realise
from fabric.workflow import inventory_edit
from fabric.workflow.project import Project
from fabric.workflow.replace_cable import CableReplacement, NewCable
from tests.cli.runs import run

DEMO = Path(__file__).parents[2] / "inventory" / "demo"
LEAF, UPLINK, HOST, NIC = "su1-rail0", "Ethernet136", "gpu001", "eth1"
NEW = NewCable(7, "aoc")
#: Files that say something of the cable before, and what a part of the diff then is.
PLACES = {
    "nowhere": ({}, "+  - {names: su1-rail0, ports: {Ethernet0: {cable_m: 7, cable_type: aoc}}}"),
    "its port": (
        {"devices/x.yaml": "devices:\n- names: su1-rail0\n  ports:\n    Ethernet0:\n"
         "      cable_m: 3 # short\n      cable_type: dac\n"},
        "+      cable_m: 7 # short\n+      cable_type: aoc\n",
    ),
    "its NIC": (
        {"hosts/x.yaml": "hosts:\n- {names: gpu001, nics: [{rail: 0, cable_m: 3}]}\n"},
        "+- {names: gpu001, nics: [{rail: 0, cable_m: 7}]}\n",
    ),
    "many NICs": (
        {"hosts/a.yaml": 'hosts:\n- {names: "gpu[001-002]", nics: [{rail: 0, cable_m: 3, '
         "cable_type: dac}]}\n"},
        "+  - {names: gpu001, nics: [{rail: 0, cable_m: 7, cable_type: aoc}]}\n",
    ),
    "port and NIC": (
        {
            "devices/x.yaml": "devices:\n- {names: su1-rail0, ports: {Ethernet0: {cable_m: 3}}}\n",
            "hosts/x.yaml": "hosts:\n- {names: gpu001, nics: [{rail: 0, cable_m: 4}]}\n",
        },
        "+- {names: gpu001, nics: [{rail: 0, cable_m: 7}]}\n",
    ),
    "the list of cables": (
        {"cabling.csv": "cable_m,device,port,peer_device,peer_port\r\n"
         "3,su1-rail0,Ethernet0,gpu001,eth1\r\n4,gpu002,eth1,su1-rail0,Ethernet16\r\n"},
        "+7,su1-rail0,Ethernet0,gpu001,eth1",
    ),
    "the list, at its end": (
        {"cabling.csv": "device,port,peer_device,peer_port,cable_m\n"
         "gpu001,eth1,su1-rail0,Ethernet0,3\ngpu002,eth1,su1-rail0,Ethernet16,\n"},
        "+gpu001,eth1,su1-rail0,Ethernet0,7\n",
    ),
    "the list, without a length": (
        {"cabling.csv": "device,port,peer_device,peer_port\ngpu001,eth1,su1-rail0,Ethernet0\n"},
        "+  - {names: su1-rail0, ports: {Ethernet0: {cable_m: 7, cable_type: aoc}}}\n",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(DEMO, tmp_path / "inventory")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())


def cable(folder: Path, device: str, port: str) -> tuple[int, str]:
    return next(
        (one.cable_m, one.cable_type)
        for one in typed_cables(realise(load(folder)))
        if (device, port) in ((one.near.device, one.near.port), (one.far.device, one.far.port))
    )


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", PLACES)
def test_the_inventory_says_it_at_its_place(folder: Path, name: str) -> None:
    files, changed = PLACES[name]
    write(folder, files)
    other = cable(folder, "gpu002", NIC)
    edited, steps = CableReplacement(folder, HOST, NIC, NEW).run()
    assert edited is not None
    assert changed in edited.diff
    assert cable(folder, HOST, NIC) == NEW == cable(folder, LEAF, "Ethernet0")
    assert cable(folder, "gpu002", NIC) == other
    whole = contents(folder)
    assert CableReplacement(folder, LEAF, "Ethernet0", NEW).run() == (None, steps)
    assert contents(folder) == whole


@pytest.mark.parametrize("written", [0, 1, 2])
def test_stopped_between_two_files_it_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    """Three files have the length; the last one outweighs the others."""
    write(folder, PLACES["port and NIC"][0] | PLACES["the list of cables"][0])
    done: list[Path] = []

    def stop(path: Path, content: bytes) -> None:
        if len(done) == written:
            raise KeyboardInterrupt
        done.append(path)
        write_whole(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(inventory_edit, "write_whole", stop)
        with pytest.raises(KeyboardInterrupt):
            CableReplacement(folder, HOST, NIC, NEW).run()
    CableReplacement(folder, HOST, NIC, NEW).run()
    for file in (*PLACES["port and NIC"][0], "cabling.csv"):
        text = (folder / file).read_text()
        assert ("7" in text, "m: 3" in text, "m: 4" in text, "\n3," in text) == (True, *[False] * 3)
    assert cable(folder, HOST, NIC) == NEW


def test_a_longer_cable_changes_what_its_ends_get(folder: Path) -> None:
    before = Project(folder).switch_artefacts
    CableReplacement(folder, LEAF, UPLINK, NewCable(300)).run()
    after = Project(folder).switch_artefacts
    assert {name for name in after if after[name] != before[name]} == {LEAF}
    texts = ["".join(item.text for item in one[LEAF]) for one in (before, after)]
    assert ["300m" in text for text in texts] == [False, True]


def test_a_cable_like_the_old_one_has_steps_alone(folder: Path) -> None:
    whole = contents(folder)
    ended = run("replace", LEAF, "--port", UPLINK, "--inventory", str(folder))
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        "su1-rail0: the inventory has nothing of this cable to change\n"
        f"1. `rocefab whatif {folder} --fail link:spine02:Ethernet1/1` says what is lost "
        "meanwhile; other cables carry its traffic; packets on the way are lost\n"
        "2. put the cable in, from su1-rail0 Ethernet136 (panel 18) to spine02 Ethernet1/1 "
        "(panel 1), with the labels of the old one\n"
        f"3. `rocefab cabling {folder} --only su1-rail0,spine02`, then `rocefab verify {folder} "
        "--only su1-rail0,spine02`: when both are clean, the cable is back in service\n"
    )
    assert contents(folder) == whole
    words = ("replace", HOST, "--port", NIC, "--cable-m", "7", "--inventory", str(folder))
    ended = run(*words, "--dry-run")
    assert "+  - {names: su1-rail0, ports: {Ethernet0: {cable_m: 7}}}" in ended.out
    assert "keep jobs away from gpu001" in ended.err
    assert "before a longer cable is put in, after a shorter one" in ended.err
    assert contents(folder) == whole


WRONG = {
    "no device": (("spine9", UPLINK, NEW), {}, "there is no device 'spine9'"),
    "no port": ((LEAF, "Ethernet9", NEW), {}, "no cable is connected to su1-rail0 Ethernet9"),
    "no cable": ((LEAF, "Ethernet240", NEW), {}, "no cable is connected to su1-rail0 Ethernet240"),
    "no type": ((LEAF, UPLINK, NewCable(7, "rj45")), {}, "there is no cable type 'rj45'"),
    "a drawing": (
        (LEAF, "Ethernet0", NEW),
        {"cabling.dot": 'graph a {"su1-rail0":"Ethernet0" -- "gpu001":"eth1" [cable_m=3]}\n'},
        "cabling.dot:1 has the length of this cable",
    ),
    "a later file": (
        (LEAF, "Ethernet0", NEW),
        {"devices/z.yaml": 'devices:\n- names: "su[1-2]-rail0"\n'
         "  ports: {Ethernet0: {cable_m: 3}}\n"},
        "cannot edit this layout",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_replaced(folder: Path, name: str) -> None:
    words, files, message = WRONG[name]
    write(folder, files)
    whole = contents(folder)
    with pytest.raises(InputError) as caught:
        CableReplacement(folder, *words).run()
    assert message in f"{caught.value} {[str(one) for one in caught.value.findings]}"
    assert contents(folder) == whole


@pytest.mark.parametrize(
    "words",
    [("--port", NIC, "--serial", "A"), ("--port", NIC, "--rail", "0"), ("--cable-m", "3")],
    ids=lambda words: words[-2],
)
def test_words_that_do_not_go_together(folder: Path, words: tuple[str, ...]) -> None:
    assert run("replace", HOST, "--inventory", str(folder), *words).code == 2
