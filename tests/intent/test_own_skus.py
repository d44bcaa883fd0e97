"""Switch models of the inventory: built from YAML and a switch's own files, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.intent.inventory import Intent, load
from fabric.intent.own_skus import MOST_PROBLEMS
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.facts import Fact
from fabric.platforms.model import HeadroomRow, Pools
from fabric.topology import realise
from tests.topology.fabrics import document

MODEL = """\
skus:
  - name: My-Switch
    nos: sonic
    asic: th5
    ports:
      {count: 64, lanes: 8, name: "Ethernet{lane}", alias: "etp{number}", speeds_gbps: [800, 400]}
    headroom_table: mine/pg_profile_lookup.ini
    buffers: mine/buffers.json
    facts:
      mac_entries: {value: 32768, source: data sheet of My-Switch}
"""
SHARES = (
    "shared_buffer: {ingress_lossless_percent: 66, ingress_headroom_percent: 24, "
    "ingress_lossy_percent: 10, egress_lossless_percent: 66, egress_lossy_percent: 33}"
)
TABLE = """\
# speed cable size xon xoff threshold xon_offset
400000 5m   18796 0 393192 0 3556
400000 40m  18796 0 445770 0 3556
800000 5m   18796 0 729488 0 3556
"""
BUFFERS = """\
{"BUFFER_POOL": {
  "ingress_lossless_pool": {"size": "162539680", "xoff": "33374584"},
  "egress_lossless_pool": {"size": "164000000"}
}}
"""
FILES = {
    "platforms/own.yaml": MODEL,
    "platforms/mine/pg_profile_lookup.ini": TABLE,
    "platforms/mine/buffers.json": BUFFERS,
}


def write(folder: Path, files: dict[str, str], **changes: Any) -> Path:
    """Write an inventory whose leaves are of our own model."""
    data = document(**{"platforms__leaf__sku": "My-Switch", "speeds__host_gbps": 400} | changes)
    for name, text in {"fabric.yaml": yaml.safe_dump(data), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def loaded(folder: Path, files: dict[str, str] | None = None, **changes: Any) -> Intent:
    return load(write(folder, FILES if files is None else files, **changes), "inv")


def refused(folder: Path, files: dict[str, str]) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(write(folder, files), "inv")
    return [str(finding) for finding in caught.value.findings]


def changed(**texts: str) -> dict[str, str]:
    """Return the files with some replaced: ``yaml``, ``ini`` or ``json``."""
    names = dict(zip(("yaml", "ini", "json"), FILES, strict=True))
    return FILES | {names[kind]: text for kind, text in texts.items()}


def test_a_model_with_everything(tmp_path: Path) -> None:
    model = loaded(tmp_path).skus["My-Switch"]
    assert (model.name, model.nos, model.asic) == ("My-Switch", "sonic", "tomahawk-5")
    assert model.source == "inv/platforms/own.yaml"
    assert (model.port(3), model.alias(64), model.speeds_gbps) == (
        "Ethernet16",
        "etp64",
        (400, 800),
    )
    assert model.headroom[400_000, 40] == HeadroomRow(18_796, 0, 445_770, 0, 3556)
    assert len(model.headroom) == 3
    assert model.pools == Pools(
        ingress_lossless_bytes=162_539_680,
        egress_lossless_bytes=164_000_000,
        shared_headroom_bytes=33_374_584,
    )
    assert model.facts == {"platform": "My-Switch"}


def test_its_facts_stand_before_those_of_the_family(tmp_path: Path) -> None:
    model = loaded(tmp_path).skus["My-Switch"]
    family = model.asic_facts
    assert family.name == "tomahawk-5"
    assert family.integer("cell_bytes") == asic("th5").integer("cell_bytes")
    assert family.facts["mac_entries"] == Fact(32_768, "data sheet of My-Switch", "vendor")
    assert model.mac_entries == 32_768
    pool = Fact(164_000_000, "mine/buffers.json: the largest pool", "deduced")
    assert family.facts["buffer_bytes"] == pool
    assert model.buffer_bytes == model.packet_buffer_bytes == 164_000_000


def test_a_stated_buffer_counts_more_than_the_largest_pool(tmp_path: Path) -> None:
    text = MODEL + "      buffer_bytes: {value: 167000000, source: x, grade: deduced}\n"
    model = loaded(tmp_path, changed(yaml=text)).skus["My-Switch"]
    assert model.buffer_bytes == 167_000_000


def test_a_model_with_little(tmp_path: Path) -> None:
    """Nothing is made up: no table, no pools, the buffer of the family."""
    little = """\
skus:
  - name: Bare
    nos: sonic
    asic: tomahawk-5
    ports: {count: 2, lanes: 4, name: "Ethernet{number}", alias: "{number}", speeds_gbps: [100]}
    platform: x86_64-bare-r0
    gearbox_ns: 400
    breakouts: ["1x100G[50G]", 4x25G]
