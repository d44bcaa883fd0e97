r"""The rules of a grammar, from a file that can be laid beside a reference of commands.

``grammar.txt`` beside the stand-in of a system has one rule in a line, below its mode::

    [if-ethernet if-vlan]
    mtu = <68-9214>
    [if-ethernet]
    lanes = <lanes>

A mode may come again: its rules have the order of the file. Below ``[hidden MODE ...]`` are lines
that say what is so anyway, which the running configuration does not show; below ``[kinds]`` the
arguments that this system alone has, each with the pattern of its word: ``lanes \d+(,\d+)*``; such
an argument stands alone in its brackets. ``#`` begins a comment.
"""

from __future__ import annotations

import re
from pathlib import Path

_HEADER = re.compile(r"\[(\S[^\]]*)\]")


def rules(module: str) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Return the rules and the hidden lines of each mode.

    Parameters
    ----------
    module : str
        ``__file__`` of the module that has ``grammar.txt`` beside it.

    Raises
    ------
    ValueError
        When a line stands below no header.
    """
    path = Path(module).with_name("grammar.txt")
    rows: dict[str, list[str]] = {}
    hidden: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    lists: list[list[str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        header = _HEADER.fullmatch(line)
        if header:
            first, *rest = header[1].split()
            table, modes = (hidden, rest) if first == "hidden" else (rows, [first, *rest])
            lists = [table.setdefault(mode, []) for mode in modes]
        elif line and not line.startswith("#"):
            if not lists:
                raise ValueError(f"{path}:{number}: a rule stands below the name of its mode")
            for each in lists:
                each.append(line)
    for row in rows.pop("kinds", []):
        name, pattern = row.split()
        kinds[f"<{name}>"] = f"<~{pattern}>"
    own = re.compile("|".join(kinds) or r"(?!)")
    tables = {
        mode: "\n".join(own.sub(lambda name: kinds[name[0]], one) for one in lines)
        for mode, lines in rows.items()
    }
    return tables, {mode: frozenset(lines) for mode, lines in hidden.items()}
