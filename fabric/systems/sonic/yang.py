"""From ``config_db.json`` to the JSON of SONiC's YANG models, so that libyang can judge it.

SONiC itself never gives its configuration to libyang as it is: it walks the models and translates
row by row (sonic-net/sonic-buildimage src/sonic-yang-mgmt/sonic_yang_ext.py). This module does
the same without a libyang binding, and types each value as RFC 7951 wants it. It maps; it does not
validate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.errors import FabricError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_text
from fabric.systems.sonic.yang_syntax import Statement, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NUMBERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32)}
_BIG_NUMBERS = {"int64", "uint64"}
_BUILT_IN = (
    _NUMBERS
    | _BIG_NUMBERS
    | {"string", "boolean", "enumeration", "bits", "binary", "decimal64", "empty", "identityref"}
    | {"instance-identifier"}
)
#: Numbers among the types of RFC 6991, whose modules are built into libyang and not in the folder
#: of a switch; its other types are texts.
_RFC_6991 = {
    "as-number": "uint32",
    "port-number": "uint16",
    "dscp": "uint8",
    "ipv6-flow-label": "uint32",
    "counter32": "uint32",
    "gauge32": "uint32",
    "timeticks": "uint32",
    "timestamp": "uint32",
    "counter64": "uint64",
    "gauge64": "uint64",
}
_INTERNAL_MODULES = ("ietf-inet-types", "ietf-yang-types")
_WHOLE = re.compile(r"-?[0-9]+")
_NOT_TABLES = "sonic-events-"  # notifications, not configuration
#: Separator of list values that CONFIG_DB stores as one string; a comma everywhere else.
_SEPARATORS = {("NTP", "src_intf"): ";"}

Config: TypeAlias = "Mapping[str, Mapping[str, Mapping[str, Any]]]"


class YangMappingError(FabricError):
    """Rows that have no place in the models; ``problems`` holds one line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


Chain: TypeAlias = "tuple[Statement, ...]"


@dataclass(frozen=True, eq=False)
class Schema:
    """The models of one SONiC branch.

    Parameters
    ----------
    modules : dict
        Module name -> module.
    tables : dict
        Table name -> its container.
    """

    modules: dict[str, Statement]
    tables: dict[str, Statement]


def load_schema(folder: Path) -> Schema:
    """Read every ``*.yang`` file of a folder.

    Raises
    ------
    FileError, ValueError
        Naming the file that cannot be read, or that is no YANG.
    """
    modules = {}
    for path in sorted(folder.glob("*.yang")):
        try:
            module = parse(read_text(path, FileKind.YANG))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        modules[module.argument] = module
    tables = {
        table.argument: table
        for name, module in modules.items()
        if not name.startswith(_NOT_TABLES)
        for top in module.all("container")
        for table in top.all("container")
    }
    return Schema(modules, tables)


def convert(config: Config, schema: Schema) -> dict[str, Any]:
    """Return the YANG JSON of a configuration.

    Parameters
    ----------
    config : mapping
        Content of ``config_db.json``: table -> row key -> field -> value.
    schema : Schema
        Models of the branch that the switch runs.

    Raises
    ------
    YangMappingError
        Naming every table, row and field that the models do not know.
    """
    result: dict[str, Any] = {}
    problems: list[str] = []
    walker = _Walker(schema)
    for name, rows in config.items():
        table = schema.tables.get(name)
        if table is None or table.parent is None:
            problems.append(f"{name}: no YANG model defines this table")
            continue
        converted: dict[str, Any] = {}
        for key, fields in rows.items():
            try:
                walker.row(table, converted, key, fields)
            except KeyError as error:
                problems.append(f"{name}|{key}: {error.args[0]}")
        top = f"{table.module.argument}:{table.parent.argument}"
        result.setdefault(top, {})[name] = converted
    if problems:
        raise YangMappingError(problems)
    return result


