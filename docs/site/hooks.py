"""Hooks of mkdocs: decisions in the menu, links out of the docs, and names for screen readers."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

#: The repository, as docs/ci names it.
REPOSITORY = "https://github.com/rocefab/rocefab/blob/main/"
_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s]*)\)")
_TABLE_AFTER_COMMENT = re.compile(r"-->\n(?=\|)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the decisions to the menu, in order."""
    docs = Path(config.docs_dir)
    records = [path.relative_to(docs).as_posix() for path in sorted(docs.glob("adr/*.md"))]
    config.nav = [*(config.nav or []), {"Decisions": records}]
    return config


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text of a page with links that leave the docs turned to the repository.

    GitHub ends a comment at its line; here a blank line must follow before a table.
    """
    del config, files
    folder = PurePosixPath("docs", page.file.src_uri).parent

    def outward(link: re.Match[str]) -> str:
        parts = list(folder.parts)
        rest = link[1]
        while rest.startswith("../"):
            parts, rest = parts[:-1], rest.removeprefix("../")
        target = "/".join([*parts, rest])
        return link[0] if target.startswith("docs/") else f"]({REPOSITORY}{target})"

    return _TABLE_AFTER_COMMENT.sub("-->\n\n", _LINK.sub(outward, markdown))


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Return a page whose search dialog has a name, which the theme does not give it."""
    del page, config
    return _named(output)


def on_post_template(output: str, *, template_name: str, config: MkDocsConfig) -> str:
    """Return the page for a wrong address, which is a template, with the same name."""
    del template_name, config
    return _named(output)


def _named(output: str) -> str:
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">')
