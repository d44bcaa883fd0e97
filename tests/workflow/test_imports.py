"""import: a new folder, whole or not at all; export of the forms that it reads."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.core import hostlist
from fabric.core.errors import InputError, OutputFolderError
from fabric.core.exports import About, exporters, forms
from fabric.core.findings import Severity
from fabric.exchange.exporters.cable_plan import cabling_csv
from fabric.exchange.forms import Settings, importers
from fabric.exchange.network import plant
from fabric.exchange.recipe import differences
from fabric.exchange.roles import complete
from fabric.workflow.check import check, refuse_errors
from fabric.workflow.export import Request as ExportRequest
from fabric.workflow.export import export, export_to
from fabric.workflow.exporters import ansible
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init import example
from fabric.workflow.observe import Seen
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.exchange import netbox_objects, netbox_server
from tests.exchange.plants import ADDRESSES, put, written
from tests.exchange.test_lldp import seen
from tests.reference import reference

if TYPE_CHECKING:
    from fabric.exchange.plant import Plant


DEMO = example("demo")
MINE = """\
skus:
  - name: Mine
    nos: cumulus
    asic: tomahawk-5
    ports:
      {count: 64, lanes: 8, name: "swp{number}", alias: "p{number}", speeds_gbps: [400]}
"""


BASE = example("three-tier")
HOSTS = {"csv": "gpu[01-16]"}


@pytest.fixture(scope="module")
def demo() -> Project:
    return Project(DEMO)


def bring(form: str, source: Path, output: Path, **request: object):
    """Import; return the files, and the notes but that on assumed values, which all have."""
    files, notes = import_inventory(form, str(source), output, Request(**request), lambda *_: None)
    assert [note.severity for note in notes if note.rule == "EXC015"] == [Severity.INFO]
    return files, tuple(note for note in notes if note.rule != "EXC015")


def exported(project: Project, form: str, folder: Path, *parts: str) -> Path:
    """Export into a folder; return the file, or the folder where there are several."""
    request = ExportRequest(parts=parts)
    paths, notes = export_to(project, form, request, folder)
    assert notes == ()
    return folder / paths[0] if len(paths) == 1 else folder


def nothing_left(folder: Path) -> bool:
    return [item.name for item in folder.iterdir() if item.name.startswith(("out", ".out"))] == []


def refusal(*words: object, **request: object) -> str:
    with pytest.raises(InputError) as caught:
        bring(*words, **request)
    return "\n".join([*(str(item) for item in caught.value.findings), str(caught.value)])


@pytest.mark.parametrize("form", ["csv", "dot", "graphml", "json", "netbox", "nornir"])
def test_forms_are_printed_or_written(demo: Project, form: str, tmp_path: Path) -> None:
    source = exported(demo, form, tmp_path / "made")
    if source.is_file():
        text, _ = export(demo, form, ExportRequest())
        assert source.read_text() == text
    else:
        with pytest.raises(InputError, match="too many files"):
            export(demo, form, ExportRequest())
    assert run("export", form, DEMO, "--out", tmp_path / "cli").code == 0


def test_parts_of_an_export(demo: Project) -> None:
    text, _ = export(demo, "csv", ExportRequest(parts=("cabling",)))
    assert text.splitlines()[0] == "device,port,peer_device,peer_port,speed_gbps,cable_m"
    with pytest.raises(InputError) as caught:
        export(demo, "csv", ExportRequest(parts=("colour",)))
    assert "available: plan, racks, cabling" in str(caught.value.findings[0])
    with pytest.raises(InputError) as caught:
        export(demo, "visio", ExportRequest())
    assert "`rocefab export list` prints all of them" in str(caught.value.findings[0])
    with pytest.raises(InputError, match="cannot be written") as caught:
        export(demo, "volcan", ExportRequest())
    assert "did you mean volcano?" in str(caught.value.findings[0])
    with pytest.raises(InputError) as caught:
        export(demo, "topology", ExportRequest())
    assert "use `rocefab export containerlab --what topology` or" in str(caught.value.findings[0])
    whole = export(demo, "k8stopo", ExportRequest(parts=("kueue",)))
    assert export(demo, "kueue", ExportRequest()) == whole


def test_unknown_words_of_the_user(tmp_path: Path) -> None:
    assert (
        "unknown import format 'visio'; available: air, ansible, configs, containerlab, csv"
        in refusal("visio", tmp_path, tmp_path / "out")
    )
    source = tmp_path / "c.csv"
    source.write_text("device,port,peer_device,peer_port\na,eth0,b,1\n")
    said = refusal("csv", source, tmp_path / "out", columns=("device",))
    assert "'device' is not valid; use --columns NAME=VALUE" in said
    said = refusal("csv", source, tmp_path / "out", hosts="a")
    assert "the model of 1 switch with role leaf is unknown; set it with --model" in said
    said = refusal("csv", source, tmp_path / "out", hosts="a", models=("leaf=SN9999",))
    assert "there is no switch model 'SN9999'" in said or "design" in said
    assert nothing_left(tmp_path)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "mine").write_text("x")
    with pytest.raises(OutputFolderError):
        bring("dot", tmp_path / "none.dot", output)
    assert [item.name for item in output.iterdir()] == ["mine"]
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputFolderError):
        bring("dot", tmp_path / "none.dot", link)


def test_nothing_is_written_when_the_source_is_wrong(demo: Project, tmp_path: Path) -> None:
    source = exported(demo, "dot", tmp_path / "made")
    source.write_text(source.read_text().replace('"Ethernet128"', '"{{x}}"'))
    assert "'{{x}}' is not a valid port name" in refusal("dot", source, tmp_path / "out", base=DEMO)
    assert nothing_left(tmp_path)


def test_nothing_is_written_when_the_inventory_does_not_hold(demo: Project, tmp_path: Path) -> None:
    source = exported(demo, "dot", tmp_path / "made")
    source.write_text(source.read_text().replace('"Ethernet128"', '"Ethernet129"'))
    said = refusal("dot", source, tmp_path / "out", base=DEMO)
    assert "in the generated line 'spine01,Ethernet1/1,su1-rail0,Ethernet129,400,40'" in said
    assert nothing_left(tmp_path)


def test_a_generated_line_that_does_not_hold_can_be_given(demo: Project, tmp_path: Path) -> None:
    source, base = exported(demo, "dot", tmp_path / "made"), tmp_path / "base.yaml"
    text = (DEMO / "fabric.yaml").read_text()
    base.write_text(re.sub("vlan_first: .*", "vlan_first: 4094", text))
    with pytest.raises(InputError) as caught:
        bring("dot", source, tmp_path / "out", base=base)
    assert any("write addressing into a YAML file" in note for note in caught.value.__notes__)


def test_the_command_line_says_what_is_wrong(tmp_path: Path) -> None:
    ended = run("import", "dot", tmp_path / "none.dot", "--out", tmp_path / "out")
    assert (ended.code, ended.out) == (2, "")
    assert "cannot be read: no such file" in ended.err


def test_what_an_inventory_cannot_hold_is_said(demo: Project) -> None:
    built = plant(demo.fabric)
    nic = replace(built.nics[0], address="10.9.9.9/24")
    device = replace(built.devices[0], serial="S1", management="192.0.2.1")
    reported = replace(built, nics=(nic, *built.nics[1:]), devices=(device, *built.devices[1:]))
    assert differences(built, built, "x") == []
    (note,) = differences(reported, built, "x")
    assert note.message == (
        "the source has data that the inventory cannot represent: device.serial of 1 and "
        "nic.address of 1"
    )


@pytest.mark.parametrize("form", ["dot", "json", "graphml", "netbox", "nornir"])
def test_there_and_back(demo: Project, form: str, tmp_path: Path) -> None:
    source = exported(demo, form, tmp_path / "made")
    files, notes = bring(form, source, tmp_path / "out", base=DEMO)
    assert [str(note) for note in notes] == []
    assert files == ["fabric.yaml", "cabling.csv"]
    built = Project(tmp_path / "out")
    assert plant(built.fabric).canonical() == plant(demo.fabric).canonical()
    assert built.switch_artefacts.keys() == demo.switch_artefacts.keys()
    assert check(built).at_least(Severity.ERROR) == ()
    for name, files in demo.host_artefacts.items():
        assert [f.content for f in built.host_artefacts[name]] == [f.content for f in files]


def test_addresses_of_the_source_where_the_subnet_has_them(demo: Project, tmp_path: Path) -> None:
    """One in the subnet of its leaf becomes an override; one outside is said."""
    source = exported(demo, "dot", tmp_path / "made")
    text = source.read_text().replace('"10.64.0.2/24"', '"10.64.0.77/25"')
    source.write_text(text.replace('"10.64.0.3/24"', '"172.16.0.3/24"'))
    files, notes = bring("dot", source, tmp_path / "out", base=DEMO)
    assert files == ["fabric.yaml", "hosts/imported.yaml", "cabling.csv"]
    nics = plant(Project(tmp_path / "out").fabric).nic
    assert nics["gpu001", "eth1"].address == "10.64.0.77/24"
    assert nics["gpu002", "eth1"].address == "10.64.0.3/24"
    assert ["nic.address of 2" in note.message for note in notes] == [True]


FOREIGN = """devices:
- names: su1-rail0
  subnets: [{network: 10.64.200.0/24, vlan: 300, gateway: 10.64.200.254}]
  ports: {Ethernet128: {address: 10.9.0.4}, Ethernet136: {address: 10.9.0.9/30}}
