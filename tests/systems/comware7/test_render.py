"""H3C Comware 7: golden files, what is refused, what is left out, where each line comes from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.book.book import books
from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.platforms.model import HeadroomRow
from fabric.render import render_device
from fabric.systems.comware7.platforms import EXPERIMENTAL
from fabric.systems.comware7.platforms.text import dump, tree
from tests.render.comware7_designs import CHANGES, LARGE, designs
from tests.render.designs import CASES, INVENTORY, designer, text_of, variant


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_says_that_it_is_experimental(inventory: str, switch: str) -> None:
    """In the very first line."""
    assert text_of(designs(inventory)[switch]).startswith(f"# {EXPERIMENTAL}\n#\n")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("HundredGigE1/0/1", True),
        ("FourHundredGigE1/0/33", True),
        ("TwoHundredGigE1/0/17:1", True),
        ("Twenty-FiveGigE1/0/1", True),
        ("Ten-GigabitEthernet1/0/1", True),
        ("M-GigabitEthernet0/0/0", False),
        ("LoopBack1", False),
    ],
)
def test_ports_of_every_speed_are_owned(name: str, ours: bool) -> None:
    """A model of the inventory may have others than 100G; the management port is never ours."""
    owned = books()["comware7"].owned_at_the_top()
    assert bool(re.fullmatch("|".join(owned), f"interface {name}")) is ours


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_text_is_a_configuration(inventory: str, switch: str) -> None:
    """Read and printed again it says the same."""
    root = tree(text_of(designs(inventory)[switch]))
    assert tree(dump(root)) == root


@pytest.mark.parametrize(("inventory", "switch"), CASES)
def test_the_chain_of_the_lossless_class_is_whole(inventory: str, switch: str) -> None:
    """DSCP 26, priority, precedence, queue and pausing ports carry one number."""
    root = tree(text_of(designs(inventory)[switch]))
    for table in ("dscp-lp", "dscp-dot1p"):
        lines = root.children[f"qos map-table {table}"].children
        assert len(lines) == 64
        assert "import 26 export 3" in lines
        assert "import 48 export 6" in lines
        assert sum(line.endswith("export 0") for line in lines) == 62
    identity = root.children["qos map-table dot1p-lp"].children
    assert list(identity) == [f"import {number} export {number}" for number in range(8)]
    used = [node.children for node in root.children.values() if "qos trust dscp" in node.children]
    assert used
    for port in used:
        assert "priority-flow-control enable" in port
        assert "priority-flow-control no-drop dot1p 3" in port
        assert "qos wfq cs6 group sp" in port
        assert any(re.fullmatch(r"qos wfq af3 group 1 byte-count \d+", line) for line in port)
        order = list(port)
        assert order[0].startswith("port link-mode ")
        assert order.index("qos wfq byte-count") < order.index("qos wfq cs6 group sp")


def changed(folder: Path, old: str, new: str, devices: str = "") -> DeviceDesign:
    """Return the first leaf of the demo with one more change."""
    return variant(folder / "i", "demo", {**CHANGES["demo"], old: new}, devices)["su1-rail0"]


REFUSED = {
    "classes": (
        "  pfc_priority: 3",
        "  pfc_priority: 4",
        "pfc_priority 4: Comware 7",
    ),
    "queue": ("  pfc_priority: 3", "  pfc_priority: 3\n  queue: 4", "queue 4, pfc_priority 3"),
    "cnp": (
        "  pfc_priority: 3",
        "  pfc_priority: 3\n  cnp_queue: 7",
        "class 6, cnp_queue 7",
    ),
    "minutes": ("timeout_s: 240", "timeout_s: 250", "250 is not a whole minute"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_system_cannot_do_is_refused(name: str, tmp_path: Path) -> None:
    """Naming the device, the field and what to do."""
    old, new, message = REFUSED[name]
    with pytest.raises(RenderError, match=f"^su1-rail0: .*{message}"):
        render_device(changed(tmp_path, old, new))


def test_a_second_map_is_refused(tmp_path: Path) -> None:
    """Map tables are those of the whole switch."""
    port = "devices:\n  - names: su1-rail0\n    ports:\n      HundredGigE1/0/1: "
    devices = f"{port}{{lossless: {{roce_dscp: 24}}}}\n"
    device = changed(tmp_path, "rails: 2", "rails: 2", devices)
    with pytest.raises(RenderError, match="differs from that of the switch"):
        render_device(device)


@pytest.mark.parametrize(("field", "value"), [("fec", "rs"), ("description", "what?")])
def test_what_no_source_spells_is_refused(field: str, value: str) -> None:
    """FEC words, and a text that the command line would take as a question."""
    device = designs("demo")["su1-rail0"]
    first, *others = device.ports
    port = replace(first, **{field: value})
    with pytest.raises(RenderError, match=r"^su1-rail0: .*(FEC rs|a question mark)"):
        render_device(replace(device, ports=(port, *others)))


def test_thresholds_are_in_cells_of_the_model() -> None:
    """150,000 and 1,500,000 bytes in cells of 208, rounded up."""
    text = text_of(designs("demo")["su1-rail0"])
    assert " queue 3 low-limit 722 high-limit 7212\n" in text
    assert "discard-probability" not in text


def test_thresholds_that_nobody_gave_are_left_out(tmp_path: Path) -> None:
    """Those of rocefab are not for this system."""
    device = changed(
        tmp_path, "  ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}\n", ""
    )
    assert not device.qos_profiles[0].classes[0].own_thresholds
    assert "wred" not in text_of(device)


def test_thresholds_without_a_known_cell_are_left_out() -> None:
    """The S9850 says its cell nowhere."""
    device = designs("a100-pcie")["rack1-leaf"]
    assert device.qos_profiles[0].classes[0].own_thresholds
    assert "wred" not in text_of(device)


def test_headroom_only_from_a_table_of_the_model() -> None:
    """No model has one, so a row is put in; cells are rounded up."""
    device = designs("demo")["su1-rail0"]
    assert "headroom" not in text_of(device)
    first, *others = device.ports
    assert first.headroom
    row = HeadroomRow(0, 0, 100_000, 0)
    port = replace(first, headroom=replace(first.headroom, row=row))
    text = text_of(replace(device, ports=(port, *others)))
    assert text.count(" priority-flow-control dot1p 3 headroom 481\n") == 1


def test_ports_that_differ(tmp_path: Path) -> None:
    """Marking of its own; no PFC; shut down."""
    devices = (
        "devices:\n  - names: su1-rail0\n    ports:\n"
        "      HundredGigE1/0/1: {lossless: {ecn: {kmax_bytes: 2000001}}}\n"
        "      HundredGigE1/0/2: {lossless: {pfc: false}}\n"
        "      HundredGigE1/0/3: {enabled: false}\n"
    )
    text = text_of(changed(tmp_path, "rails: 2", "rails: 2", devices))
    root = tree(text)
    ports = {n: set(root.children[f"interface HundredGigE1/0/{n}"].children) for n in (1, 2, 3)}
    assert "qos wred apply ROCE_1" in ports[1]
    assert text.count(" qos wred apply ROCE\n") == 3
    assert (
        "queue 3 low-limit 722 high-limit 9616"
        in root.children["qos wred queue table ROCE_1"].children
    )
    assert not any(line.startswith("priority-flow-control") for line in ports[2])
    assert "shutdown" in ports[3]
    assert "shutdown" not in ports[1]


def test_bfd(tmp_path: Path) -> None:
    """Timers of the routed ports, and each neighbour."""
    text = text_of(changed(tmp_path, "bgp: {", "bgp: {bfd: true, "))
    assert text.count(" bfd min-transmit-interval 1000\n bfd min-receive-interval 1000\n") == 2
    assert text.count(" bfd\n") == 2


OWN = """\
skus:
  - name: Our-S9850
    nos: comware7
    asic: h3c-s9850
    ports: {count: 32, lanes: 4, name: "HundredGigE1/0/{number}", alias: "{number}",
            speeds_gbps: [100]}
    headroom_table: headroom.ini
    facts:
      cell_bytes: {value: 256, source: asked the vendor}
"""
TABLE = "100000 5m 1000 1000 100000 0\n100000 40m 1000 1000 120000 0\n"


def test_figures_of_the_user_are_rendered(tmp_path: Path) -> None:
    """Cell and headroom of a model of one's own: both in cells, rounded up."""
    (tmp_path / "i" / "platforms").mkdir(parents=True)
    (tmp_path / "i" / "platforms" / "ours.yaml").write_text(OWN)
    (tmp_path / "i" / "platforms" / "headroom.ini").write_text(TABLE)
    text = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    changes = {
        **CHANGES["demo"],
        f"leaf: {{sku: {LARGE}}}": "leaf: {sku: Our-S9850}",
        f"spine: {{sku: {LARGE}}}": "spine: {sku: Our-S9850}",
    }
    for old, new in changes.items():
        text = text.replace(old, new)
    (tmp_path / "i" / "fabric.yaml").write_text(text)
    made, rows = designer(tmp_path / "i")
    found = text_of(made.design(rows["su1-rail0"]))
    assert " queue 3 low-limit 586 high-limit 5860\n" in found
    assert " priority-flow-control dot1p 3 headroom 391\n" in found
    assert " priority-flow-control dot1p 3 headroom 469\n" in found
