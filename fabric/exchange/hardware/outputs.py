"""Saved outputs of show commands: one for each file, or many behind their prompts."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.core.findings import Position
from fabric.core.json_text import parse_json
from fabric.exchange.hardware.model import Source, wrong
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Far above a session that shows what a switch is.
MOST_OUTPUTS = 1000

#: A prompt of EOS, NX-OS or Junos and the command behind it, alone on its line.
_PROMPT = re.compile(r"^[\w.@:~()/-]{1,80}[#>%][ \t]*(sh(?:ow)?[ \t]\S.*)$", re.MULTILINE)


class Output(NamedTuple):
    """An output: the command where a prompt tells it, the text, and where it begins."""

    command: str
    text: str
    shown: str
    line: int


class Lines:
    """The lines of a text, found once: a large file has many places."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._first = first

    def at(self, offset: int) -> int:
        """Return the line of an offset."""
        return self._first + bisect_left(self._ends, offset)


def outputs(sources: tuple[Source, ...]) -> list[Output]:
    """Return the outputs of all files.

    Raises
    ------
    InputError
        When there are more than a switch has.
    """
    listed = list(islice((one for source in sources for one in _split(source)), MOST_OUTPUTS + 1))
    if len(listed) > MOST_OUTPUTS:
        place = Position(listed[-1].shown, listed[-1].line)
        message = f"more than {MOST_OUTPUTS:,} outputs"
        raise input_error([wrong(message, "give those of one switch", place)], listed[-1].shown)
    return listed


def _split(source: Source) -> Iterator[Output]:
    prompts = list(islice(_PROMPT.finditer(source.text), MOST_OUTPUTS + 1))
    lines = Lines(source.text)
    if not prompts:
        yield Output("", source.text, source.shown, 1)
    for index, prompt in enumerate(prompts):
        last = index + 1 == len(prompts)
        end = len(source.text) if last else prompts[index + 1].start()
        line = lines.at(prompt.end())
        yield Output(prompt[1].strip(), source.text[prompt.end() : end], source.shown, line)


def as_object(output: Output) -> dict[str, Any]:
    """Return the JSON object that an output is; an empty one where it is none."""
    text = output.text.strip()
    start = text.find("{")
    if start < 0 or text[:start].strip() not in {"", "["}:
        return {}
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
        data = parse_json(text[start:end])
    except (RecursionError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def column(header: str, line: str, name: str) -> str:
    """Return the text of a line below a word of its header; empty without the word."""
    start = header.find(name)
    return line[start:].strip() if start >= 0 else ""