- names: su2-rail1
  subnets: [{network: 10.64.9.0/24, vlan: 301, gateway: 10.64.9.1}]
- names: su2-rail0
  subnets: [{network: 10.64.10.128/26, gateway: 10.64.10.190}]
"""
FOREIGN_HOSTS = "hosts:\n- {names: gpu001, nics: [{rail: 0, address: 10.64.200.77}]}\n"


@pytest.mark.parametrize("form", ["json", "graphml", "dot"])
@pytest.mark.parametrize("base", [DEMO, None])
def test_addresses_are_kept_as_they_are(form: str, base: Path | None, tmp_path: Path) -> None:
    """Subnets, VLANs, gateways, /31 links and NICs that no design would number so."""
    put(
        tmp_path / "old",
        {
            "fabric.yaml": (DEMO / "fabric.yaml").read_text(),
            "devices/own.yaml": FOREIGN,
            "hosts/own.yaml": FOREIGN_HOSTS,
        },
    )
    old = Project(tmp_path / "old")
    source = exported(old, form, tmp_path / "made")
    _, notes = bring(form, source, tmp_path / "out", base=base)
    new = Project(tmp_path / "out")
    assert plant(new.fabric).canonical() == plant(old.fabric).canonical()
    assert not [note for note in notes if "cannot represent" in note.message]
    assert [f.rule for f in check(new).at_least(Severity.ERROR) if f.rule.startswith("ADR")] == []


def test_a_second_import_is_compared(demo: Project, tmp_path: Path) -> None:
    """The same source changes nothing; one with another cable and address changes those."""
    source = exported(demo, "json", tmp_path / "made")
    bring("json", source, tmp_path / "out", base=DEMO)
    words = ("import", "json", source, "--compare", tmp_path / "out")
    ended = run(*words)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1] == "Nothing differs."
    data = json.loads(source.read_text())
    for edge in data["edges"]:
        if edge["ports"].get("gpu001") == "eth1":
            edge["addresses"]["gpu001"] = "10.64.0.99/24"
    source.write_text(json.dumps(data))
    before = sorted((path, path.read_bytes()) for path in (tmp_path / "out").glob("*.*"))
    ended = run(*words)
    assert ended.code == 0
    assert "10.64.0.99" in ended.out
    assert sorted((path, path.read_bytes()) for path in (tmp_path / "out").glob("*.*")) == before
    for wrong in ((), ("--out", tmp_path / "x", "--compare", tmp_path / "out")):
        ended = run("import", "json", source, *wrong)
        assert (ended.code, "specify either --out or --compare" in ended.said) == (2, True)


def test_default_speeds_fit_the_models(tmp_path: Path) -> None:
    rows = (
        ("gpu1,eth1,leaf1,Ethernet0", "leaf1,Ethernet64,spine1,Ethernet0"),
        ("gpu2,eth1,leaf1,Ethernet4",),
    )
    text = "\n".join(("device,port,peer_device,peer_port", *rows[0], *rows[1]))
    source = put(tmp_path, {"c.csv": f"{text}\n"})
    words = ("--hosts", "gpu[1-2]", "--model", "leaf=ACS-MSN2700", "--model", "spine=ACS-MSN2700")
    ended = run("import", "csv", source, *words, "--out", tmp_path / "out")
    assert ended.code == 0, ended.err
    new = Project(tmp_path / "out")
    assert new.intent.fabric.speeds.host_gbps == new.intent.fabric.speeds.uplink_gbps == 100
    assert (
        "the fastest that the ports of the switch models offer"
        in (tmp_path / "out" / "fabric.yaml").read_text()
    )
    assert "TOP010" not in {finding.rule for finding in check(new).findings}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("platforms: [1]\n", "base.yaml:1:1: platforms: "),
        ("platforms: {leaf: x}\n", "base.yaml:1:13: platforms.leaf: "),
        ("speeds: {host_gbps: fast}\n", "base.yaml:1:10: speeds.host_gbps: "),
        ("addressing: {hosts: here}\n", "base.yaml:1:14: addressing.hosts: "),
        ("spines: {count: many}\nhost: 7\n", "base.yaml:2:1: host: "),
    ],
)
def test_a_wrong_base_is_refused_with_its_places(
    text: str, said: str, demo: Project, tmp_path: Path
) -> None:
    source = exported(demo, "json", tmp_path / "made")
    base = put(tmp_path, {"base.yaml": text})
    ended = run("import", "json", source, "--base", base, "--out", tmp_path / "out")
    assert (ended.code, said in ended.err) == (2, True), ended.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("part", "said"),
    [("5", ""), ("9", "leaf1=NAME; .*; or a breakout: set it in a --base")],
)
def test_ports_in_parts_of_a_model_without_modes(part: str, said: str, tmp_path: Path) -> None:
    rows = (
        "device,port,peer_device,peer_port,speed_gbps",
        "gpu1,eth1,leaf1,Ethernet1/1,400",
        f"gpu2,eth1,leaf1,Ethernet1/{part},400",
        "leaf1,Ethernet33/1,spine1,Ethernet1/1,800",
    )
    source = put(tmp_path, {"c.csv": "".join(f"{row}\n" for row in rows)})
    models = ("--model", "leaf=7060X6-64PE", "--model", "spine=7060X6-64PE")
    ended = run("import", "csv", source, "--hosts", "gpu[1-2]", *models, "--out", tmp_path / "out")
    assert (ended.code != 0, bool(re.search(said, ended.err))) == (bool(said), True), ended.err
    if not said:
        leaf = Project(tmp_path / "out").devices["leaf1"]
        names = {port.name for port in leaf.ports if port.kind == "host"}
        assert names == {"Ethernet1/1", "Ethernet1/5"}


def test_models_of_the_base_come_along(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "platforms").mkdir(parents=True)
    text = (DEMO / "fabric.yaml").read_text().replace("7060X6-64PE", "Mine")
    (base / "fabric.yaml").write_text(text)
    (base / "platforms" / "mine.yaml").write_text(MINE)
    source = exported(Project(base), "dot", tmp_path / "made")
    bring("dot", source, tmp_path / "out", base=base)
    result = plant(Project(tmp_path / "out").fabric)
    assert result.canonical() == plant(Project(base).fabric).canonical()


def test_a_bare_list_of_cables(demo: Project, tmp_path: Path) -> None:
    source = exported(demo, "csv", tmp_path / "made")
    ended = run(
        *("import", "csv", source, "--out", tmp_path / "out", "--hosts", "gpu[001-004]"),
        *("--model", "leaf=ACS-MSN4700", "--model", "spine=7060X6-64PE"),
    )
    assert ended.code == 0, ended.err
    assert ended.err.splitlines()[-1].startswith("wrote 2 files to ")
    built = Project(tmp_path / "out")
    assert set(plant(built.fabric).without(ADDRESSES).cables) == set(
        plant(demo.fabric).without(ADDRESSES).cables
    )
    assert check(built).at_least(Severity.ERROR) == ()


def test_a_running_fabric(demo: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The devices of an inventory are read, and what they see becomes another one."""
    from tests.exchange.test_lldp import seen

    reported = [_Told(item) for item in seen(plant(demo.fabric)).values()]
    monkeypatch.setattr("fabric.workflow.observe.observe", lambda *_: reported)
    _, notes = bring("lldp", DEMO, tmp_path / "out", base=DEMO)
    built = plant(Project(tmp_path / "out").fabric)
    kept = {"device.unit", "cable.cable_m", "device.asn", "device.loopback", "name", "nic.address"}
    far = plant(demo.fabric).without(kept).canonical()
    assert built.without(kept).canonical() == far
    assert notes == ()


