"""What the script of rocefab on a host says of its settings, such as `/etc/rocefab/check.sh`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import interface_name, shown
from fabric.observe.parsers import UnreadableError

_APART = re.compile(r"(.{1,15}?): ([^:]{1,200}(?:: .{1,200})?)")
_PERHAPS = "    perhaps: "
_END = re.compile(r"ended with ([01])")


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """What is apart, as (interface or ``host``, text), and who may have changed it."""

    apart: tuple[tuple[str, str], ...]
    suspects: tuple[str, ...]


@reads("own_check", 'sh {script_folder}/check.sh; echo "ended with $?"')
def parse_own_check(text: str) -> OwnCheck:
    """Parse the output of the script and the line behind it.

    Raises
    ------
    UnreadableError
        When the script did not end by itself, or said something else.
    """
    *lines, last = whole_lines(text) or [""]
    end = _END.fullmatch(last)
    apart, suspects = [], []
    for line in lines:
        if line.startswith(_PERHAPS):
            suspects.append(line.removeprefix(_PERHAPS))
        elif match := _APART.fullmatch(line):
            apart.append((interface_name(match[1]), match[2]))
        else:
            raise UnreadableError(f"no line of the script: {shown(line)}")
    if end is None or bool(apart) != (end[1] == "1"):
        raise UnreadableError("the script did not come to its end")
    return OwnCheck(tuple(apart), tuple(suspects))
