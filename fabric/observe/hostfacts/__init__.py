"""Facts of hosts: one module per tool, each reading registers itself with its command."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from fabric.core.registry import Registry
from fabric.observe.parsers import UnreadableError
from fabric.observe.parsers.tables import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    Parse = Callable[[str], Any]

T = TypeVar("T")

#: More than any of the tools prints for a host with 16 NICs; a longer text is not read at all.
MAX_CHARACTERS = 8 * 1024 * 1024
#: Select Graphic Rendition (ECMA-48, clause 8.3.117): colours and underlines, no movement.
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,16}m")


@dataclass(frozen=True, slots=True)
class Reader:
    """A reading of a host.

    Parameters
    ----------
    name : str
        What others call it by; a text of one NIC is handed over as ``name:target``.
    command : str
        What prints it; in braces stands what it is asked for: ``interface``, ``rdma_device``,
        ``pci_address``.
    parse : callable
        From the text to typed values; raises UnreadableError.
    """

    name: str
    command: str
    parse: Parse


readers: Registry[Reader] = Registry("reading of a host", __name__)


def reads(
    name: str, command: str, *, colour: bool = False, empty: bool = False
) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Return a decorator that registers a parser and checks the text before it.

    Parameters
    ----------
    name, command : str
        As in ``Reader``.
    colour : bool
        Whether the tool itself colours its output; otherwise that is the mark of a terminal.
    empty : bool
        Whether an empty output says something.
    """

    def decorate(parse: Callable[[str], T]) -> Callable[[str], T]:
        @functools.wraps(parse)
        def checked(text: str) -> T:
            return parse(_clean(text, colour=colour, empty=empty))

        readers.add(name)(Reader(name, command, checked))
        return checked

    return decorate


def _clean(text: str, *, colour: bool, empty: bool) -> str:
    if len(text) > MAX_CHARACTERS:
        raise UnreadableError(f"the output has more than {MAX_CHARACTERS} characters")
    if not empty and not text.strip():
        raise UnreadableError("the output is empty")
    return plain(_COLOUR.sub("", text) if colour else text)
