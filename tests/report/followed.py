"""Whether Markdown that follows a report is Markdown."""

from __future__ import annotations

from markdown_it import MarkdownIt


def is_followed_by_markdown(text: str) -> bool:
    """Tell whether a report ends what it begins: HTML, a table, a list and a paragraph."""
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(f"{text}**next**\n")
    return page.endswith("\n<p><strong>next</strong></p>\n")
