"""The forms of a difference: text stays text, a comment has room, JSON keeps to its schema."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from fabric.core.errors import InputError
from fabric.report.diff.forms import FORMS, schema
from fabric.report.diff.model import Setting
from fabric.report.diff.uncompared import uncompared
from fabric.report.diff.view import alike
from tests.cases import each
from tests.report.diffs import DEMO, INVENTORY, compared, edited
from tests.report.followed import is_followed_by_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.diff.model import Diff

HOSTILE = "<script>alert(1)</script> | @team [x](javascript:y) &lt; `co` <!-- **b** #1 </details>"
TAGS = {
    *("html head meta title style body h1 h2 h3 h4 ul li table thead tbody tr th td code").split(),
    *("details summary br p strong em span").split(),
}


class _Page(HTMLParser):
    """Collects tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open_details = 0
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open_details += tag == "details"

    def handle_endtag(self, tag: str) -> None:
        self.open_details -= tag == "details"

    def handle_comment(self, data: str) -> None:
        self.tags.append(f"comment {data}")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Diff:
    """A difference with signs of Markdown and HTML wherever a text may stand."""
    waiver = f"waivers: [{{rule: QOS012, reason: '{HOSTILE}', until: '2030-01-01'}}]\ndesign:"
    after = edited(tmp_path_factory.mktemp("hostile"), ("design:", waiver))
    file = after / "devices" / "shorter-cables.yaml"
    file.write_text(file.read_text().replace("spine02 in the next rack", f"'{HOSTILE}'"))
    result = compared(DEMO, after)
    device = result.devices[0]
    files = (Setting(HOSTILE, HOSTILE, HOSTILE, None),)
    strange = replace(device, platform=HOSTILE, notes=(HOSTILE,), settings=files)
    return replace(result, before=HOSTILE, fabric=HOSTILE, devices=(*result.devices, strange))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Diff:
    """A difference that no comment holds: other addresses on 512 GPUs, a note for each device."""
    source = INVENTORY / "rail-512"
    pairs = ("hosts: 10.64.0.0/16", "hosts: 10.65.0.0/16"), ("gpu[033", "node[033")
    diff = compared(source, edited(tmp_path_factory.mktemp("large"), *pairs, source=source))
    devices = (replace(device, notes=(f"only {device.name}",)) for device in diff.devices)
    return replace(diff, devices=tuple(devices))


def _seen(page: _Page) -> str:
    return " ".join("".join(page.texts).replace("\u200b", "").split())


def test_html_holds_no_markup_of_the_inventory(hostile: Diff) -> None:
    text = FORMS["html"](hostile)
    page = _Page(text)
    assert set(page.tags) <= TAGS
    assert page.attributes <= {"lang", "charset", "http-equiv", "content"}
    assert page.open_details == 0
    assert _seen(page).count(HOSTILE) >= 8
    assert "http://" not in text.replace("http-equiv", "")
    assert "default-src 'none'" in text


def test_markdown_holds_no_markup_of_the_inventory(hostile: Diff) -> None:
    text = FORMS["markdown"](hostile)
    page = _Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert set(page.tags) <= TAGS
    assert page.attributes == set()
    assert page.open_details == 0
    assert _seen(page).replace("`", "").count(HOSTILE.replace("`", "")) >= 7
    assert "@team" not in text


def test_text_holds_a_line_for_a_line(hostile: Diff) -> None:
    lines = FORMS["text"](hostile).splitlines()
    assert any(HOSTILE in line for line in lines)
    assert lines[2:4] == [
        "2 inventory values changed",
        "devices: 0 added, 0 removed, 2 changed (2 settings)",
    ]


def test_a_comment_has_room_for_markdown(large: Diff) -> None:
    text = FORMS["markdown"](large)
    assert 55_000 < len(text) <= 65_000
    assert text.rstrip().endswith("lines omitted; `rocefab diff --format json` has all._")
    page = _Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert page.open_details == 0
    assert (
        text.index("highest risk") < text.index("Names and addresses") < text.index("#### Causes")
    )


def test_several_differences_are_one_comment(hostile: Diff, large: Diff) -> None:
    text = "".join(FORMS["markdown"](diff) for diff in (hostile, large, hostile))
    assert MarkdownIt("commonmark", {"html": True}).render(text).count("<h3>") == 3


def test_markdown_may_follow_a_difference(hostile: Diff, large: Diff) -> None:
    error = InputError("x", ())
    for text in (*map(FORMS["markdown"], (hostile, large)), uncompared("markdown", error)):
        assert is_followed_by_markdown(text)


def test_a_small_comment_omits_nothing(hostile: Diff) -> None:
    assert "omitted" not in FORMS["markdown"](hostile)


@pytest.mark.parametrize("name", ["hostile", "large"])
def test_json_keeps_to_its_schema(name: str, request: pytest.FixtureRequest) -> None:
    from jsonschema import Draft202012Validator

    result = request.getfixturevalue(name)
    body = json.loads(FORMS["json"](result))
    rules = json.loads(schema())
    Draft202012Validator.check_schema(rules)
    validator = Draft202012Validator(rules)
    validator.validate(body)
    assert body["format"] == 1
    assert len(body["devices"]) == len(result.devices)
    assert sum(len(device["settings"]) for device in body["devices"]) >= result.summary.lines
    assert not validator.is_valid({**body, "format": 2})
    assert not validator.is_valid({name: body[name] for name in body if name != "summary"})