class _Told(Seen):
    """What a device said, as plain data already."""

    def __init__(self, data: dict) -> None:
        super().__init__(data["device"], data["platform"])
        object.__setattr__(self, "_data", data)

    def as_dict(self) -> dict:
        return self._data


def test_the_table_of_lingjun(tmp_path: Path) -> None:
    source = reference("fixtures", "placement", "alibaba-lingjun-2023-topo.csv")
    models = ("leaf=ACS-SN5600", "spine=ACS-SN5600", "super-spine=ACS-SN5600")
    files, notes = bring("lingjun", source, tmp_path / "out", models=models, rails=4, gpus=8)
    assert files == ["fabric.yaml", "names.csv"]
    project = Project(tmp_path / "out")
    assert len(project.fabric.hosts) == 847
    assert [str(note) for note in notes] == []
    assert refuse_errors(project).broken == ()


def test_forms_write_no_secret(demo: Project) -> None:
    """A description of the fabric holds names and addresses, and nothing to log in with."""
    for form in forms(About.FABRIC):
        for writer in exporters[form].parts.values():
            for file in writer(plant(demo.fabric)).files:
                assert "password" not in file.text.lower()
                if file.path.endswith(".json"):
                    json.loads(file.text)


@pytest.mark.parametrize("name", ["demo", "mixed"])
def test_the_inventory_of_the_playbooks_and_back(name: str, tmp_path: Path) -> None:
    """What rocefab writes for Ansible, and the cables beside it, are the fabric again."""
    ansible = pytest.importorskip("fabric.workflow.exporters.ansible")
    project = Project(example(name))
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(ansible.inventory(project))
    cabling = exported(project, "csv", tmp_path / "made")
    result = importers["ansible"].read(inventory, Settings(cabling=cabling)).plant
    back, notes = complete(result, "x")
    assert notes == ()
    lost = {"name", "device.model", "device.asn", "device.loopback", "device.management"}
    lost |= {"nic.rdma_device", "nic.address", *ADDRESSES}
    assert back.without(lost).canonical() == plant(project.fabric).without(lost).canonical()


