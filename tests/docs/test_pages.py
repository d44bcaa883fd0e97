"""The generated pages are those that the code would write now; every link in the docs leads on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.report.inventory import schema
from tests.cases import each
from tests.docs import pages
from tests.docs.platforms_page import platforms_page
from tests.docs.python_page import python_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = {
    "inventory.md": pages.inventory_page,
    "cli.md": pages.cli_page,
    "platforms.md": platforms_page,
    "python.md": python_page,
}
TEXTS = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "playbooks").glob("*.md")])


@pytest.mark.parametrize("name", GENERATED)
def test_page_is_up_to_date(name: str, update_golden: bool) -> None:
    text = GENERATED[name]()
    if update_golden:
        (DOCS / name).write_text(text)
    assert (DOCS / name).read_text() == text, "run pytest with --update-golden and read the diff"


@pytest.mark.parametrize("kind", ["fabric", "devices", "hosts", "platforms"])
def test_schema_is_up_to_date(kind: str, update_golden: bool) -> None:
    """The schemas that editors complete with lie beside the examples."""
    file = ROOT / "inventory" / f"{kind}.schema.json"
    if update_golden:
        file.write_text(schema(kind))
    assert file.read_text() == schema(kind), "run pytest with --update-golden and read the diff"


def test_every_field_of_the_inventory_says_what_it_is() -> None:
    empty = [line for line in pages.inventory_page().splitlines() if line.endswith("|  |")]
    assert not empty


@each("text", TEXTS)
def test_links_lead_to_files(text: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text.read_text())
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (text.parent / target).exists()] == []


@each("text", TEXTS)
def test_commands_in_the_docs_exist(text: Path) -> None:
    """Each `rocefab ...` in the text is a command, with options that it has."""
    from tests.cli.tree import unknown_words

    fences = "\n".join(re.findall(r"^```.*?^```", text.read_text(), re.MULTILINE | re.DOTALL))
    found = re.findall(r"`(rocefab [a-z][^`|>;]*)`", text.read_text())
    found += re.findall(r"^\s*(?:\$ )?(rocefab [a-z][^|>#;&\n]*)", fences, re.MULTILINE)
    groups = {"rocefab show", "rocefab lab"}
    lines = [line for line in found if line.strip() not in groups and "..." not in line]
    assert {line: words for line in lines if (words := unknown_words(line))} == {}


def test_decisions_are_numbered_without_gaps_and_have_their_parts() -> None:
    records = sorted((DOCS / "adr").glob("*.md"))
    assert [record.name[:4] for record in records] == [
        f"{n:04}" for n in range(1, len(records) + 1)
    ]
    for record in records:
        parts = re.findall(r"^## (.+)$", record.read_text(), re.MULTILINE)
        assert parts == ["Context", "Decision", "Consequences"], record.name
