"""Ansible inventories as INI, and the ranges of host names in both of its forms.

Form: docs.ansible.com, "How to build your inventory", and ansible/ansible,
lib/ansible/plugins/inventory/ini.py.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Told of what is wrong: message, fix, line.
    Complaint = Callable[[str, str, int], None]

_SECTION = re.compile(r"\[([^:\]\s]+)(?::(\w+))?\]")
_RANGE = re.compile(r"\[([0-9]+|[A-Za-z]):([0-9]+|[A-Za-z])(?::([0-9]+))?\]")
_PORT = re.compile(r"(.*[^:]):([0-9]+)")
MAX_NAMES = 1_000_000


@dataclass
class Group:
    """A group: its hosts, the groups below it, and variables; ``line`` is where it begins."""

    hosts: dict[str, int] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)
    variables: dict[str, object] = field(default_factory=dict)
    line: int = 1


@dataclass
class Inventory:
    """Groups by name, and what lines of hosts say of them."""

    groups: dict[str, Group] = field(default_factory=dict)
    variables: dict[str, dict[str, object]] = field(default_factory=dict)

    def group(self, name: str, line: int) -> Group:
        """Return a group; it is made when there is none."""
        return self.groups.setdefault(name, Group(line=line))

    def host(self, group: str, name: str, line: int, variables: dict[str, object]) -> None:
        """Take a host into a group."""
        self.group(group, line).hosts.setdefault(name, line)
        self.variables.setdefault(name, {}).update(variables)


def parse_ini(text: str, complain: Complaint) -> Inventory:
    """Return groups, hosts and variables of an INI inventory."""
    inventory = Inventory()
    group, kind = "ungrouped", "hosts"
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section = _SECTION.fullmatch(line.partition("#")[0].strip())
            if section is None or section[2] not in {None, "children", "vars"}:
                fix = "use [group], [group:children] or [group:vars]"
                complain(f"{line[:60]!a} is not a section", fix, number)
                kind = "unknown"
                continue
            group, kind = section[1], section[2] or "hosts"
            inventory.group(group, number)
        elif kind != "unknown":
            _line(inventory, group, kind, line, number, complain)
    return inventory


def _line(
    inventory: Inventory, group: str, kind: str, line: str, number: int, complain: Complaint
) -> None:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        complain(f"the line is not valid: {error}", "close the quotes", number)
        return
    if kind == "children":
        inventory.group(words[0], number)
        inventory.groups[group].children.append(words[0])
        return
    if kind == "vars":
        key, equals, value = line.partition("=")
        if not equals:
            complain(
                f"{line[:60]!a} is not a variable assignment", "use the form name=value", number
            )
            return
        inventory.groups[group].variables[key.strip()] = _unquoted(value.strip())
        return
    variables: dict[str, object] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            complain(
                f"{word[:60]!a} is not a variable assignment", "use the form name=value", number
            )
        variables[key] = value
    port = _PORT.fullmatch(words[0])
    try:
        for name in expand(port[1] if port else words[0]):
            inventory.host(group, name, number, variables)
    except ValueError as error:
        complain(str(error), "use the form leaf[01:16]", number)


def expand(text: str) -> Iterator[str]:
    """Return the names of a range: ``leaf[01:16]``, ``rack[a:c]``, ``gpu[0:62:2]``.

    Raises
    ------
    ValueError
        When it counts down or is too long.
    """
    match = _RANGE.search(text)
    if match is None:
        if "[" in text or "]" in text:
            raise ValueError(f"{text[:60]!a} is not a name range")
        return iter((text,))
    items = _items(match)
    head, tails = text[: match.start()], list(expand(text[match.end() :]))
    if len(items) * len(tails) > MAX_NAMES:
        raise ValueError(f"{text[:60]!a} expands to more than {MAX_NAMES:,} names")
    return (f"{head}{item}{tail}" for item in items for tail in tails)


def _items(match: re.Match[str]) -> list[str]:
    first, last, step = match[1], match[2], int(match[3] or 1)
    numbers = first.isdecimal() and last.isdecimal()
    if first.isdecimal() != last.isdecimal() or step < 1:
        raise ValueError(f"{match[0]!a} is not a range")
    low, high = (int(first), int(last)) if numbers else (ord(first), ord(last))
    if high < low:
        raise ValueError(f"{match[0]!a} is a descending range")
    if (high - low) // step >= MAX_NAMES:
        raise ValueError(f"{match[0]!a} expands to more than {MAX_NAMES:,} names")
    width = len(first) if first.startswith("0") else 0
    return [f"{at:0{width}d}" if numbers else chr(at) for at in range(low, high + 1, step)]


def _unquoted(text: str) -> str:
    same = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if same else text