def test_the_summary_names_capacity_that_gets_worse(tmp_path: Path) -> None:
    text = FORMS["text"](compared(DEMO, edited(tmp_path, ("count: 2", "count: 1"))))
    first = "capacity gets worse: oversubscription, leaf tier: 1.00:1 -> 2.00:1; "
    [line] = [line for line in text.splitlines() if line.startswith(first)]
    assert line.endswith("; 7 more")
    assert "longest cable" not in line
    back = FORMS["text"](compared(tmp_path / "after", DEMO))
    assert "capacity gets worse" not in back


def test_the_summary_has_the_reason_where_a_risk_is_unknown(tmp_path: Path) -> None:
    diff = compared(DEMO, edited(tmp_path, ("count: 2", "count: 1")))
    unclear = {"state": "changed", "risk": "unknown", "reload": None, "notes": ("no files",)}
    devices = [replace(device, **unclear) for device in diff.devices[:2]]
    summary = replace(diff.summary, risk_of_applying="unknown", reload=None)
    text = FORMS["text"](replace(diff, devices=tuple(devices), summary=summary))
    assert "; while it is applied: unknown; reload: unknown\n" in text
    of = f"{devices[0].name} and 1 other device"
    assert f"\nunknown: traffic loss and restart of {of}: no files\n" in text


def test_the_summary_names_the_line_that_has_the_risk(tmp_path: Path) -> None:
    diff = compared(DEMO, edited(tmp_path, ("host_m: 5,", "host_m: 40,")))
    worst = [device for device in diff.devices if device.risk == diff.summary.risk_of_applying]
    words = f"{len(worst)} devices, such as {worst[0].name}: {worst[0].risk_cause}"
    assert f"\nbrief loss: {words}\n" in FORMS["text"](diff)
    assert worst[0].risk_cause.startswith("BUFFER_PG|")


_UNITS = '  - {name: su1, hosts: "gpu[001-002]"}\n  - {name: su2, hosts: "gpu[003-004]"}'
_RACK4 = '{name: rack4, pod: west, hosts: "gpu[13-16]"}'
_TWO_TO_ONE = "oversubscription, leaf tier: 1.00:1 -> 2.00:1"
#: Example, what of its units is replaced by what, and what gets worse.
GROWTH = {
    "a unit": ("demo", (_UNITS, f'{_UNITS}\n  - {{name: su3, hosts: "gpu[005-006]"}}'), ""),
    "a smaller unit": ("demo", ("gpu[003-004]", "gpu003"), ""),
    "a unit in a pod of its own": (
        "three-tier",
        (_RACK4, f'{_RACK4}\n  - {{name: rack5, pod: south, hosts: "gpu[17-18]"}}'),
        "",
    ),
    "a spine less": ("demo", ("count: 2", "count: 1"), _TWO_TO_ONE),
}


@each("name", GROWTH)
def test_a_fabric_of_another_size_has_no_capacity_that_gets_worse(
    tmp_path: Path, name: str
) -> None:
    """A smaller part carries less, and has fewer NICs."""
    example, edit, worse = GROWTH[name]
    source = DEMO.parent / example
    text = FORMS["text"](compared(source, edited(tmp_path, edit, source=source, name=name)))
    assert "Capacity and single failures" in text
    assert f"capacity gets worse: {worse}" in text if worse else "capacity gets worse" not in text


_OWN_CABLE = "devices:\n  - {names: core03, ports: {Ethernet64: {cable_m: 20}}}\n"
#: What an override says on both sides, and the groups of super-spines.
CORES = {
    "alike": ("", ["core[01-04]"]),
    "one has a shorter cable": (_OWN_CABLE, ["core[01-02,04]", "core03"]),
}


@each("name", CORES)
def test_switches_that_differ_in_names_and_addresses_alone_are_one_group(
    tmp_path: Path, name: str
) -> None:
    """Each super-spine has another spine of the new pod, or another port of it."""
    override, groups = CORES[name]
    example, edit, _ = GROWTH["a unit in a pod of its own"]
    before = edited(tmp_path, source=DEMO.parent / example, name=f"{name} before")
    (before / "devices").mkdir()
    (before / "devices" / "own.yaml").write_text(override or "devices: [{names: core03}]\n")
    after = edited(tmp_path, edit, source=before, name=name)
    every = alike(compared(before, after))
    assert [group.names for group in every if group.first.role == "super-spine"] == groups


def test_hosts_that_differ_in_addresses_alone_are_one_group(tmp_path: Path) -> None:
    after = edited(tmp_path, ("hosts: 10.64.0.0/16", "hosts: 10.65.0.0/16"))
    diff = compared(DEMO, after)
    for form in ("text", "markdown", "html"):
        text = FORMS[form](diff).replace("\\", "")
        assert "gpu[001-004] (host): risk" in text, form
        assert "values of gpu001; those of the others have other addresses" in text, form


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_no_difference_is_one_sentence(form: str) -> None:
    text = FORMS[form](compared(DEMO, DEMO))
    assert "Nothing differs." in text
    assert "Causes" not in text
