"""The generated pages are those that the code would write now; every link in the docs leads on."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fabric.report.inventory import schema
from tests.cases import each
from tests.cli.runs import run
from tests.docs import pages
from tests.docs.contents import anchor, with_contents
from tests.docs.platforms_page import platforms_page
from tests.docs.python_page import python_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
GENERATED = {
    "inventory.md": pages.inventory_page,
    "cli.md": pages.cli_page,
    "platforms.md": platforms_page,
    "python.md": python_page,
}
#: Names of pages, with a heading, in files of these kinds.
NAMED = re.compile(r"(?<![\w./-])docs/([\w/-]+\.md)(?:#([\w-]+))?")
NAMING = {".py", ".toml", ".book", ".j2", ".md", ".yml", ".yaml"}
#: Pages of other projects, which sources of facts name: netlab, containerlab, Topograph and others.
OF_OTHERS = set(
    """
    docs/_tutorials/getting-started.md docs/api.md docs/design/gpu-nic-rail-mapping-sdd.md
    docs/engines/slurm.md docs/extend-attributes.md docs/groups.md docs/how-to-use.md
    docs/integrations/rest-api.md docs/lab-examples/srl-sonic.md docs/links.md
    docs/manual/kinds/ceos.md docs/manual/kinds/srl.md docs/manual/topo-def-file.md
    docs/modeling.md docs/module/bgp.md docs/node/roles.md docs/nodes.md
    docs/reference/node-labels.md docs/topology/hierarchy.md docs/usage/custom-resources.md
    docs/usage/customization-guide.md
    """.split()
)
TEXTS = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "playbooks").glob("*.md")])


@pytest.mark.parametrize("name", GENERATED)
def test_page_is_up_to_date(name: str, update_golden: bool) -> None:
    text = GENERATED[name]()
    if update_golden:
        (REFERENCE / name).write_text(text)
    assert (REFERENCE / name).read_text() == text, (
        "run pytest with --update-golden and read the diff"
    )


def test_signatures_are_python() -> None:
    signatures = re.findall(
        r"^```python\n(\w+\(.*?)\n```$", python_page(), re.MULTILINE | re.DOTALL
    )
    assert len(signatures) > 10
    for signature in signatures:
        ast.parse(f"def {signature}: ...")


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


def test_worked_examples_of_the_inventory_pass_the_check(tmp_path: Path) -> None:
    section = pages.inventory_page().partition("## Worked examples\n")[2].partition("\n## ")[0]
    files = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["fabric.yaml", "devices/su2.yaml", "hosts/gpu003.yaml"]
    for name, text in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    ended = run("check", tmp_path, "--format", "json")
    assert ended.code == 0, ended.said


@each("page", [*sorted(DOCS.glob("*.md")), REFERENCE / "formats.md"])
def test_long_pages_list_their_headings(page: Path, update_golden: bool) -> None:
    text = page.read_text()
    if update_golden:
        page.write_text(with_contents(text))
    assert page.read_text() == with_contents(text), "run pytest with --update-golden"


@each("text", TEXTS)
def test_links_lead_to_files(text: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text.read_text())
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (text.parent / target).exists()] == []


def test_pages_that_the_product_names_exist() -> None:
    """Messages, sources of rules and comments name pages of ours with their headings."""
    found = {
        (name, anchor)
        for folder in ("fabric", "templates", "tests", ".github", ".gitlab")
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in NAMING
        for name, anchor in NAMED.findall(file.read_text(encoding="utf-8"))
        if f"docs/{name}" not in OF_OTHERS
    }
    assert len(found) > len(GENERATED)
    assert sorted({name for name, _ in found if not (DOCS / name).is_file()}) == []
    headings = {name: anchors((DOCS / name).read_text()) for name, _ in found}
    assert [link for link in found if link[1] and link[1] not in headings[link[0]]] == []


def anchors(text: str) -> set[str]:
    """Return what links may name of a page: its headings as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {anchor(heading) for heading in headings}


@each("text", TEXTS)
def test_links_lead_to_headings(text: Path) -> None:
    """The site checks them too, but takes half a minute."""
    links = re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", text.read_text())
    pages = [(text.parent / page if page else text, anchor) for page, anchor in links]
    known = [(page, anchor) for page, anchor in pages if page.suffix == ".md"]
    assert [link for link in known if link[1] not in anchors(link[0].read_text())] == []


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