"""
    intent = loaded(tmp_path, FILES | {"platforms/a.yaml": little})
    model = intent.skus["Bare"]
    assert (model.headroom, model.pools, model.buffer_bytes) == ({}, None, None)
    assert model.packet_buffer_bytes == asic("tomahawk-5").integer("buffer_bytes")
    assert (model.gearbox_ns, model.breakouts) == (400, ("1x100G[50G]", "4x25G"))
    assert model.facts == {"platform": "x86_64-bare-r0"}
    assert {"Bare", "My-Switch"} == set(intent.skus.own)


def test_first_lanes(tmp_path: Path) -> None:
    text = MODEL.replace("count: 64", "count: 3").replace(
        "speeds_gbps", "first_lanes: [9, 1, 17], speeds_gbps"
    )
    model = loaded(tmp_path, changed(yaml=text)).skus["My-Switch"]
    assert [model.lanes(number) for number in (1, 2, 3)] == [
        range(9, 17),
        range(1, 9),
        range(17, 25),
    ]


def test_the_fabric_uses_it(tmp_path: Path) -> None:
    """For roles, for single switches, and for the number of ports."""
    devices = "devices:\n  - names: spine02\n    sku: My-Switch\n"
    fabric = realise(loaded(tmp_path, FILES | {"devices/d.yaml": devices}))
    names = [model.name for model in fabric.switches.skus]
    assert names == ["My-Switch"] * 4 + ["ACS-MSN4700", "My-Switch"]
    assert fabric.uplinks.lower_port.min() == 33, "half of the 64 ports are for hosts"


def test_an_inventory_without_models_knows_those_of_the_catalogue(tmp_path: Path) -> None:
    intent = loaded(tmp_path, {}, platforms__leaf__sku="ACS-SN5600")
    assert intent.skus.own == {}
    assert "ACS-SN5600" in intent.skus
    assert "My-Switch" not in intent.skus
    assert len(intent.skus) == len(list(intent.skus)) > 15


MESSAGES = Path(__file__).parents[1] / "errors" / "own_skus"
YAML = "inv/platforms/own.yaml"
INI = "inv/platforms/mine/pg_profile_lookup.ini"
JSON = "inv/platforms/mine/buffers.json"
NAMED_INI = f"(file named at {YAML}:7:21)"
TWO = MODEL + MODEL.removeprefix("skus:\n")
#: The messages of each are in the file of its name in ``MESSAGES``.
CASES: dict[str, dict[str, str]] = {
    "name of the catalogue": changed(
        yaml=MODEL.replace("My-Switch\n    nos", "ACS-SN5600\n    nos")
    ),
    "twice": changed(yaml=TWO),
    "family": changed(yaml=MODEL.replace("th5", "tomahawk5")),
    "fact": changed(yaml=MODEL.replace("mac_entries", "mac_entrys")),
    "fact that is no number": changed(
        yaml=MODEL.replace("mac_entries: {value: 32768", "adaptive_routing: {value: 1")
    ),
    "part of a count": changed(yaml=MODEL.replace("value: 32768", "value: 0.5")),
    "first lanes": changed(yaml=MODEL.replace("speeds_gbps", "first_lanes: [1, 9], speeds_gbps")),
    "table": changed(ini="400000 5m 1 0 0 0\n\n400G 40 1 0 1 x\n400000 5m 1\n"),
    "pair twice": changed(ini=TABLE + "400000 40m 1 0 2 0\n"),
    "empty table": changed(ini="# speed cable size xon xoff threshold xon_offset\n"),
    "template": changed(json='{%- set default_cable = "5m" %}\n'),
    "pool": changed(json=BUFFERS.replace('"164000000"', '"0"')),
    "missing file": changed(yaml=MODEL.replace("mine/buffers.json", "mine/none.json")),
    "large file": changed(ini="#" * (FileKind.TABLE.most_bytes + 1)),
    "folder": changed(yaml=MODEL.replace("mine/buffers.json", "mine")),
    "unknown field": changed(yaml=MODEL.replace("    buffers:", "    bufers:")),
    "other system": changed(yaml=MODEL.replace("nos: sonic", "nos: ios")),
    "files that the system has not": changed(yaml=MODEL.replace("nos: sonic", "nos: nxos")),
    "words for speeds that are numbers": changed(
        yaml=MODEL.replace("[800, 400]}", "[800, 400], speed_words: [400g-4]}")
    ),
    "speeds without words": {
        "platforms/own.yaml": MODEL
        .replace("nos: sonic", "nos: eos")
        .replace("    headroom_table: mine/pg_profile_lookup.ini\n", "")
        .replace("    buffers: mine/buffers.json\n", "")
        .replace("[800, 400]}", "[800, 400], speed_words: [400g-4]}")
    },
    "a buffer that nobody shares out": {
        "platforms/own.yaml": MODEL
        .replace("nos: sonic", "nos: junos")
        .replace("    headroom_table: mine/pg_profile_lookup.ini\n", "")
        .replace("    buffers: mine/buffers.json\n", "")
    },
    "shares that are not 100": {
        "platforms/own.yaml": MODEL
        .replace("nos: sonic", "nos: junos")
        .replace("    headroom_table: mine/pg_profile_lookup.ini\n", f"    {SHARES}\n")
        .replace("    buffers: mine/buffers.json\n", "")
    },
    "shares of a buffer elsewhere": changed(
        yaml=MODEL.replace("    buffers:", f"    {SHARES}\n    buffers:")
    ),
    "fact without a source": changed(yaml=MODEL.replace(", source: data sheet of My-Switch", "")),
    "zero": changed(yaml=MODEL.replace("value: 32768", "value: 0")),
    "misspelt ending": {"platforms/own.yml": MODEL},
    "misspelt folder": {"platform/own.yaml": MODEL},
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_refused(case: str, tmp_path: Path, *, update_golden: bool) -> None:
    """With exactly these words."""
    result = "".join(f"{finding}\n" for finding in refused(tmp_path, CASES[case]))
    path = MESSAGES / f"{case.replace(' ', '-')}.txt"
    if update_golden:
        path.write_text(result, encoding="utf-8")
    assert result == path.read_text(encoding="utf-8")


def test_every_file_of_messages_has_a_case() -> None:
    """None is left over."""
    names = {f"{case.replace(' ', '-')}.txt" for case in CASES}
    assert {path.name for path in MESSAGES.iterdir()} == names


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "mine/../../x", "C:x", "a\\b", "mine/..", "..", ""]
)
def test_no_path_leads_out(path: str, tmp_path: Path) -> None:
    text = MODEL.replace("mine/buffers.json", repr(path))
    (result,) = refused(tmp_path, changed(yaml=text))
    assert result.startswith(f"{YAML}:8:14: skus[0].buffers: ")
    assert "may point outside the inventory folder" in result or "a path of 1 to 200" in result


def test_no_link_leads_out(tmp_path: Path) -> None:
    folder = write(tmp_path / "inventory", FILES)
    outside = tmp_path / "secret.json"
    outside.write_text(BUFFERS)
    link = folder / "platforms" / "mine" / "buffers.json"
    link.unlink()
    link.symlink_to(outside)
    with pytest.raises(InputError) as caught:
        load(folder, "inv")
    assert [str(finding) for finding in caught.value.findings] == [
        (
            f"{YAML}:8:14: skus[0].buffers: 'mine/buffers.json': the link points outside "
            "the inventory folder; replace the link with the file [INT011]"
        )
    ]


@pytest.mark.parametrize(
    "pattern",
    ["Ethernet", "Eth{0}", "{number.__class__}", "{lane!r}", "a b{lane}", "{{lane}}", "%"],
)
def test_a_port_pattern_is_no_template(pattern: str, tmp_path: Path) -> None:
    text = MODEL.replace('"Ethernet{lane}"', repr(pattern))
    (result,) = refused(tmp_path, changed(yaml=text))
    assert result.startswith(f"{YAML}:6:")
    assert "does not name a port; use letters" in result


def test_errors_of_all_files_come_together(tmp_path: Path) -> None:
    """Models and the files that they name are read though fabric.yaml is wrong."""
    files = changed(ini="x\n", json="{") | {"hosts/h.yaml": "hosts: 5\n"}
    result = refused(tmp_path, files)
    assert len(result) == 3
    assert {text.split(":")[0] for text in result} == {"inv/hosts/h.yaml", INI, JSON}


def test_the_example_of_the_documentation_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "inventory.md").read_text(
        encoding="utf-8"
    )
    text = page.partition("```yaml\n# platforms/my-switch.yaml\n")[2].partition("```")[0]
    files = {
        "platforms/my-switch.yaml": text,
        "platforms/my-switch/pg_profile_lookup.ini": TABLE,
        "platforms/my-switch/config_db.json": BUFFERS,
    }
    model = loaded(tmp_path, files).skus["My-Switch"]
    assert len(model.headroom) == 3
    assert model.pools


def test_a_file_of_another_kind_does_not_fill_the_screen(tmp_path: Path) -> None:
    result = refused(tmp_path, changed(ini="word\n" * 1000))
    assert len(result) == MOST_PROBLEMS + 1
    assert result[-1] == (
        f"{YAML}:7:21: skus[0].headroom_table: 'mine/pg_profile_lookup.ini': 980 more lines like "
        "these; copy the file from the switch again [INT025]"
    )


def test_rows_that_reserve_too_little_are_a_warning(tmp_path: Path) -> None:
    """Where the family says what the size must hold: NVIDIA's."""
    table = "400000 5m 40000 19456 33792 0\n"
    spectrum = changed(yaml=MODEL.replace("asic: th5", "asic: spectrum-4"), ini=table)
    (warning,) = loaded(tmp_path / "a", spectrum).warnings
    assert str(warning) == (
        f"{INI}:1:1: skus[0].headroom_table: size 40,000 is less than xon and xoff together, "
        "53,248; compare with the table of the switch; the rest must fit a shared headroom pool "
        f"{NAMED_INI} [INT025]"
    )
    assert warning.severity.word == "warning"
    assert loaded(tmp_path / "b", changed(ini=table)).warnings == ()