class _Walker:
    """Finds the schema nodes of rows, and the types of values."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._nodes: dict[int, dict[str, Statement]] = {}

    def row(
        self, table: Statement, converted: dict[str, Any], key: str, fields: Mapping[str, Any]
    ) -> None:
        """Add one row to the converted table."""
        nodes = self.nodes(table)
        inner = nodes.get(key)
        if inner is not None and inner.keyword == "container":
            converted[key] = self._leaves((table.parent or table, table, inner), fields)
            return
        parts = key.split("|")
        chosen = self._list_of(nodes, parts, fields)
        chain = (table.parent or table, table, chosen)
        names = chosen.argument_of("key").split()
        entry = self._leaves(chain, dict(zip(names, parts, strict=True)))
        mapping = self.nodes(chosen).get(table.argument)
        if mapping is not None and mapping.keyword == "list":
            entry[table.argument] = self._pairs((*chain, mapping), fields)
        else:
            entry.update(self._leaves(chain, fields))
        converted.setdefault(chosen.argument, []).append(entry)

    def nodes(self, statement: Statement) -> dict[str, Statement]:
        """Return the data nodes below a statement, groupings and choices unfolded."""
        known = self._nodes.get(id(statement))
        if known is None:
            known = {node.argument: node for node in self._unfold(statement)}
            self._nodes[id(statement)] = known
        return known

    def _unfold(self, statement: Statement) -> Iterator[Statement]:
        for child in statement.children:
            if child.keyword in {"container", "list", "leaf", "leaf-list"}:
                yield child
            elif child.keyword in {"choice", "case"}:
                yield from self._unfold(child)
            elif child.keyword == "uses":
                yield from self._unfold(self._definition("grouping", child))

    def _list_of(
        self, nodes: dict[str, Statement], parts: list[str], fields: Mapping[str, Any]
    ) -> Statement:
        lists = [node for node in nodes.values() if node.keyword == "list"]
        fitting = [node for node in lists if len(node.argument_of("key").split()) == len(parts)]
        if not fitting:
            raise KeyError(f"no list of this table has a key of {len(parts)} part(s)")
        unknown = []
        for node in fitting:
            inner = self.nodes(node)
            if any(item.keyword == "list" for item in inner.values()):
                return node
            unknown = [name for name in fields if name not in inner]
            if not unknown:
                return node
        raise KeyError(f"unknown field {unknown[0]!r}")

    def _pairs(self, chain: Chain, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the entries of a map table: ``{"26": "3"}`` -> ``[{"dscp": "26", "tc": 3}]``."""
        key = chain[-1].argument_of("key")
        value = next(name for name in self.nodes(chain[-1]) if name != key)
        return [self._leaves(chain, {key: left, value: right}) for left, right in fields.items()]

    def _leaves(self, chain: Chain, fields: Mapping[str, Any]) -> dict[str, Any]:
        nodes = self.nodes(chain[-1])
        result: dict[str, Any] = {}
        for name, value in fields.items():
            node = nodes.get(name)
            if node is None or node.keyword not in {"leaf", "leaf-list"}:
                raise KeyError(f"unknown field {name!r}")
            kind = node.all("type")[0]
            if node.keyword == "leaf":
                result[name] = self._value(kind, (*chain, node), str(value))
                continue
            separator = _SEPARATORS.get((chain[1].argument, name), ",")
            items = value.split(separator) if isinstance(value, str) else value
            result[name] = [self._value(kind, (*chain, node), str(item)) for item in items]
        return result

    def _value(self, kind: Statement, chain: Chain, text: str) -> str | int | bool:
        """Return a value in the JSON form of its type; what does not fit stays a text.

        libyang then refuses it with a message that names the value.
        """
        members = list(self._members(kind, chain))
        if len(members) == 1:
            return _typed(members[0][-1].argument, text)
        for member in members:
            if _holds(member, text):
                return _typed(member[-1].argument, text)
        return text

    def _members(self, kind: Statement, chain: Chain) -> Iterator[Chain]:
        """Yield the base types of a type, each with the derived types that led to it before it."""
        if kind.argument == "union":
            for member in kind.all("type"):
                yield from self._members(member, chain)
        elif kind.argument == "leafref":
            target = self._target(kind, chain)
            yield from self._members(target[-1].all("type")[0], target)
        elif kind.argument in _BUILT_IN:
            yield (kind,)
        elif self._is_internal(kind):
            _, _, name = kind.argument.rpartition(":")
            yield (Statement("type", _RFC_6991.get(name, "string"), kind),)
        else:
            base = self._definition("typedef", kind).all("type")[0]
            for types in self._members(base, chain):
                yield (kind, *types)

    def _target(self, kind: Statement, chain: Chain) -> Chain:
        """Return the leaf that a leafref points at, with the nodes above it."""
        path = re.sub(r"\[[^\]]*\]", "", kind.argument_of("path")).strip()
        place: list[Statement] = [] if path.startswith("/") else list(chain)
        for step in (part for part in path.split("/") if part):
            if step == "..":
                place.pop()
                continue
            prefix, _, name = step.rpartition(":")
            if place:
                place.append(self.nodes(place[-1])[name])
            else:
                place.append(self.nodes(self._module(kind, prefix))[name])
        return tuple(place)

    def _is_internal(self, kind: Statement) -> bool:
        """Tell whether a type is of a module that libyang has built in and the folder lacks."""
        prefix, _, _ = kind.argument.rpartition(":")
        return any(
            item.argument in _INTERNAL_MODULES and item.argument not in self._schema.modules
            for item in kind.module.all("import")
            if prefix and item.argument_of("prefix") == prefix
        )

    def _definition(self, keyword: str, use: Statement) -> Statement:
        prefix, _, name = use.argument.rpartition(":")
        scope: Statement | None = self._module(use, prefix) if prefix else use.parent
        while scope is not None:
            for candidate in scope.all(keyword):
                if candidate.argument == name:
                    return candidate
            scope = scope.parent
        raise KeyError(f"the models do not define the {keyword} {use.argument!r}")

    def _module(self, statement: Statement, prefix: str) -> Statement:
        module = statement.module
        if module.argument_of("prefix") == prefix:
            return module
        for item in module.all("import"):
            if item.argument_of("prefix") == prefix:
                return self._schema.modules[item.argument]
        raise KeyError(f"the models do not define the prefix {prefix!r}")


def _holds(types: Chain, text: str) -> bool:
    """Say whether a text is a value of a base type under the restrictions of its derived types."""
    base = types[-1].argument
    if base in _NUMBERS | _BIG_NUMBERS and not _WHOLE.fullmatch(text):
        return False
    if base == "boolean":
        return text in {"true", "false"}
    for kind in types:
        names = [item.argument for item in kind.all("enum")]
        if names and text not in names:
            return False
        if any(not _matches(item.argument, text) for item in kind.all("pattern")):
            return False
        low_high = kind.argument_of("range")
        if low_high and _WHOLE.fullmatch(text) and not _in_range(low_high, int(text)):
            return False
    return True


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:  # an XSD class that Python lacks, such as \\p{L}
        return True


def _in_range(ranges: str, number: int) -> bool:
    for part in ranges.split("|"):
        low, _, high = (end.strip() for end in part.partition(".."))
        if (low == "min" or number >= int(low)) and (high == "max" or number <= int(high or low)):
            return True
    return False


def _typed(base: str, text: str) -> str | int | bool:
    if base in _NUMBERS and _WHOLE.fullmatch(text):
        return int(text)
    if base == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text
