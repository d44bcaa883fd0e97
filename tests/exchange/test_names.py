"""Names and words for roles that the user maps: in every form, and with every error at its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.exchange.forms import importers
from fabric.exchange.names import Names, names_file, read_names
from fabric.exchange.plant import Plant
from fabric.workflow.imports import Request, import_inventory
from fabric.workflow.init import example
from tests.cases import each
from tests.cli.runs import run
from tests.exchange.plants import FABRIC_FORMS, of_example, put, read, refused, written

HEAD = "device,role,port,peer_device,peer_role,peer_port\n"
#: Sources with one word for a role that is not known, by form.
WORDS = {
    "csv": {"c.csv": HEAD + "a,edge,p1,h,,eth0\n"},
    "dot": {"t.dot": "graph G { a [role=edge]; a:p1 -- h:eth0; h [role=host]; }"},
    "json": {
        "g.json": '{"nodes": [{"id": "a", "role": "edge"}, {"id": "h", "kind": "host"}],'
        ' "edges": [{"ports": {"a": "p1", "h": "eth0"}}]}'
    },
    "nornir": {
        "hosts.yaml": "a: {data: {role: edge, cables: [{port: p1, peer_device: h, "
        "peer_port: eth0}]}}\nh: {data: {role: host}}\n"
    },
    "sonic-testbed": {
        "x_links.csv": "StartDevice,StartPort,EndDevice,EndPort\na,p1,h,eth0\n",
        "x_devices.csv": "Hostname,Type\na,edge\nh,Server\n",
    },
}


@pytest.mark.parametrize("form", WORDS)
def test_a_word_for_a_role_is_mapped(form: str, tmp_path: Path) -> None:
    source = put(tmp_path, WORDS[form])
    result = read(form, source, roles={"edge": "leaf"}).plant
    assert (result.device["a"].kind, result.device["a"].role) == ("switch", "leaf")
    assert len(result.cables) == 1
    plain = read(form, source).plant
    assert "a" not in plain.device or not plain.device["a"].role


def test_a_mapped_word_is_not_mapped_twice(tmp_path: Path) -> None:
    files = WORDS["sonic-testbed"]
    roles = {"edge": "spine", "spine": "super-spine"}
    assert (
        read("sonic-testbed", put(tmp_path, files), roles=roles).plant.device["a"].role == "spine"
    )


@each("form", sorted(importers))
def test_options_without_effect_are_refused(form: str, tmp_path: Path) -> None:
    names = put(tmp_path, {"n.csv": "source,name\n"})
    request = Request(roles=("edge=leaf",), names=names, rails=1, cabling=names)
    with pytest.raises(InputError) as caught:
        import_inventory(form, str(tmp_path / "none"), tmp_path / "out", request, lambda *_: None)
    said = [str(item) for item in caught.value.findings if item.rule == "EXC014"]
    importer = importers[form]
    expected = {"--role": importer.has_roles, "--names": importer.has_names}
    assert [line.rpartition("remove ")[2].split(" ")[0] for line in said] == [
        option for option, possible in expected.items() if not possible
    ]


def test_a_role_must_be_one(tmp_path: Path) -> None:
    ended = run("import", "csv", tmp_path, "--out", tmp_path / "out", "--role", "edge=router")
    assert ended.code == 2
    assert "--role edge: 'router' is not a role; use leaf, spine, super-spine or host" in ended.err


def foreign(built: Plant) -> dict[str, str]:
    """Return names that no inventory can have, each with that of a device."""
    return {f"{name.upper()}@lab": name for name in built.device}


def renamed(source: Path, names: dict[str, str]) -> None:
    """Write these names into the files of a source."""
    by_name = {name: word for word, name in names.items()}
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, by_name))})(?![\w-])")
    for path in source.rglob("*") if source.is_dir() else [source]:
        if path.is_file():
            path.write_text(pattern.sub(lambda match: by_name[match[1]], path.read_text()))


@pytest.mark.parametrize("form", FABRIC_FORMS)
def test_names_are_mapped_in_every_form(form: str, tmp_path: Path) -> None:
    built = of_example("demo")
    source = written(built, form, tmp_path / "source")
    before = read(form, source).plant
    names = foreign(built)
    renamed(source, names)
    if form != "netlab":  # which has other rules for the names of nodes
        with pytest.raises(InputError) as caught:
            read(form, source)
        assert "--names FILE" in str(caught.value.findings[0])
    assert read(form, source, names=Names(names, {})).plant.canonical() == before.canonical()


ERRORS = {
    "header": ("a,b\n", ["n.csv:1:1: the columns are 'a,b'; the first line must be source,name"]),
    "rows": (
        "source,name\na\n,b\nc,\n\nd,x y\ne,f\ne,g\nh,f\n",
        [
            "n.csv:2:1: 1 cell, and the header has 2; quote cells that contain a comma",
            "n.csv:3:1: a cell is empty; fill it in, or remove the row",
            "n.csv:4:1: a cell is empty; fill it in, or remove the row",
            (
                "n.csv:6:1: 'x y' is not a device name; use letters, digits, inner hyphens and "
                "underscores, with single dots between labels, at most 63"
            ),
            "n.csv:8:1: 'e' already appears on line 7; remove one of them",
            "n.csv:9:1: 'e' and 'h' would both become 'f'; give each its own name",
        ],
    ),
    "quotes": (
        'source,name\n"a\n',
        ["n.csv:2:1: not CSV: unexpected end of data; quote the cells"],
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_wrong_file_of_names(case: str, tmp_path: Path) -> None:
    text, expected = ERRORS[case]
    with pytest.raises(InputError) as caught:
        read_names(put(tmp_path, {"n.csv": text}))
    said = [str(item).replace(f"{tmp_path}/", "") for item in caught.value.findings]
    assert [line.rpartition(" [")[0] for line in said] == expected


def test_columns_in_any_order_and_cells_that_look_like_formulas(tmp_path: Path) -> None:
    names = read_names(put(tmp_path, {"n.csv": "name,source\na,'=x()\nb,'plain'\n"}))
    assert names.by_source == {"=x()": "a", "'plain'": "b"}
    (file,) = names_file(names, {"a"})
    assert file.text == "source,name\n'=x(),a\n"
    assert read_names(put(tmp_path, {"again.csv": file.text})).by_source == {"=x()": "a"}


CABLES = "device,port,peer_device,peer_port\n"


def test_names_that_do_not_fit_the_source(tmp_path: Path) -> None:
    """Two that become one, and a name that no device has."""
    names = read_names(put(tmp_path, {"n.csv": "source,name\nLeaf 1,a\nleaf 2,c\n"}))
    rows = {"c.csv": CABLES + "Leaf 1,p1,b,p1\na,p2,b,p2\n"}
    clash, unknown = refused("csv", tmp_path, rows, names=names)
    assert clash.startswith("c.csv:3:1: 'a' and 'Leaf 1' would both become 'a'; give each its own")
    assert unknown.startswith("n.csv:3:1: no device of the source that is imported has the name")
    assert unknown.endswith("'leaf 2'; did you mean 'Leaf 1'? [EXC004]")
    kept = Names(names.by_source, names.places, required=False)
    rows = {"c.csv": CABLES + "Leaf 1,p1,b,p1\n"}
    assert refused("csv", tmp_path, rows, names=kept) == []


def test_names_count_before_the_domain_is_cut(tmp_path: Path) -> None:
    source = put(tmp_path, {"c.csv": CABLES + "l.a,p1,x.b,p1\nl.b,p1,x.b,p2\n"})
    names = Names({"l.a": "leaf-a", "l.b": "leaf-b"}, {})
    assert set(read("csv", source, names=names, cut_domain=True).plant.device) == {
        *("leaf-a", "leaf-b", "x")
    }


SLURM = (
    "SwitchName=t.1 Nodes=n[1-2]\nSwitchName=t.2 Nodes=n[3-4]\nSwitchName=top Switches=t.[1-2]\n"
)


def test_switches_of_a_tree(tmp_path: Path) -> None:
    names = Names({"t.1": "a", "t.2": "b", "n1": "gpu1"}, {})
    source = put(tmp_path, {"t.conf": SLURM})
    built = read("slurm", source, names=names).plant
    assert {item.unit for item in built.devices if item.unit} == {"a", "b"}
    assert {"a", "b", "gpu1", "n2"} <= set(built.device)


INFINIBAND = """\
Switch\t40 "S-0001"\t\t# "Leaf 1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0002"[1](2)\t\t# "gpu01 mlx5_0" lid 2 4xNDR
Ca\t1 "H-0002"\t\t# "gpu01 mlx5_0"
[1](2)\t"S-0001"[1]\t\t# lid 2 lmc 0 "Leaf 1" lid 1 4xNDR
"""


def test_descriptions_of_infiniband_switches(tmp_path: Path) -> None:
    source = put(tmp_path, {"ib.txt": INFINIBAND})
    assert "switch-0001" in read("ibnetdiscover", source).plant.device
    result = read("ibnetdiscover", source, names=Names({"Leaf 1": "leaf01"}, {}))
    assert set(result.plant.device) == {"leaf01", "gpu01"}
    assert result.numbers == {("leaf01", "1"): 1}


def test_names_are_kept_for_a_second_import(tmp_path: Path) -> None:
    """The folder has them, and ``--compare`` uses them without the option."""
    built = of_example("demo")
    source = written(built, "dot", tmp_path / "source")
    names = foreign(built)
    renamed(source, names)
    rows = "".join(f"{word},{name}\n" for word, name in names.items())
    table = put(tmp_path, {"table.csv": "source,name\n" + rows})
    out, base = tmp_path / "out", example("demo")
    ended = run("import", "dot", source, "--out", out, "--base", base, "--names", table)
    assert ended.code == 0, ended.err
    assert (out / "names.csv").read_text() == table.read_text()
    ended = run("import", "dot", source, "--compare", out)
    assert ended.code == 0, ended.err
    assert "Nothing differs." in ended.out
    (out / "names.csv").write_text(table.read_text() + "GONE@lab,gone\n")
    ended = run("import", "dot", source, "--compare", out)
    assert (ended.code, "Nothing differs." in ended.out) == (0, True), ended.err
