"""Sources in which a leaf, NICs or cables are missing, and devices that belong elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fabric.core.findings import Finding
from fabric.exchange.plant import Cable, Device, Plant
from fabric.exchange.roles import complete
from fabric.intent.inventory import load
from fabric.topology import realise
from fabric.workflow.imports import Request, import_inventory
from tests.cases import each
from tests.exchange.plants import FABRIC_FORMS, of_example, put, read, refused, written
from tests.exchange.test_roles import bare

HEAD = "device,port,peer_device,peer_port\n"
#: Two units of two rails; the leaf of rail 1 in the second did not answer.
SILENT = (
    "h1:e0 l1:1", "h1:e1 l2:1", "h2:e0 l1:2", "h2:e1 l2:2", "h3:e0 l3:1", "h4:e0 l3:2",
    "l1:9 s1:1", "l2:9 s1:2", "l3:9 s1:3",
)  # fmt: skip
HOSTS = "h1 h2 h3 h4"


def told(built: Plant) -> tuple[Plant, list[str]]:
    result, notes = complete(built, "c.csv")
    return result, [note.message for note in notes]


def test_a_leaf_that_did_not_answer() -> None:
    result, notes = told(bare(*SILENT, hosts=HOSTS))
    rails = {name: result.device[name].rail for name in ("l1", "l2", "l3")}
    assert rails == {"l1": 0, "l2": 1, "l3": None}
    assert notes == [
        (
            "units have no leaf for some rails; another of their leaves serves them (1): "
            "unit2, rail 1, on l3"
        ),
        "hosts have fewer NICs than others; what they lack has no cable (2): h3, h4",
    ]


def test_hosts_without_a_cable_to_a_leaf() -> None:
    built = bare(*SILENT[:4], hosts=HOSTS)
    lost = replace(built, devices=(*built.devices, Device("h9", "host", unit="u9")))
    result, notes = told(lost)
    assert "h9" not in result.device
    assert notes == ["hosts without a cable to a leaf are ignored (1): h9"]


def test_hosts_whose_unit_has_no_leaf_are_in_that_of_theirs() -> None:
    built = bare(*SILENT[:4], hosts=HOSTS)
    units = {"h1": "a", "h2": "b", "l1": "a", "l2": "a"}
    built = replace(built, devices=tuple(replace(it, unit=units[it.name]) for it in built.devices))
    result, notes = told(built)
    assert {host.unit for host in result.hosts} == {"a"}
    assert notes == ["hosts are in the unit of their leaf, as their own has none (1): h2 (a)"]


def imported(form: str, source: Path, folder: Path, **words: str) -> tuple[Path, list[Finding]]:
    models = ("leaf=ACS-SN5600", "spine=ACS-SN5600")
    request = Request(models=models, **words)
    out = folder / "new"
    _, notes = import_inventory(form, str(source), out, request, lambda *_: None)
    return out, [*notes]


def test_a_fabric_that_lacks_a_leaf_is_imported_with_a_warning(tmp_path: Path) -> None:
    ends = (end.split(":") for cable in SILENT for end in cable.split())
    words = [(name, f"Ethernet{int(port) * 8}" if port.isdigit() else port) for name, port in ends]
    rows = (",".join((*words[at], *words[at + 1])) for at in range(0, len(words), 2))
    text = HEAD + "\n".join(rows) + "\n"
    out, notes = imported("csv", put(tmp_path, {"c.csv": text}), tmp_path, hosts="h[1-4]")
    fabric = realise(load(out))
    assert len(fabric.hosts) == 4
    assert fabric.nics.enabled.tolist() == [True, True, True, True, True, False, True, False]
    assert any("unit2, rail 1, on l3" in note.message for note in notes)


@each("form", FABRIC_FORMS)
def test_devices_are_left_out_in_every_form(form: str, tmp_path: Path) -> None:
    folder = tmp_path / form
    built = of_example("demo")
    oob = Device("oob-sw1", "switch", "leaf", "su1", rail=0, model="ACS-SN5600", system="sonic")
    cable = Cable.between(("oob-sw1", "Ethernet0"), ("spine01", "Ethernet32/1"))
    more = replace(built, devices=(*built.devices, oob), cables=(*built.cables, cable))
    source = written(more, form, folder)
    assert "oob-sw1" in read(form, source).plant.device
    result = read(form, source, left_out=frozenset({"oob-sw1"})).plant
    whole = read(form, written(built, form, folder / "plain")).plant
    assert result.canonical() == whole.canonical()


def test_a_name_that_is_left_out_must_be_there(tmp_path: Path) -> None:
    files = {"c.csv": HEAD + "leaf1,p1,h,eth0\n"}
    (line,) = refused("csv", tmp_path, files, left_out=frozenset({"leaf2"}))
    assert line.startswith("c.csv:1:1: --leave-out: no device of the source has the name 'leaf2'")
    assert "did you mean 'leaf1'?" in line


def test_names_that_no_device_may_have_can_be_left_out(tmp_path: Path) -> None:
    files = {"c.csv": HEAD + "leaf1,p1,h,eth0\nOOB switch (row A),1,leaf1,mgmt0\n"}
    assert refused("csv", tmp_path, files)
    left_out = frozenset({"OOB switch (row A)"})
    assert {*read("csv", tmp_path / "c.csv", left_out=left_out).plant.device} == {"leaf1", "h"}
