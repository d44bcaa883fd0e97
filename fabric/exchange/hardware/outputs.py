"""Saved outputs of show commands: one for each file, or many behind their prompts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.exchange.hardware.told import Source

#: A prompt of EOS, NX-OS or Junos and the command behind it, alone on its line.
_PROMPT = re.compile(r"^[\w.@:~()/-]{1,80}[#>%][ \t]*(sh(?:ow)?[ \t]\S.*)$", re.MULTILINE)


class Output(NamedTuple):
    """An output: the command where a prompt tells it, the text, and where it begins."""

    command: str
    text: str
    shown: str
    line: int


def outputs(sources: tuple[Source, ...]) -> list[Output]:
    """Return the outputs of all files."""
    return [output for source in sources for output in _split(source)]


def _split(source: Source) -> Iterator[Output]:
    prompts = list(_PROMPT.finditer(source.text))
    if not prompts:
        yield Output("", source.text, source.shown, 1)
    for index, prompt in enumerate(prompts):
        last = index + 1 == len(prompts)
        end = len(source.text) if last else prompts[index + 1].start()
        line = source.text.count("\n", 0, prompt.end()) + 1
        yield Output(prompt[1].strip(), source.text[prompt.end() : end], source.shown, line)


def as_object(output: Output) -> dict[str, Any]:
    """Return the JSON object that an output is; an empty one where it is none."""
    text = output.text.strip()
    start = text.find("{")
    if start < 0 or text[:start].strip() not in {"", "["}:
        return {}
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start)
    except (RecursionError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def column(header: str, line: str, name: str) -> str:
    """Return the text of a line below a word of its header; empty without the word."""
    start = header.find(name)
    return line[start:].strip() if start >= 0 else ""
