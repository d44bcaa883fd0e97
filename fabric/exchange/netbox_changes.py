"""What a push to NetBox creates, changes and deletes, and what it leaves as it is.

Objects with the tag of the fabric are ours. Others are never changed and never deleted: an equal
one is used as it is, one that differs is a conflict, and so is all that would be part of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import few, printable
from fabric.exchange.netbox_wanted import TAG_PREFIX, NetBoxObject, Ref, end_of, present_key
from fabric.exchange.netbox_words import name_of, slug_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.exchange.netbox_wanted import Key
    from fabric.exchange.netbox_words import Row

    Tables = Mapping[str, list[Row]]

#: Kinds that other fabrics share; those of others are used as they are.
_SHARED = frozenset({
    *("tags", "sites", "manufacturers", "device-types", "device-roles", "platforms", "racks"),
    *("tenants", "route-targets"),
})
#: Kinds that NetBox has no tags for (netbox/extras/models).
UNTAGGED = frozenset({"tags", "custom-fields"})
#: Kinds of one site, in the order in which objects are deleted.
DELETED = (
    *("cables", "ip-addresses", "mac-addresses", "interfaces", "devices", "racks"),
    *("vrfs", "route-targets", "tenants"),
)
#: What NetBox deletes with a device, as the device counts it (DeviceSerializer).
_PARTS = (
    *("console_port_count", "console_server_port_count", "power_port_count"),
    *("power_outlet_count", "front_port_count", "rear_port_count", "device_bay_count"),
    *("module_bay_count", "inventory_item_count"),
)
#: Fields that say what an object is; they are compared by its key.
_IDENTITY = frozenset({"a_terminations", "b_terminations", "assigned_object_type"})
_MAX_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Change:
    """An object that is created, changed (by its number) or deleted.

    Parameters
    ----------
    fields : dict
        The fields that are written.
    shown : tuple
        Field, value before and value after, as text, of a change.
    """

    ref: Ref
    fields: Mapping[str, Any]
    number: int | None = None
    shown: tuple[tuple[str, str, str], ...] = ()


@dataclass
class Changes:
    """All that a push does, in order, and what it does not.

    Parameters
    ----------
    tag : Ref
        The tag of the objects of this fabric.
    surplus : list of Change
        Objects with the tag that the inventory does not have, in the order of deletion.
    """

    tag: Ref
    created: list[Change] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    late: list[Change] = field(default_factory=list)
    surplus: list[Change] = field(default_factory=list)
    unchanged: Counter[str] = field(default_factory=Counter)
    conflicts: list[Finding] = field(default_factory=list)
    numbers: dict[Ref, int] = field(default_factory=dict)
    skipped: int = 0


def changes(wanted: Iterable[NetBoxObject], tables: Tables, shown: str, *, delete: bool) -> Changes:
    """Return how what NetBox has becomes what is wanted.

    Parameters
    ----------
    tables : mapping
        Objects of the API by kind; those of devices, of one site.
    delete : bool
        Whether objects that the inventory does not have will be deleted.
    """
    wanted = list(wanted)
    (tag,) = (one.ref for one in wanted if one.kind == "tags")
    return _Comparison(tables, shown, tag, delete=delete).of(wanted)


class _Comparison:
    def __init__(self, tables: Tables, shown: str, tag: Ref, *, delete: bool) -> None:
        self._tables, self._tag, self._delete = tables, str(tag), delete
        self._position = Position(shown)
        self._rows = {kind: _by_key(kind, rows, str(tag)) for kind, rows in tables.items()}
        self._changes = Changes(tag)
        self._blocked: set[Ref] = set()
        self._new: set[Ref] = set()
        self._here = {row["id"] for row in tables.get("interfaces", ())}
        self._cable_at = {
            end: row
            for row in tables.get("cables", ())
            for side in "ab"
            for end in end_of(row, side)
        }

    def of(self, wanted: list[NetBoxObject]) -> Changes:
        result = self._changes
        for kind, rows in self._rows.items():
            result.numbers |= {Ref(kind, key): int(row["id"]) for key, row in rows.items()}
        self._keys = {one.ref for one in wanted}
        for one in wanted:
            if one.named & self._blocked or one.ref in self._blocked:
                self._blocked.add(one.ref)
                result.skipped += not one.late
            elif one.late:
                self._later(one)
            else:
                self._take(one)
        result.surplus = [*self._surplus()]
        return result

    def _take(self, one: NetBoxObject) -> None:
        row = self._rows.get(one.kind, {}).get(one.key)
        if row is None:
            if one.kind != "cables" or self._free(one):
                self._new.add(one.ref)
                self._changes.created.append(Change(one.ref, one.fields))
            return
        shown = self._without_enabling(one, row, self._differences(one, row))
        owned, shared = self._owned(row), one.kind in _SHARED
        if not owned and not shared and (tags := self._other_fabrics(row)):
            message = f"is of another fabric, with the tag {', '.join(tags)}"
            fix = f"rename one of them; if both fabrics have it, add the tag {self._tag}"
            self._conflict(one.ref, message, fix)
        elif not shown or (shared and not owned):
            self._changes.unchanged[one.kind] += 1
        elif not owned:
            fields = ", ".join(f"{name} {before!r} instead of {after!r}"
                               for name, before, after in shown)  # fmt: skip
            fix = f"add the tag {self._tag} to the object, or change the fields in NetBox"
            self._conflict(one.ref, f"has no tag {self._tag} and differs: {fields}", fix)
        elif self._elsewhere(one.kind, row):
            fix = "remove it there, or change the address in the inventory"
            self._conflict(one.ref, "is the address of an interface of another site", fix)
        else:
            self._changes.changed.append(self._change(one, row, shown))

    def _owned(self, row: Row) -> bool:
        return self._tag in _tags(row)

    def _other_fabrics(self, row: Row) -> list[str]:
        """Return the tags of other fabrics that an object has."""
        return [tag for tag in _tags(row) if tag.startswith(TAG_PREFIX) and tag != self._tag]

    def _without_enabling(
        self, one: NetBoxObject, row: Row, shown: tuple[tuple[str, str, str], ...]
    ) -> tuple[tuple[str, str, str], ...]:
        """Return the differences but for a port that is disabled in NetBox alone, which is noted.

        Who disabled it is not known, so a push enables no port.
        """
        rest = tuple(it for it in shown if it[0] != "enabled" or not one.fields["enabled"])
        if rest != shown and self._owned(row):
            fix = "enable it in NetBox, or set enabled: false for the port in the inventory"
            self._note(one.ref, "is disabled in NetBox and not in the inventory", fix)
            return rest
        return shown

    def _elsewhere(self, kind: str, row: Row) -> bool:
        """Tell whether an address is assigned to something that is not of this site."""
        assigned = row.get("assigned_object_id")
        return "addresses" in kind and assigned is not None and assigned not in self._here

    def _later(self, one: NetBoxObject) -> None:
        row = self._rows.get(one.kind, {}).get(one.key)
        if row is None:
            self._changes.late.append(Change(one.ref, one.fields))
            return
        shown = self._differences(one, row)
        if shown and self._owned(row):
            self._changes.late.append(self._change(one, row, shown))

    def _change(
        self, one: NetBoxObject, row: Row, shown: tuple[tuple[str, str, str], ...]
    ) -> Change:
        names = {name for name, *_ in shown}
        fields = {name: value for name, value in one.fields.items() if name in names}
        if "assigned_object_id" in fields:
            fields["assigned_object_type"] = one.fields["assigned_object_type"]
        return Change(one.ref, fields, int(row["id"]), shown)

    def _differences(self, one: NetBoxObject, row: Row) -> tuple[tuple[str, str, str], ...]:
        """Return field, value in NetBox and value wanted of each field that differs."""
        names = one.fields.keys() - _IDENTITY - one.once
        different = []
        for name in sorted(names):
            value, before = one.fields[name], _value(row, name)
            try:
                after = numbered(value, self._changes.numbers)
            except KeyError:
                different.append((name, _text(row, name), _shown(value)))
                continue
            if not _same(before, after):
                different.append((name, _text(row, name), _shown(value)))
        return tuple(different)

    def _free(self, one: NetBoxObject) -> bool:
        """Note ports of a new cable that have another one; tell whether there are none."""
        ends = (one.fields[f"{side}_terminations"].key for side in "ab")
        cables = {row["id"]: (end, row) for end in ends if (row := self._cable_at.get(end))}
        free = True
        for end, row in cables.values():
            key = present_key("cables", row)
            known = key is not None and Ref("cables", key) in self._keys
            if self._owned(row) and not known and self._delete:
                continue
            fix = "delete it in NetBox, or import the cable"
            if self._owned(row):
                fix = "delete what the inventory does not have with --delete"
            self._conflict(one.ref, f"port {' '.join(end)} has the cable {row['id']}", fix)
            free = False
        return free

    def _conflict(self, ref: Ref, message: str, fix: str) -> None:
        self._blocked.add(ref)
        self._note(ref, message, fix)

    def _note(self, ref: Ref, message: str, fix: str) -> None:
        self._changes.conflicts.append(
            Finding(
                "EXC016",
                Severity.WARNING,
                f"{ref.kind} {printable(str(ref))}: {printable(message)}",
                fix,
                position=self._position,
            )
        )

    def _surplus(self) -> Iterator[Change]:
        """Yield objects with the tag that the inventory does not have, unless others use them."""
        users = self._users()
        for kind in DELETED:
            for row in self._tables.get(kind, ()):
                key = present_key(kind, row)
                ref = Ref(kind, key or (str(row["id"]),))
                if not self._owned(row) or ref in self._keys or self._elsewhere(kind, row):
                    continue
                if self._other_fabrics(row):
                    continue
                parts = [name.removesuffix("_count") for name in _PARTS if row.get(name)]
                others = [*users[kind, row["id"]], *parts]
                if others:
                    fix = "delete or move these first"
                    message = f"is kept, as objects without the tag {self._tag} are part of it: "
                    self._conflict(ref, message + few(others, _MAX_SHOWN), fix)
                else:
                    yield Change(ref, {}, int(row["id"]))

    def _users(self) -> dict[tuple[str, object], list[str]]:
        """Return the objects without the tag that NetBox would delete with an object."""
        users: dict[tuple[str, object], list[str]] = defaultdict(list)
        device_of: dict[object, object] = {}
        for row in self._tables.get("devices", ()):
            if row.get("rack") and not self._owned(row):
                users["racks", _value(row, "rack")].append(f"device {name_of(row)}")
        for row in self._tables.get("interfaces", ()):
            device_of[row["id"]] = _value(row, "device")
            if not self._owned(row):
                users["devices", _value(row, "device")].append(f"interface {row['id']}")
        of_interface = [
            (row.get("assigned_object_id"), f"{kind} {row['id']}")
            for kind in ("ip-addresses", "mac-addresses")
            for row in self._tables.get(kind, ())
            if not self._owned(row)
        ]
        numbers = {present_key("interfaces", row): row["id"]
                   for row in self._tables.get("interfaces", ())}  # fmt: skip
        of_interface += [
            (numbers.get(end), f"cable {row['id']}")
            for end, row in self._cable_at.items()
            if not self._owned(row)
        ]
        for number, text in of_interface:
            users["interfaces", number].append(text)
            if number in device_of:
                users["devices", device_of[number]].append(text)
        return users


def _tags(row: Row) -> list[str]:
    tags = row.get("tags")
    return [slug_of(tag) for tag in tags] if isinstance(tags, list) else []


def _by_key(kind: str, rows: Iterable[Row], tag: str) -> dict[Key, Row]:
    """Return objects by their keys; of several, one with the tag.

    VRFs without it, and addresses in them, are others: fabrics may have VRFs of the same name.
    """
    by_key: dict[Key, Row] = {}
    for row in rows:
        key = present_key(kind, row)
        in_vrf = kind == "vrfs" or (kind == "ip-addresses" and row.get("vrf"))
        if key is None or (in_vrf and tag not in _tags(row)):
            continue
        if key not in by_key or (tag in _tags(row) and tag not in _tags(by_key[key])):
            by_key[key] = row
    return by_key


def numbered(value: object, numbers: Mapping[Ref, int]) -> object:
    """Return the value of a field with the numbers of the objects that it names.

    Raises
    ------
    KeyError
        When one of them is not there.
    """
    if isinstance(value, tuple):
        return tuple(numbered(item, numbers) for item in value)
    return numbers[value] if isinstance(value, Ref) else value


def _value(row: Row, name: str) -> object:
    """Return the value of a field: numbers of other objects, the value of a choice."""
    head, _, custom = name.partition(".")
    value = row.get(head)
    if custom:
        return value.get(custom) if isinstance(value, dict) else None
    if isinstance(value, dict):
        return value.get("id", value.get("value"))
    if isinstance(value, list):
        return [item.get("id") if isinstance(item, dict) else item for item in value]
    return value


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if isinstance(value, dict):
        value = value.get("display") or value.get("value") or value.get("name")
    return _shown(_value(row, name) if "." in name else value)


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(name_of(item) if isinstance(item, dict) else str(item) for item in value)
    return printable("" if value is None else str(value))[:_MAX_SHOWN]


def _same(before: object, after: object) -> bool:
    if isinstance(after, tuple):
        return isinstance(before, list) and set(after) <= set(before)
    if isinstance(after, int | float) and not isinstance(after, bool):
        try:
            return before is not None and float(str(before)) == float(after)
        except ValueError:
            return False
    return ("" if before is None else before) == ("" if after is None else after)
