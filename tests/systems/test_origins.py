"""A line of a switch is explained by the template that printed it, and by fields of its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from fabric.core.artefact import Artefact
from fabric.render import render_device
from fabric.render.engine import render, template_folder
from fabric.render.explain import PlacedLine, placed_lines
from fabric.report.diff.explained import Explained
from fabric.report.diff.model import Setting
from fabric.report.explain import answer_line, explain
from tests.cases import each
from tests.witness.settings import LEAF
from tests.witness.systems import SYSTEMS, Witnessed, witnessed
from tests.witness.tenants import TENANT_SETTINGS, TENANT_SYSTEMS

#: Systems whose configuration is lines.
OF_LINES = ("esonic", "cumulus", "eos", "nxos", "junos", "vrp8", "comware7")
#: Lines that no pattern can tell apart: the words behind the key of a line do not count.
ALIKE = {"platform trident mmu queue profile ROCE apply"}
Place = tuple[tuple[str, ...], str]


def _printed(work: Witnessed, monkeypatch: pytest.MonkeyPatch) -> Mapping[Place, set[str]]:
    """Return the templates that print each line of a leaf, by the lines that hold it."""
    printed: defaultdict[Place, set[str]] = defaultdict(set)

    def spy(name: str, device: str, values: Mapping[str, object]) -> str:
        text = render(name, device, values)
        block = Artefact(device, "", "block", "block", text.encode())
        for line in placed_lines([block]):
            printed[line.parents, line.text.strip()] |= {name, *_included(name)}
        return text

    with monkeypatch.context() as patch:
        for module in ("fabric.render.blocks", f"fabric.systems.{work.system.nos}.render"):
            if hasattr(import_module(module), "render"):
                patch.setattr(f"{module}.render", spy)
        render_device(work.designs[LEAF])
    return printed


def _included(name: str) -> Iterator[str]:
    text = (template_folder() / name).read_text(encoding="utf-8")
    yield from re.findall(r'{% +include "([^"]+)"', text)


def _lines(work: Witnessed, printed: Mapping[Place, set[str]]) -> Iterator[tuple[PlacedLine, str]]:
    """Yield the lines that were printed, each with the template that explains it."""
    for line in placed_lines(work.files[LEAF]):
        if (line.parents, line.text.strip()) in printed:
            assert work.project is not None
            answer = answer_line(work.project, LEAF, line, line.text.strip())
            if answer:
                yield line, answer.template.removeprefix("templates/")


def _works(name: str, folder: Path) -> Iterator[Witnessed]:
    system = SYSTEMS[name]
    yield witnessed(folder / "base", system, "base", system.settings["base"])
    if name in TENANT_SYSTEMS:
        setting = TENANT_SETTINGS["evpn, VLANs" if name != "junos" else "evpn"]
        yield witnessed(folder / "tenants", TENANT_SYSTEMS[name], "tenants", setting)


@each("name", OF_LINES)
def test_a_line_is_explained_by_the_template_that_prints_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the same words stand below other lines: a VRF and a port have descriptions."""
    for work in _works(name, tmp_path / name):
        printed = _printed(work, monkeypatch)
        lines = [*_lines(work, printed)]
        assert len(lines) > 50
        wrong = {
            (*line.parents, line.text.strip(), template)
            for line, template in lines
            if template not in printed[line.parents, line.text.strip()]
        }
        assert {row for row in wrong if row[-2] not in ALIKE} == set()


@each("name", [*OF_LINES, "sonic"])
def test_a_description_of_a_port_follows_from_the_port(name: str, tmp_path: Path) -> None:
    """For `explain`, and for `plan` and `diff`, which know a line by its path."""
    system = SYSTEMS[name]
    work = witnessed(tmp_path / name, system, "base", system.settings["base"])
    assert work.project is not None
    port = work.designs[LEAF].ports[0]
    answers = [
        answer
        for text in ["gpu1_eth1" if name == "cumulus" else "gpu1 eth1"]
        for answer in explain(work.project, LEAF, work.files[LEAF], text)
        if "description" in answer.line or name == "sonic"
    ]
    assert answers
    for answer in answers:
        assert "fabric.host.interfaces" in {value.field for value in answer.values}, answer.line
    if name in ("sonic", "cumulus", "junos"):
        return
    head = "interface " + port.name
    fields = Explained(3).fields(
        system.nos, Setting("", f"{head}: description gpu1 eth1", None, None)
    )
    assert fields is not None
    assert fields[0] == "devices.ports.description"
