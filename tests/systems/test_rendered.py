"""What each system renders: golden files, templates, explanations, and lines that are owned."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fabric.book.book import books
from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.render import render_device
from fabric.render.engine import template_folder
from fabric.render.explain import entries, explain, explain_lines
from fabric.systems.comware7 import platforms as comware7
from fabric.systems.comware7.platforms.text import tree
from fabric.systems.comware7.render import FEATURES as COMWARE7
from fabric.systems.cumulus import render as cumulus
from fabric.systems.esonic.render import FEATURES as ESONIC
from fabric.systems.junos.render import FEATURES as JUNOS
from fabric.systems.nxos.render import FEATURES as NXOS
from fabric.systems.vrp8.render import FEATURES as VRP8
from tests.cases import each
from tests.render import (
    comware7_designs,
    esonic_designs,
    junos_designs,
    nxos_designs,
    vrp8_designs,
)
from tests.render.designs import CASES, text_of
from tests.render.test_explain import _exists
from tests.systems.cumulus.test_render import designs as cumulus_designs

GOLDEN = Path(__file__).parents[1] / "golden"


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """How the configuration of one system looks."""

    nos: str
    designs: Callable[[str], dict[str, DeviceDesign]]
    templates: Collection[str]
    #: Lines that need no explanation.
    separators: Collection[str] = ()
    #: Fields whose lines no example has.
    optional: Collection[str] = ()
    #: End of the name of the artefact that is explained, where there are several.
    explained: str = ""
    more_than: int = 100
    top: Callable[[str], list[str]]
    owned: Sequence[str] = ()
    #: Descriptions that look like commands, how they are shown, and one that would be a command.
    hostile: Sequence[str] = ()
    shown: Callable[[str], str] = " description {}".format
    line_break: str = ""


def _outside(marks: str) -> Callable[[str], list[str]]:
    """Return a function that gives the lines of a text that begin with none of the marks."""
    return lambda text: [line for line in text.splitlines() if line[0] not in marks]


SYSTEMS = (
    Rendered(
        nos="comware7",
        designs=comware7_designs.designs,
        templates=COMWARE7,
        separators={"", "#", "return", f"# {comware7.EXPERIMENTAL}"},
        optional={"bgp.allowas_in", "bgp.bfd", "platforms.leaf.sku", "management.syslog_servers"},
        top=lambda text: list(tree(text).children),
        owned=books()["comware7"].owned_at_the_top(),
        hostile=["x; reboot", "{{ 7 * 7 }}", "# return", "header login %"],
        line_break="x\nundo bgp 1",
    ),
    Rendered(
        nos="cumulus",
        designs=cumulus_designs,
        templates={*cumulus.FEATURES, cumulus.CLEAR},
        optional={
            *("bgp.allowas_in", "bgp.bfd", "devices.breakouts", "devices.ports.fec", "ecmp.mode"),
            *("lossless.cnp_traffic_class", "lossless.dynamic_th", "lossless.pfc_priority"),
        },
        more_than=150,
        top=str.splitlines,
    ),
    Rendered(
        nos="esonic",
        designs=esonic_designs.designs,
        templates={*ESONIC, "port_qos"},
        separators={"!"},
        optional={
            *("bgp.allowas_in", "bgp.bfd", "bgp.peering"),
            *("devices.ports.fec", "platforms.leaf.breakouts"),
        },
        top=_outside(" !"),
        owned=books()["esonic"].owned_at_the_top(),
        hostile=["x;reload", "{{ 7 * 7 }}", "a ! b", "banner motd #", "two words"],
        shown=lambda text: f' description "{text}"' if " " in text else f" description {text}",
    ),
    Rendered(
        nos="junos",
        designs=junos_designs.designs,
        templates=JUNOS,
        optional={
            "lossless.lossy.wred",
            "bgp.allowas_in",
            "bgp.bfd",
            "bgp.peering",
            "devices.breakouts",
            "devices.ports.fec",
            "ecmp.mode",
        },
        explained=".set",
        more_than=130,
        top=lambda text: [line.removeprefix("set ") for line in text.splitlines()],
        owned=books()["junos"].owned_at_the_top(),
        line_break="x\nset system root-authentication",
    ),
    Rendered(
        nos="nxos",
        designs=nxos_designs.designs,
        templates=NXOS,
        separators={"!"},
        optional={
            "lossless.lossy.wred",
            "bgp.allowas_in",
            "bgp.bfd",
            "bgp.peering",
            "devices.breakouts",
            "devices.ports.fec",
            "ecmp.mode",
            "lossless.pause_buffer",
            "lossless.pause_buffer.buffer_bytes",
            "lossless.scheduler.lossless_percent",
        },
        top=_outside(" !"),
        owned=books()["nxos"].owned_at_the_top(),
        hostile=["x; reload", "{{ 7 * 7 }}", "a ! b", "banner motd #"],
        shown="  description {}".format,
        line_break="x\nno feature bgp",
    ),
    Rendered(
        nos="vrp8",
        designs=vrp8_designs.designs,
        templates=VRP8,
        separators={"#"},
        optional={
            *("bgp.allowas_in", "bgp.bfd", "bgp.peering"),
            *("cables.uplink_m", "devices.ports.fec", "platforms.leaf.breakouts"),
        },
        top=_outside(" #"),
        owned=books()["vrp8"].owned_at_the_top(),
        hostile=["x; reset", "{{ 7 * 7 }}", "a # b", "return"],
        line_break="x\nreturn",
    ),
)
EACH = each("of", SYSTEMS)
EACH_SWITCH = each(("inventory", "switch"), CASES)


def _described(of: Rendered, text: str) -> tuple[DeviceDesign, DeviceDesign]:
    """Return a leaf of the demo, and the same with a description of its first port."""
    device = of.designs("demo")["su1-rail0"]
    first, *others = device.ports
    return device, replace(device, ports=(replace(first, description=text), *others))


@EACH
@EACH_SWITCH
def test_golden(of: Rendered, inventory: str, switch: str, *, update_golden: bool) -> None:
    """Files that a person has read, and no other ones."""
    device = of.designs(inventory)[switch]
    artefacts = {Path(artefact.path).name: artefact.text for artefact in render_device(device)}
    folder = GOLDEN / of.nos / inventory / switch
    if update_golden:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in artefacts.items():
            (folder / name).write_text(text)
    assert artefacts == {path.name: path.read_text() for path in folder.iterdir()}


@EACH
def test_every_template_is_rendered(of: Rendered) -> None:
    """A file without a feature would be a dead one."""
    folder = template_folder() / of.nos
    assert {path.stem for path in folder.iterdir()} == set(of.templates)


@EACH
@EACH_SWITCH
def test_every_line_is_explained(of: Rendered, inventory: str, switch: str) -> None:
    """Line by line, apart from separators."""
    found = explain(of.designs(inventory)[switch], "")
    lines = [
        (line.text, known)
        for line, known in found
        if line.artefact.endswith(of.explained) and line.text.strip() not in of.separators
    ]
    assert len(lines) > of.more_than
    assert [text for text, known in lines if not known] == []


#: Fields of routed NIC ports and of tenants, which no example of these files has.
ROUTED = (
    *("tenancy.form", "tenancy.vni_first", "tenancy.target_asn", "tenancy.vteps"),
    *("tenants.id", "tenants.name", "tenants.hosts", "tenants.pools", "tenants.services"),
    "addressing.advertise",
    "addressing.routed_hosts",
    "addressing.ipv6",
    "addressing.ipv6.hosts",
    "addressing.ipv6.assignment",
)


@EACH
def test_explanations_name_fields_that_exist(of: Rendered) -> None:
    """A field that was renamed must be renamed here too; each pattern fits some line."""
    shown = {
        explanation
        for inventory, switch in CASES
        for artefact in render_device(of.designs(inventory)[switch])  # each form by itself
        for _, known in explain_lines(of.nos, [artefact], "")
        for explanation in known
    }
    for entry in entries(of.nos):
        for field in entry.fields:
            assert _exists(field), (entry.template, field)
        assert entry in shown or set(entry.fields) & {*of.optional, *ROUTED}, entry.pattern


@each("of", [of for of in SYSTEMS if of.owned])
@EACH_SWITCH
def test_every_top_level_line_is_owned(of: Rendered, inventory: str, switch: str) -> None:
    """A line that is not named as ours would be left on the switch when the design drops it."""
    owned = re.compile("|".join(of.owned))
    lines = of.top(text_of(of.designs(inventory)[switch]))
    assert len(lines) > 40
    assert [line for line in lines if not owned.fullmatch(line)] == []


@each(("of", "text"), [(of, text) for of in SYSTEMS for text in of.hostile])
def test_hostile_text_stays_data(of: Rendered, text: str) -> None:
    """A description changes its own line and no other."""
    device, hostile = _described(of, text)
    pairs = zip(text_of(device).splitlines(), text_of(hostile).splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == [of.shown(text)]


@pytest.mark.parametrize("of", [of for of in SYSTEMS if of.line_break], ids=lambda of: of.nos)
def test_line_breaks_are_refused(of: Rendered) -> None:
    """They would begin a command."""
    with pytest.raises(RenderError, match=rf"templates/{of.nos}/interfaces\.j2:\d+: "):
        render_device(_described(of, of.line_break)[1])
