"""models add: what is written, that it loads and is rendered, and what is refused."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.intent.inventory import load
from fabric.render import render_device
from fabric.workflow.check import check
from fabric.workflow.init_models import models_in
from fabric.workflow.models import add
from fabric.workflow.project import Project
from tests.cases import each
from tests.exchange import saved_outputs as saved
from tests.render.designs import INVENTORY, designer
from tests.render.test_own_models import CASES

GOLDEN = Path(__file__).parents[1] / "golden" / "models"
DEVICE = "device/x86_64-own-r0"
SKU = f"{DEVICE}/Own-4D"
SONIC = {
    f"{DEVICE}/platform.json": saved.platform_json(),
    f"{DEVICE}/default_sku": "Own-4D t1\n",
    f"{SKU}/port_config.ini": saved.port_config(),
    f"{SKU}/sai.profile": saved.PROFILE,
    f"{SKU}/pg_profile_lookup.ini": saved.HEADROOM,
    f"{SKU}/config_db.json": saved.CONFIG_DB,
}
PROMPTS = (
    f"leaf1#show version\n{saved.EOS_VERSION}\nleaf1#show inventory\n{saved.EOS_INVENTORY}\n"
    f"leaf1#show interfaces hardware\n{saved.eos_hardware()}leaf1#exit\n"
)
#: Case -> files, path of the source, and options.
GOOD: dict[str, tuple[dict[str, str], str, dict[str, str]]] = {
    "sonic-folder": (SONIC, SKU, {}),
    "sonic-platform": (SONIC, DEVICE, {"name": "Own_of.the-platform"}),
    "sonic-ports-alone": (
        {"x/port_config.ini": saved.port_config()}, "x", {"name": "Own", "family": "TD4"},
    ),
    "eos-session": ({"leaf1.txt": PROMPTS}, "leaf1.txt", {"name": "Own"}),
    "eos-json": (
        {f"{index}.json": text for index, text in enumerate(saved.eos_json())}, ".", {},
    ),
    "nxos-module": ({"a.txt": saved.NXOS_MODULE}, "a.txt", {}),
    "nxos-json": (
        {"a.json": saved.NXOS_JSON, "b.txt": saved.nxos_capabilities()}, ".", {"name": "Own"},
    ),
    "junos-text": ({"a.txt": f"me@leaf1> show chassis hardware\n{saved.JUNOS_TEXT}"}, "a.txt", {}),
    "junos-xml": ({"a.xml": saved.JUNOS_XML}, "a.xml", {"name": "Own"}),
    "junos-json": ({"a.json": saved.JUNOS_JSON}, "a.json", {"name": "Own"}),
}  # fmt: skip


def put(folder: Path, files: dict[str, str]) -> Path:
    """Write files, and an inventory beside them; return the folder of the inventory."""
    for name, text in files.items():
        path = folder / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    inventory = folder / "inv"
    inventory.mkdir()
    demo = INVENTORY / "demo" / "fabric.yaml"
    (inventory / "fabric.yaml").write_text(demo.read_text(encoding="utf-8"), encoding="utf-8")
    return inventory


@pytest.mark.parametrize("case", GOOD)
def test_what_is_written(case: str, tmp_path: Path, update_golden: bool) -> None:
    """The whole file; it loads under its name."""
    files, source, options = GOOD[case]
    inventory = put(tmp_path, files)
    added = add(tmp_path / "source" / source, inventory, **options)
    text = added.file.read_text(encoding="utf-8")
    golden = GOLDEN / f"{case}.yaml"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert added.file == inventory / "platforms" / f"{added.name}.yaml"
    model = load(inventory).skus.own[added.name]
    assert len(model.port_numbers()) == model.port_count
    assert all(model.speeds_of(number) for number in model.port_numbers().values())


#: Case -> speeds of the fabric and ports for hosts.
RENDERED = {
    "sonic-folder": (400, 400, 2),
    "eos-session": (400, 400, 2),
    "nxos-module": (25, 100, 48),
    "junos-text": (25, 100, 48),
}


@pytest.mark.parametrize("case", RENDERED)
def test_a_fabric_of_it(case: str, tmp_path: Path) -> None:
    """No errors; every port is configured; with all files nothing of SONiC is missing."""
    files, source, options = GOOD[case]
    inventory = put(tmp_path, files)
    added = add(tmp_path / "source" / source, inventory, **options)
    host, uplink, ports = RENDERED[case]
    file = inventory / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    for old, new in CASES.get(load(inventory).skus.own[added.name].nos, {}).items():
        text = text.replace(old, new)
    leaf = f"leaf: {{sku: {added.name}, host_ports: {ports}"
    text = re.sub(r"leaf: \{sku: [^,}]+", leaf, text, count=1)
    speeds = f"speeds: {{host_gbps: {host}, uplink_gbps: {uplink}}}"
    file.write_text(re.sub(r"speeds: \{.*\}", speeds, text, count=1), encoding="utf-8")
    findings = check(Project(inventory)).findings
    assert [str(one) for one in findings if one.severity is Severity.ERROR] == []
    assert ("TOP027" in {one.rule for one in findings}) is (case != "sonic-folder")
    made, rows = designer(inventory)
    leaf_design = made.design(rows["su1-rail0"])
    text = "\n".join(one.text for one in render_device(leaf_design))
    assert leaf_design.ports[0].name in text


def test_only_the_buffer_tables_are_copied(tmp_path: Path) -> None:
    """A config_db.json has passwords."""
    inventory = put(tmp_path, SONIC)
    add(tmp_path / "source" / SKU, inventory)
    written = "".join(path.read_text() for path in (inventory / "platforms").rglob("*.*"))
    assert "ingress_lossless_pool" in written
    assert "TACPLUS" not in written
    assert "not-for-the-model" not in written


def _row(text: str) -> dict[str, str]:
    return {"x/port_config.ini": "# name lanes alias index speed\n" + text}


_MANY = "".join(f"Ethernet{n} {n} e{n} {n} 400000\n" for n in range(2000))
#: Case -> files, path of the source, options, and words of each error.
WRONG: dict[str, tuple[dict[str, str], str, dict[str, str], tuple[str, ...]]] = {
    "nothing": ({"a.txt": "hello"}, ".", {}, ("nothing here describes the ports",)),
    "no file": ({"a.txt": ""}, "b.txt", {}, ("no such file or folder",)),
    "several systems": (
        {"a.txt": saved.NXOS_MODULE, "b.txt": saved.JUNOS_TEXT}, ".", {}, ("several systems",),
    ),
    "no family": ({"x/port_config.ini": saved.port_config()}, "x", {}, ("ASIC family is unknown",)),
    "wrong family": (
        {"x/port_config.ini": saved.port_config()}, "x", {"family": "tomahawk-55"},
        ("did you mean tomahawk-5",),
    ),
    "built in": (SONIC, SKU, {"name": "ACS-SN5600"}, ("is a built-in model",)),
    "name with a path": (SONIC, SKU, {"name": "../../etc/x"}, ("cannot name a model",)),
    "name with a colour": (SONIC, SKU, {"name": "\x1b[31mx"}, ("cannot name a model",)),
    "long name": (SONIC, SKU, {"name": "x" * 64}, ("cannot name a model",)),
    "all at once": (
        {"x/port_config.ini": saved.port_config()}, "x", {"name": "a/b", "family": "no"},
        ("cannot name a model", "unknown ASIC family"),
    ),
    "doubled port": (
        _row("Ethernet0 1 a 1 100000\nEthernet0 2 b 2 100000\n"), "x", {}, ("appears twice",),
    ),
    "doubled lane": (
        _row("Ethernet0 1,2 a 1 100000\nEthernet2 2,3 b 2 100000\n"), "x", {},
        ("lane 2 of 'Ethernet2' is also of 'Ethernet0'",),
    ),
    "no lanes": (_row("Ethernet0 , a 1 100000\n"), "x", {}, ("are not lanes",)),
    "zero lanes": (
        {"x/platform.json": '{"interfaces": {"Ethernet0": {"lanes": ""}}}',
         "x/S/hwsku.json": "{}"}, "x/S", {}, ("lanes of 'Ethernet0' are missing",),
    ),
    "no speed": (_row("Ethernet0 1,2,3,4 a 1\n"), "x", {}, ("has no speed",)),
    "wrong speed": (_row("Ethernet0 1 a 1 fast\n"), "x", {}, ("is not a speed in Mb/s",)),
    "huge speed": (_row(f"Ethernet0 1 a 1 {'9' * 400}\n"), "x", {}, ("is not a speed",)),
    "names without order": (
        _row("Ethernet0 1 a 1 100000\nEthernet7 2 b 2 100000\nEthernet9 3 c 3 100000\n"), "x",
        {"family": "TD4"}, ("follow no pattern",),
    ),
    "braces in a name": (
        _row("Ethernet{0.x} 1 a 1 100000\n"), "x", {"family": "TD4"}, ("follow no pattern",),
    ),
    "too many ports": (_row(_MANY), "x", {"family": "TD4"}, ("2,000 ports",)),
    "not JSON": (
        {"x/S/hwsku.json": "{}", "x/platform.json": "{1}"}, "x/S", {}, ("not JSON",),
    ),
    "deep JSON": (
        {"x/S/hwsku.json": "{}", "x/platform.json": "[" * 200_000}, "x/S", {},
        ("platform.json:1:65: not JSON: nested deeper",),
    ),
    "wrong types": (
        {"x/S/hwsku.json": "{}", "x/platform.json": '{"interfaces": {"Ethernet0": 7}}'}, "x/S", {},
        ("lanes of 'Ethernet0' are missing",),
    ),
    "binary": ({"x/port_config.ini": "Ethernet0\x00"}, "x", {}, ("U+0000",)),
    "wrong table": (
        SONIC | {f"{SKU}/pg_profile_lookup.ini": "400000 5m x 1 1 0\n"}, SKU, {},
        ("size: 'x' is not a whole number",),
    ),
    "default that leads away": (
        {"p/default_sku": "../../etc t1"}, "p", {}, ("no folder of the HwSKU",),
    ),
    "EOS without ports": (
        {"a.txt": saved.EOS_VERSION}, ".", {}, ("names and speeds of the ports are missing",),
    ),
    "chassis of NX-OS": (
        {"a.txt": saved.NXOS_MODULE.replace("\n\nMod ", "\n2 36 36x100G Ethernet  N9K-C9336C-FX2  "
                                            "ok\n\nMod ", 1)}, ".", {}, ("has 2 modules",),
    ),
    "chassis of Junos": (
        {"a.txt": saved.JUNOS_TEXT.replace("  CPU  ", "FPC 1  ")}, ".", {}, ("2 line cards",),
    ),
    "entities": (
        {"a.xml": f"<!DOCTYPE a [<!ENTITY b 'c'>]>{saved.JUNOS_XML}"}, ".", {},
        ("declares entities",),
    ),
    "broken XML": ({"a.xml": saved.JUNOS_XML[:-20]}, ".", {}, ("no XML",)),
}  # fmt: skip


@each("case", WRONG)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    """Every error with its place, and nothing is written."""
    files, source, options, words = WRONG[case]
    folder = tmp_path / case
    inventory = put(folder, files)
    with pytest.raises(InputError) as caught:
        add(folder / "source" / source, inventory, **options)
    texts = [str(finding) for finding in caught.value.findings]
    for word in words:
        assert any(word in text for text in texts), texts
    assert all("\x1b" not in text for text in texts)
    assert not (inventory / "platforms").exists()


def test_an_error_has_line_and_fix(tmp_path: Path) -> None:
    """As every error of rocefab."""
    inventory = put(tmp_path, _row("Ethernet0 1 a 1 100000\nEthernet1 x b 2 fast\n"))
    with pytest.raises(InputError) as caught:
        add(tmp_path / "source" / "x", inventory)
    file = tmp_path / "source" / "x" / "port_config.ini"
    assert [str(finding) for finding in caught.value.findings] == [
        f"{file}:3:1: lanes: 'x' are not lanes; write lanes as 1,2,3,4 [INT034]",
        f"{file}:3:1: speed: 'fast' is not a speed in Mb/s; write a speed as 100000 [INT034]",
    ]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """Neither the model nor one of its tables; a link is not followed."""
    inventory = put(tmp_path, SONIC)
    added = add(tmp_path / "source" / SKU, inventory)
    before = added.file.read_text()
    with pytest.raises(InputError, match="nothing was written"):
        add(tmp_path / "source" / SKU, inventory)
    assert added.file.read_text() == before
    target = tmp_path / "elsewhere"
    (inventory / "platforms" / "Linked.yaml").symlink_to(target)
    with pytest.raises(InputError, match="nothing was written"):
        add(tmp_path / "source" / SKU, inventory, name="Linked")
    assert not target.exists()
    with pytest.raises(InputError, match="nothing was written"):
        add(tmp_path / "source" / SKU, tmp_path, name="Own")


def test_a_model_comes_before_its_inventory(tmp_path: Path) -> None:
    """So that `init --leaf` can name it; a mistyped folder is not made."""
    put(tmp_path, SONIC)
    new = tmp_path / "new"
    with pytest.raises(InputError, match="nothing was written"):
        add(tmp_path / "source" / SKU, new)
    new.mkdir()
    added = add(tmp_path / "source" / SKU, new)
    assert added.name in models_in(new)
    assert add(tmp_path / "source" / SKU, new, name="Second").file.parent == new / "platforms"


def test_links_stay_in_the_image(tmp_path: Path) -> None:
    """An image shares tables by links; a link to another place is refused."""
    inventory = put(tmp_path, SONIC)
    table = tmp_path / "source" / SKU / "pg_profile_lookup.ini"
    shared = tmp_path / "source" / "device" / "common" / "pg_profile_lookup.ini"
    shared.parent.mkdir()
    table.rename(shared)
    table.symlink_to(os.path.relpath(shared, table.parent))
    added = add(tmp_path / "source" / SKU, inventory)
    assert load(inventory).skus.own[added.name].headroom
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    table.unlink()
    table.symlink_to(secret)
    with pytest.raises(InputError) as caught:
        add(tmp_path / "source" / SKU, inventory, name="Other")
    assert "hunter2" not in str(caught.value.findings)
    assert "link points outside" in str(caught.value.findings)


def test_a_model_that_lacks_its_buffers_can_be_replaced(tmp_path: Path) -> None:
    """Under its name, which is the HwSKU that the configuration must have."""
    inventory = put(tmp_path, SONIC)
    added = add(tmp_path / "source" / SKU, inventory, name="Arista-7060DX5-64S")
    assert load(inventory).skus["Arista-7060DX5-64S"].layout is not None
    assert added.name == "Arista-7060DX5-64S"
