"""The site: it builds without a warning, leads nowhere else, and its search has the words."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.site import ROOT, asked, build


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site."""
    target = tmp_path_factory.mktemp("site") / "html"
    assert "WARNING" not in build(target)
    return target


def test_every_page_of_the_docs_is_in_it(site: Path) -> None:
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    names = [path.with_name("index.md") if path.name == "README.md" else path for path in pages]
    assert [name for name in names if not (site / name.with_suffix(".html")).exists()] == []
    assert not list(site.rglob("*.py"))


def test_no_page_asks_another_site(site: Path) -> None:
    found = {page.name: asked(page) for page in site.rglob("*.html")}
    assert sum(map(len, found.values())) > len(found)
    outside = re.compile(r"(?:[a-z]+:)?//")
    assert [one for all_ in found.values() for one in all_ if outside.match(one)] == []
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^)]*", styles) == []


def test_a_request_to_another_site_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<a href="https://a/"><img src="https://b/x.png"><script src="//c/x.js">')
    assert asked(page) == ["https://b/x.png", "//c/x.js"]


@pytest.mark.parametrize("words", ["headroom", "QOS024", "rocefab adopt", "kmin_bytes", "oversub"])
def test_search_has_the_words(site: Path, words: str) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    texts = " ".join(f"{one['title']} {one['text']}" for one in index["docs"])
    assert words in texts


@pytest.mark.parametrize(
    "link", ["nowhere.md", "reference/rules.md#no-such-heading", "../docs/nowhere.md"]
)
def test_a_link_that_leads_nowhere_is_refused(link: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "index.md"
    page.write_text(f"{page.read_text()}\n[x]({link})\n")
    with pytest.raises(AssertionError, match=re.escape(f"contains a link '{link}'")):
        build(tmp_path / "html", tmp_path / "mkdocs.yml")


def test_the_examples_in_python_run(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text()
    examples = re.findall(r"```python\n(from .*?)```", text, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    shutil.copytree(ROOT / "inventory" / "demo", tmp_path / "inventory" / "demo")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(examples)],
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "QOS" in done.stdout
    assert done.stdout.endswith(printed)
    assert (tmp_path / "out" / "manifest.json").exists()
