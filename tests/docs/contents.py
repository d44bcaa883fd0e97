"""The line of links to the headings of a long page, which stands before the first of them."""

from __future__ import annotations

import re
import textwrap

#: Words from which on a page has the line: about five screens. Ours.
LONG_WORDS = 3000
#: Below as many headings of the second level, those of the third are listed too. Ours.
FEW = 4
_BEGIN = "On this page: "
_LINE = re.compile(rf"^{_BEGIN}.*?\n\n", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_WIDTH = 200


def anchor(heading: str) -> str:
    """Return what a link names of a heading, as GitHub writes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def with_contents(text: str) -> str:
    """Return a page with its line of links, or without one where it is short."""
    text = _LINE.sub("", text, count=1)
    prose = _FENCE.sub("", text)
    few = len(re.findall(r"^## ", prose, re.MULTILINE)) < FEW
    headings = re.findall(rf"^##{'#?' if few else ''} (.+)$", prose, re.MULTILINE)
    if len(text.split()) < LONG_WORDS or not headings:
        return text
    links = ", ".join(f"[{heading}](#{anchor(heading)})" for heading in headings)
    wrapped = textwrap.fill(
        f"{_BEGIN}{links}.", _WIDTH, break_long_words=False, break_on_hyphens=False
    )
    before, mark, after = text.partition(f"\n## {headings[0]}\n")
    return f"{before}\n{wrapped}\n{mark}{after}"
