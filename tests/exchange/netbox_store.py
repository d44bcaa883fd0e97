"""A store with the checks of NetBox: required fields, unique constraints, references, cables.

After netbox-community/netbox v4.6.8: netbox/dcim/api/serializers_, the UniqueConstraints of
netbox/dcim/models, ``CableTermination.clean`` and ``IPAddress.clean``, and the bulk requests of
netbox/netbox/api/viewsets/mixins.py, which write all objects of a request or none.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Row = dict[str, Any]

#: Required fields, references by field, and groups of fields that are unique together.
KINDS: dict[str, tuple[str, dict[str, str], list[tuple[str, ...]]]] = {
    "extras/tags": ("name slug", {}, [("name",), ("slug",)]),
    "extras/custom-fields": ("name type object_types", {}, [("name",)]),
    "dcim/sites": ("name slug", {}, [("name",), ("slug",)]),
    "dcim/manufacturers": ("name slug", {}, [("name",), ("slug",)]),
    "dcim/device-types": (
        "manufacturer model slug",
        {"manufacturer": "dcim/manufacturers"},
        [("manufacturer", "model"), ("manufacturer", "slug")],
    ),
    "dcim/device-roles": ("name slug", {}, [("name",), ("slug",)]),
    "dcim/platforms": ("name slug", {}, [("name",), ("slug",)]),
    "dcim/racks": ("name site", {"site": "dcim/sites"}, []),
    "dcim/devices": (
        "device_type role site",
        {
            "device_type": "dcim/device-types",
            "role": "dcim/device-roles",
            "site": "dcim/sites",
            "rack": "dcim/racks",
            "platform": "dcim/platforms",
            "primary_ip4": "ipam/ip-addresses",
            "primary_ip6": "ipam/ip-addresses",
        },
        [("site", "name")],
    ),
    "tenancy/tenants": ("name slug", {}, [("name",), ("slug",)]),
    "ipam/route-targets": ("name", {"tenant": "tenancy/tenants"}, [("name",)]),
    "ipam/vrfs": ("name", {"tenant": "tenancy/tenants"}, []),
    "dcim/interfaces": (
        "device name type",
        {
            "device": "dcim/devices",
            "primary_mac_address": "dcim/mac-addresses",
            "vrf": "ipam/vrfs",
        },
        [("device", "name")],
    ),
    "dcim/mac-addresses": ("mac_address", {}, []),
    "ipam/ip-addresses": ("address", {"vrf": "ipam/vrfs", "tenant": "tenancy/tenants"}, []),
    "dcim/cables": ("a_terminations b_terminations", {}, []),
}
_CHOICES = {"status", "type", "length_unit", "width", "filter_logic"}
_TARGETS = {"import_targets", "export_targets"}
_CUSTOM = {"dcim/devices": "dcim.device", "dcim/interfaces": "dcim.interface"}
_UNTAGGED = {"extras/tags", "extras/custom-fields"}


class InvalidError(Exception):
    """What is wrong with an object, by field."""

    def __init__(self, **errors: str) -> None:
        super().__init__(str(errors))
        self.body = {name: [text] for name, text in errors.items()}


@dataclass
class Store:
    """Objects by kind and number.

    Parameters
    ----------
    faults : list
        What is answered to the next writes: a status before, or ``(status,)`` after the write;
        None for what follows from it.
    read_faults : list of int
        Statuses of the next reads.
    answer : str
        What is answered to everything, of a server that is no NetBox.
    """

    tables: dict[str, dict[int, Row]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    faults: list[Any] = field(default_factory=list)
    read_faults: list[int] = field(default_factory=list)
    answer: str = ""
    writes: list[tuple[str, str, int]] = field(default_factory=list)
    _ids: Any = field(default_factory=lambda: count(1))

    def rows(self, kind: str, query: dict[str, list[str]]) -> list[Row] | None:
        """Return the objects of a kind as the API shows them; None for no such kind."""
        if kind not in self.tables:
            return None
        shown = [self._shown(kind, row) for row in self.tables[kind].values()]
        site = int(query.get("site_id", ["0"])[0])
        return [row for row in shown if not site or self._site(kind, row) == site]

    def write(self, method: str, kind: str, body: Any) -> tuple[int, Any]:
        """Write objects, all or none; return status and answer."""
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, int):
            return fault, {"detail": "fault"}
        rows = body if isinstance(body, list) else [body]
        before = deepcopy(self.tables)
        try:
            done = [getattr(self, method)(kind, dict(row)) for row in rows]
        except InvalidError as error:
            self.tables = before
            return 400, error.body
        self.writes.append((method, kind, len(rows)))
        if fault:
            return fault[0], {"detail": "fault"}
        shown = [self._shown(kind, row) for row in done if row]
        status = {"post": 201, "patch": 200, "delete": 204}[method]
        return status, shown if isinstance(body, list) else shown[0]

    def post(self, kind: str, row: Row) -> Row:
        """Create an object."""
        for name in KINDS[kind][0].split():
            if row.get(name) in (None, "", []):
                raise InvalidError(**{name: "This field is required."})
        number = next(self._ids)
        new = {"id": number, "custom_fields": {}, **({} if kind in _UNTAGGED else {"tags": []})}
        self._check(kind, row, number)
        new |= row
        self.tables[kind][number] = new
        return new

    def patch(self, kind: str, row: Row) -> Row:
        """Change fields of an object."""
        number = row.pop("id")
        old = self.tables[kind][number]
        custom = old["custom_fields"] | row.pop("custom_fields", {})
        self._check(kind, {**old, **row, "custom_fields": custom}, number)
        old |= {**row, "custom_fields": custom}
        return old

    def delete(self, kind: str, row: Row) -> None:
        """Delete an object with what is part of it."""
        number = row["id"]
        self.tables[kind].pop(number, None)
        parts = []
        if kind == "dcim/devices":
            parts = [("dcim/interfaces", "device")]
        if kind == "dcim/interfaces":
            parts = [(one, "assigned_object_id") for one in
                     ("dcim/mac-addresses", "ipam/ip-addresses")]  # fmt: skip
            for cable in list(self.tables["dcim/cables"].values()):
                if number in self._ends(cable):
                    self.delete("dcim/cables", cable)
        if kind == "dcim/racks" and any(
            one.get("rack") == number for one in self.tables["dcim/devices"].values()
        ):
            raise InvalidError(detail="the rack has devices")
        for part, name in parts:
            for one in list(self.tables[part].values()):
                if one.get(name) == number:
                    self.delete(part, one)

    def _check(self, kind: str, row: Row, number: int) -> None:
        _, references, unique = KINDS[kind]
        others = [one for one in self.tables[kind].values() if one["id"] != number]
        for name, target in references.items():
            if row.get(name) is not None and row[name] not in self.tables[target]:
                raise InvalidError(**{name: f"Related object not found: {row[name]}"})
        for names in unique:
            mine = [str(row.get(name)).lower() for name in names]
            if any([str(one.get(name)).lower() for name in names] == mine for one in others):
                raise InvalidError(**{names[-1]: f"{kind} with this {names[-1]} already exists."})
        for tag in row.get("tags", ()):
            if tag not in self.tables["extras/tags"]:
                raise InvalidError(tags=f"Related object not found: {tag}")
        self._check_custom(kind, row)
        if kind == "dcim/cables":
            self._check_cable(row, others)
        if kind in {"ipam/ip-addresses", "dcim/mac-addresses"}:
            self._check_address(row, others)

    def _check_address(self, row: Row, others: list[Row]) -> None:
        host = row.get("address", "").partition("/")[0]
        same = [one for one in others if one.get("vrf") == row.get("vrf")]
        if host and any(one["address"].partition("/")[0] == host for one in same):
            raise InvalidError(address=f"Duplicate IP address found in global table: {host}")
        if row.get("assigned_object_type") != "dcim.interface":
            raise InvalidError(assigned_object_type="This field is required.")
        if row.get("assigned_object_id") not in self.tables["dcim/interfaces"]:
            raise InvalidError(assigned_object_id="Invalid object")

    def _check_custom(self, kind: str, row: Row) -> None:
        known = {
            one["name"]
            for one in self.tables["extras/custom-fields"].values()
            if _CUSTOM.get(kind) in one["object_types"]
        }
        for name in row.get("custom_fields", {}):
            if name not in known:
                raise InvalidError(custom_fields=f"Unknown field name '{name}' in data.")

    def _check_cable(self, row: Row, others: list[Row]) -> None:
        ends = self._ends(row)
        if row.get("length") is not None and not row.get("length_unit"):
            raise InvalidError(__all__="Must specify a unit when setting a cable length")
        for end in ends:
            interface = self.tables["dcim/interfaces"].get(end)
            if interface is None or interface["type"] == "virtual":
                raise InvalidError(__all__="Cables cannot be terminated to Virtual interfaces")
            if any(end in self._ends(one) for one in others):
                raise InvalidError(__all__=f"Duplicate termination found for dcim.interface {end}")

    @staticmethod
    def _ends(row: Row) -> list[int]:
        return [one["object_id"] for side in "ab" for one in row[f"{side}_terminations"]]

    def _brief(self, kind: str, number: int) -> Row:
        row = self.tables[kind][number]
        name = row.get("name") or row.get("model") or row.get("address") or row.get("mac_address")
        brief = {"id": number, "display": name, "name": name}
        brief |= {
            key: row[key] for key in ("slug", "model", "address", "mac_address") if key in row
        }
        if "device" in row:
            brief["device"] = self._brief("dcim/devices", row["device"])
        return brief

    def _shown(self, kind: str, row: Row) -> Row:
        shown = dict(row)
        for name, target in KINDS[kind][1].items():
            known = row.get(name) in self.tables[target]
            shown[name] = self._brief(target, row[name]) if known else None
        for name in _TARGETS & row.keys():
            shown[name] = [self._brief("ipam/route-targets", number) for number in row[name]]
        for name in _CHOICES & row.keys():
            shown[name] = {"value": row[name], "label": str(row[name]).title()}
        if "tags" in row:
            shown["tags"] = [self._brief("extras/tags", tag) for tag in row["tags"]]
        if row.get("assigned_object_id"):
            shown["assigned_object"] = self._brief("dcim/interfaces", row["assigned_object_id"])
        if "length" in row and row["length"] is not None:
            shown["length"] = float(row["length"])
        for side in "ab" if kind == "dcim/cables" else "":
            shown[f"{side}_terminations"] = [
                {**one, "object": self._brief("dcim/interfaces", one["object_id"])}
                for one in row[f"{side}_terminations"]
            ]
        return shown

    def _site(self, kind: str, row: Row) -> int | None:
        if kind == "dcim/cables":
            interface = self.tables["dcim/interfaces"][self._ends(row)[0]]
            return self._site("dcim/interfaces", self._shown("dcim/interfaces", interface))
        if kind == "dcim/interfaces":
            number: int = self.tables["dcim/devices"][row["device"]["id"]]["site"]
            return number
        return row["site"]["id"] if row.get("site") else None
