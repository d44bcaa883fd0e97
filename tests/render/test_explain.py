"""Every line of the output is explained, by fields that exist."""

from __future__ import annotations

import re
import types
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from fabric.book.book import books
from fabric.core.errors import InputError, RenderError
from fabric.intent.device_model import DeviceOverride
from fabric.intent.host_model import HostOverride
from fabric.intent.model import FabricFile
from fabric.render import explain as explain_module
from fabric.render.explain import entries, explain, find
from tests.cases import each
from tests.render.designs import design

ROOTS: dict[str, type[BaseModel]] = {"devices": DeviceOverride, "hosts": HostOverride}


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in {Union, types.UnionType, tuple, dict} or get_args(annotation):
        return [model for inner in get_args(annotation) for model in _models(inner)]
    return []


def _exists(path: str) -> bool:
    first, _, rest = path.partition(".")
    models = [ROOTS[first]] if first in ROOTS else [FabricFile]
    for part in (rest if first in ROOTS else path).split("."):
        fields = [model.model_fields[part] for model in models if part in model.model_fields]
        if not fields:
            return False
        models = [inner for field in fields for inner in _models(field.annotation)]
    return True


@each("nos", books())
def test_explanations_name_fields_that_exist(nos: str) -> None:
    """A field that was renamed must be renamed here too."""
    for entry in entries(nos):
        re.compile(entry.pattern)
        assert entry.source
    for rule, ours in books()[nos].owned():
        unknown = [field for field in ours.fields if not _exists(field)]
        assert not unknown, str(books()[nos].mistake(rule, f"there are no fields {unknown}"))


def test_every_sonic_row_is_explained() -> None:
    """Table by table."""
    device = design("demo", "su1-rail0")
    artefact_lines = explain(device, "|")
    assert len({line.section for line, _ in artefact_lines}) > 20
    assert [line for line, known in artefact_lines if not known] == []


@pytest.mark.parametrize("switch", ["rack1-leaf", "spine01"])
def test_every_eos_line_is_explained(switch: str) -> None:
    """Line by line, apart from separators and structure."""
    device = design("a100-pcie", switch)
    lines = explain(device, "")
    assert len(lines) > 90
    assert [line.text for line, known in lines if not known] == []


@pytest.mark.parametrize(
    ("nos", "text", "field"),
    [
        ("sonic", "PFC_WD|Ethernet0|detection_time", "lossless.watchdog.detection_ms"),
        ("sonic", "WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold", "lossless.ecn.kmin_bytes"),
        ("sonic", "BGP_NEIGHBOR", "addressing.uplinks"),
        ("sonic", "BGP_NEIGHBOR|10.1.1.0|holdtime", "bgp.hold_s"),
        ("sonic", "BGP_PEER_GROUP|default|FABRIC|holdtime", "bgp.hold_s"),
        ("sonic", "PORT|Ethernet0|fec", "devices.ports.fec"),
        ("sonic", "WRED_PROFILE|AZURE_LOSSY|green_min_threshold", "lossless.lossy.wred"),
        ("sonic", "BUFFER_PG|Ethernet0|3-4", "lossless.priority_group"),
        ("sonic", "PORT|Ethernet0|mtu", "lossless.mtu.port_bytes"),
        ("eos", "  priority-flow-control priority 3 no-drop", "lossless.pfc_priority"),
        ("eos", "arp aging timeout default 240", "arp.timeout_s"),
        ("eos", "  arp aging timeout 240", "arp.timeout_s"),
        ("eos", "  neighbor SPINES timers 3 9", "bgp.keepalive_s"),
    ],
)
def test_the_first_explanation_is_the_nearest(nos: str, text: str, field: str) -> None:
    """The field that a person would look for comes first."""
    assert field in find(nos, text)[0].fields


def test_timers_of_a_peer_group_come_from_its_template() -> None:
    """SONiC prints a group where BGP is managed; a neighbour has timers of its own elsewhere."""
    templates = [
        find("sonic", f"{row}|holdtime")[0].template
        for row in ("BGP_PEER_GROUP|default|FABRIC", "BGP_NEIGHBOR|10.1.1.0")
    ]
    assert templates == ["sonic/bgp_managed.j2", "sonic/bgp.j2"]


def test_what_is_unknown_is_not_explained() -> None:
    """No guess."""
    assert find("sonic", "NO_SUCH_TABLE") == []
    assert explain(design("demo", "spine01"), "no such line") == []


def test_lines_have_number_and_context() -> None:
    """As a person finds them in the file."""
    ((line, known),) = explain(design("demo", "su1-rail0"), "PFC_WD|GLOBAL|POLL_INTERVAL")
    assert (line.artefact, line.context) == ("switches/su1-rail0/config_db.json", "PFC_WD|GLOBAL")
    assert "lossless.watchdog.poll_ms" in known[0].fields
    ((line, _), *_) = explain(design("demo", "spine01"), "random-detect ecn count")
    assert line.context == "qos profile ROCE / uc-tx-queue 3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"templates/nos/x\.j2: no lines\.book of nos"),
        ("", r"x\.toml: lines: the field is missing"),
        ("[[lines]]\npattern = 'x'\n", r"x\.toml:1:1: lines\[0\]\.source: the field is missing"),
    ],
)
def test_a_template_without_explanation_is_refused(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, text: str | None, message: str
) -> None:
    """So that a new template cannot forget it."""
    (tmp_path / "nos").mkdir()
    (tmp_path / "nos" / "x.j2").write_text("x", encoding="utf-8")
    if text is not None:
        (tmp_path / "nos" / "x.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(explain_module, "template_folders", lambda: [tmp_path])
    monkeypatch.setattr(explain_module, "template_folder", lambda: tmp_path)
    with pytest.raises((RenderError, InputError)) as caught:
        entries.__wrapped__("nos")
    findings = getattr(caught.value, "findings", ())
    assert re.search(message, "\n".join([str(caught.value), *map(str, findings)]))


def test_the_files_of_before_are_read_with_a_warning(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/reference/stability.md promises to systems of other distributions."""
    (tmp_path / "nos").mkdir()
    (tmp_path / "nos" / "x.j2").write_text("x", encoding="utf-8")
    text = "[[lines]]\npattern = 'mtu'\nsource = 'guide'\n"
    (tmp_path / "nos" / "x.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(explain_module, "template_folders", lambda: [tmp_path])
    with pytest.warns(FutureWarning, match=r"x\.toml: .* write a lines\.book"):
        (known,) = entries.__wrapped__("nos")
    assert (known.pattern, known.source) == ("mtu", "guide")