def test_netbox_from_the_command_line(
    demo: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pynetbox")
    result = netbox_server.objects(plant(demo.fabric))
    with netbox_server.serving(result) as (url, _):
        words = ("import", "netbox", url, "--base", DEMO, "--out")
        monkeypatch.setenv("ROCEFAB_NETBOX_TOKEN", "0" * 40)
        ended = run(*words, tmp_path / "none")
        assert (ended.code, "0000" in ended.said) == (3, False)
        assert "netbox: cannot be read" in ended.err
        assert not (tmp_path / "none").exists()
        monkeypatch.setenv("ROCEFAB_NETBOX_TOKEN", netbox_server.TOKEN)
        ended = run(*words, tmp_path / "out")
    assert ended.code == 0, ended.err
    assert "netbox: 10 devices" in ended.err
    assert plant(Project(tmp_path / "out").fabric).canonical() == plant(demo.fabric).canonical()
    reached = json.loads((tmp_path / "out" / "connections.json").read_text())
    assert len(reached["devices"]) == 10


def test_netbox_with_breakout_cables(tmp_path: Path) -> None:
    """One cable from a port to two hosts, as GPU hosts are cabled: the inventory is whole."""
    cables = [
        f"leaf{rail}:swp{port} gpu{2 * port}:eth{rail},gpu{2 * port + 1}:eth{rail}"
        for rail in (1, 2)
        for port in (1, 2)
    ]
    cables += [f"leaf{rail}:swp64 spine1:swp{rail}" for rail in (1, 2)]
    source = put(tmp_path, {"n.json": json.dumps(netbox_objects.objects(*cables))})
    _, notes = bring("netbox", source, tmp_path / "out", models=("leaf=SN5600", "spine=SN5600"))
    assert notes == ()
    rows = (tmp_path / "out/cabling.csv").read_text().splitlines()
    assert rows[1:3] == ["gpu2,eth1,leaf1,swp1s0,400,3", "gpu3,eth1,leaf1,swp1s1,400,3"]
    assert check(Project(tmp_path / "out")).at_least(Severity.ERROR) == ()
    assert "{cages: 1-2, mode: 2x400G}" in (tmp_path / "out/devices/imported.yaml").read_text()
    said = refusal("netbox", source, tmp_path / "no", models=("leaf=SN4700", "spine=SN5600"))
    assert "leaf1: 'swp1' is cabled in 2 parts, which SN4700 has not" in said
    assert not (tmp_path / "no").exists()


@pytest.fixture(scope="module")
def original() -> Project:
    return Project(BASE)


def tree(project: Project) -> frozenset[object]:
    """Return the tree of Slurm as sets of hosts and sets of these, without names of switches."""
    text, _ = export(project, "slurm", ExportRequest())
    results: dict[str, frozenset[object]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, below = (word.partition("=")[2] for word in line.split())
            kind = line.split()[1].partition("=")[0]
            results[name] = frozenset(_below(kind, below, results))
    return results[name]


def _below(kind: str, words: str, result: dict[str, frozenset[object]]) -> list[object]:
    names = hostlist.expand(words)
    return list(names) if kind == "Nodes" else [result[name] for name in names]


def source(form: str, built: Plant, project: Project, folder: Path) -> tuple[Path, Path | None]:
    """Write what a form knows of a plant; return it, and the cables where they are beside it."""
    if form == "ansible":
        text = ansible.inventory(project)
        put(folder, {"inventory.yaml": text, "cables.csv": cabling_csv(built)})
        return folder / "inventory.yaml", folder / "cables.csv"
    if form == "lldp":
        return put(folder, {"seen.json": json.dumps(list(seen(built).values()))}), None
    return written(built, form, folder), None


@pytest.mark.parametrize("pods", ["told", "not told"])
@pytest.mark.parametrize(
    "form", ["csv", "dot", "graphml", "json", "netbox", "nornir", "ansible", "lldp"]
)
def test_the_tree_of_three_tiers_survives(
    form: str, pods: str, original: Project, tmp_path: Path
) -> None:
    built = plant(original.fabric)
    if pods == "not told":
        built = built.without({"device.pod"})
    path, cabling = source(form, built, original, tmp_path / "source")
    request = Request(base=BASE, cabling=cabling, hosts=HOSTS.get(form, ""))
    import_inventory(form, str(path), tmp_path / "out", request, lambda *_: None)
    imported = Project(tmp_path / "out")
    assert [bool(unit.pod) for unit in imported.intent.fabric.units] == [True] * 4
    assert tree(imported) == tree(original)
