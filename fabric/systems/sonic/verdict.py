"""Verdicts on CONFIG_DBs that were rendered: equal ones are judged once."""

from __future__ import annotations

import json
import marshal
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fabric.systems.sonic.config_db import SonicConfig
from fabric.systems.sonic.rule import SonicPolicyRule, SonicRule
from fabric.validate.runner import Outcome, all_rules, run
from fabric.validate.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.platforms.model import Sku
    from fabric.systems.sonic.config_db import ConfigDb
    from fabric.validate.rule import Rule

#: Fields that hold names and addresses, by table; empty where the whole table does.
_NAMED: dict[str, tuple[str, ...]] = {
    "BGP_GLOBALS": (),
    "BGP_GLOBALS_AF_NETWORK": (),
    "BGP_NEIGHBOR": (),
    "DEVICE_METADATA": ("hostname", "mac", "bgp_asn"),
    "INTERFACE": (),
    "LOOPBACK_INTERFACE": (),
    "PORT": ("description",),
    "VLAN": ("description",),
    "VLAN_INTERFACE": (),
}
#: Configurations that differ in more than that: a fabric has a handful.
_KINDS = 64
#: Texts of tables that are kept with what they hold.
_TEXTS = 1024
#: What stands before the first table, between tables, and behind the last one, as
#: `fabric.systems.sonic.render.join_tables` writes them.
_FIRST, _NEXT, _LAST = '{\n    "', ',\n    "', "\n}\n"

#: Version of marshal whose bytes follow from the values alone (Python library, marshal.dumps).
_PLAIN = 0


@dataclass(frozen=True, eq=False, slots=True)
class _Kind:
    """A configuration without names and addresses, and what it is equal by."""

    whole: ConfigDb
    model: Sku
    content: tuple[str | bytes, ...]

    @property
    def tables(self) -> ConfigDb:
        """The configuration without names and addresses."""
        return nameless(self.whole)

    def __hash__(self) -> int:
        return hash(self.content)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Kind) and self.model is other.model and self.content == other.content
        )


def verdict(device: str, content: bytes, model: Sku) -> Outcome:
    """Return what the rules say of a CONFIG_DB that was rendered for a switch of a model."""
    texts = _texts(content.decode())
    tables = {name: rows for text in texts for name, rows in _table(text).items()}
    kind = _Kind(tables, model, tuple(_nameless_texts(texts)))
    policy = _judged(kind)
    if policy.findings or policy.broken:
        policy = run(_world(device, kind.tables, model), rules=_other_rules())
    return _joined(policy, run(_world(device, tables, model), rules=_named_rules()))


def nameless(tables: ConfigDb) -> ConfigDb:
    """Return the tables without names and addresses of the switch; of interfaces, their ports."""
    plain = {}
    for table, rows in tables.items():
        fields = _NAMED.get(table)
        if fields is None:
            plain[table] = rows
        elif table == "INTERFACE":
            plain[table] = {}
            for key, row in rows.items():
                plain[table].setdefault(key.partition("|")[0], {}).update(row)
        elif fields:
            plain[table] = {
                key: {name: value for name, value in row.items() if name not in fields}
                for key, row in rows.items()
            }
    return plain


def _nameless_texts(texts: Iterable[str]) -> Iterable[str | bytes]:
    """Yield the texts of tables; those with names as what is left of them, to compare alone."""
    for text in texts:
        table = text.partition('"')[0]
        is_named = table in _NAMED or not table
        yield marshal.dumps(nameless(_table(text)), _PLAIN) if is_named else text


def _texts(content: str) -> list[str]:
    """Return the text of each table from its name on; one text with an empty name if in doubt."""
    if content.startswith(_FIRST) and content.endswith(_LAST):
        texts = content[len(_FIRST) : -len(_LAST)].split(_NEXT)
        try:
            tables = [_table(text) for text in texts]
        except ValueError:
            return ['"' + content]
        if all(len(table) == 1 for table in tables):
            return texts
    return ['"' + content]


@lru_cache(_TEXTS)
def _table(text: str) -> ConfigDb:
    """Return the table that a text holds, or all tables of a text with an empty name."""
    tables: ConfigDb = json.loads(text[1:] if text[0] == '"' else f'{{"{text}}}')
    return tables


@lru_cache(_KINDS)
def _judged(kind: _Kind) -> Outcome:
    """Return what the rules say that see no names."""
    return run(_world("", kind.tables, kind.model), rules=_other_rules())


@lru_cache(1)
def _other_rules() -> tuple[Rule, ...]:
    named = {rule.id for rule in _named_rules()}
    return tuple(rule for rule in all_rules() if rule.id not in named)


@lru_cache(1)
def _named_rules() -> tuple[Rule, ...]:
    rules = all_rules()
    return tuple(
        r for r in rules if isinstance(r, SonicRule) and not isinstance(r, SonicPolicyRule)
    )


def _world(device: str, tables: ConfigDb, model: Sku) -> World:
    config = SonicConfig(device, tables, is_rendered=True)
    return World(configurations=(config,), skus={model.name: model}, row_by_row=True)


def _joined(policy: Outcome, named: Outcome) -> Outcome:
    return Outcome(
        (*policy.findings, *named.findings),
        tuple(sorted((*policy.checked, *named.checked))),
        tuple(sorted((*policy.skipped, *named.skipped))),
        (*policy.broken, *named.broken),
    )
