"""A server that answers as NetBox' REST API does: pages, tokens, nested objects.

Shapes: netbox-community/netbox 4.6, netbox/dcim/api/serializers_ and docs/integrations/rest-api.md.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fabric.exchange.plant import Plant
from tests.exchange.netbox_store import Store

TOKEN = "0123456789abcdef0123456789abcdef01234567"
#: The largest page that this server gives, below what is asked for.
PAGE = 7
NO_CONTENT = 204


def objects(plant: Plant) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of a plant as the API nests them."""
    ids = count(1)
    devices = {item.name: (next(ids), item) for item in plant.devices}
    interfaces: dict[tuple[str, str], dict[str, Any]] = {}

    def brief(name: str) -> dict[str, Any]:
        return {"id": devices[name][0], "display": name, "name": name}

    for cable in plant.cables:
        for device, port in (cable.near, cable.far):
            interfaces[device, port] = {
                "id": next(ids),
                "device": brief(device),
                "name": port,
                "type": {"value": f"{cable.speed_gbps}gbase-dr4", "label": "x"},
                "speed": None,
                "mgmt_only": False,
                "mac_address": None,
                "custom_fields": {
                    "rocefab_rail": None,
                    "rocefab_nic_port": None,
                    "rocefab_rdma_device": None,
                },
                "connected_endpoints": [],
            }
    for nic in plant.nics:
        interfaces[nic.host, nic.interface]["custom_fields"] |= {
            "rocefab_rail": nic.rail,
            "rocefab_rdma_device": nic.rdma_device,
        }
        interfaces[nic.host, nic.interface]["mac_address"] = nic.mac.upper() or None

    def side(end: tuple[str, str]) -> list[dict[str, Any]]:
        target = interfaces[end]
        return [{"object_type": "dcim.interface", "object_id": target["id"], "object": target}]

    cables = [
        {
            "id": next(ids),
            "a_terminations": side(cable.far),
            "b_terminations": side(cable.near),
            "status": {"value": "connected", "label": "Connected"},
            "length": cable.cable_m,
            "length_unit": {"value": "m", "label": "Meters"} if cable.cable_m else None,
        }
        for cable in plant.cables
    ]
    addresses = [
        {
            "id": next(ids),
            "address": nic.address,
            "assigned_object_type": "dcim.interface",
            "assigned_object": interfaces[nic.host, nic.interface],
        }
        for nic in plant.nics
        if nic.address
    ]
    return {
        "dcim/devices": [_device(number, item, plant.name) for number, item in devices.values()],
        "dcim/interfaces": list(interfaces.values()),
        "dcim/cables": cables,
        "ipam/ip-addresses": addresses,
    }


def _device(number: int, item: Any, site: str) -> dict[str, Any]:
    role = item.role or "gpu-host"
    named = {"slug": role, "name": role.title(), "display": role}
    return {
        "id": number,
        "name": item.name,
        "device_type": {"id": 1, "model": item.model or "DGX H100", "slug": "x", "display": "x"},
        "role": named,
        "platform": {"slug": item.system, "name": item.system} if item.system else None,
        "serial": item.serial,
        "site": {"slug": site, "name": site},
        "rack": None,
        "status": {"value": "active", "label": "Active"},
        "primary_ip4": {"address": f"192.0.2.{number}/24"},
        "custom_fields": {
            "rocefab_unit": item.unit or None,
            "rocefab_pod": None,
            "rocefab_rail": item.rail,
            "rocefab_plane": None,
            "rocefab_asn": item.asn,
            "rocefab_mac": None,
        },
    }


@contextmanager
def serving(
    tables: dict[str, list[dict[str, Any]]], store: Store | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Serve objects; yield the URL, and the paths that were asked for.

    Parameters
    ----------
    store : Store or None
        What is read and written in place of the tables.
    """
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            asked.append(self.path)
            parts = urlsplit(self.path)
            kind = parts.path.removeprefix("/api/").strip("/")
            query = parse_qs(parts.query)
            rows = store.rows(kind, query) if store else _seen(tables, kind, query)
            if self.headers.get("Authorization") != f"Token {TOKEN}":
                self._answer(403, {"detail": "Invalid token"})
            elif kind == "status":
                self._answer(200, tables.get("status", [{"netbox-version": "4.6.8"}])[0])
            elif store and store.read_faults:
                self._answer(store.read_faults.pop(0), {"detail": "fault"})
            else:
                page = self._page(rows or [], query, parts.path)
                missing = (404, {"detail": "Not found."})
                self._answer(*(missing if rows is None else (200, page)))

        def _write(self) -> None:
            size = int(self.headers.get("Content-Length", "0"))
            body = json.loads(self.rfile.read(size))
            if store is None or self.headers.get("Authorization") != f"Token {TOKEN}":
                self._answer(403, {"detail": "Invalid token"})
                return
            kind = urlsplit(self.path).path.removeprefix("/api/").strip("/")
            self._answer(*store.write(self.command.lower(), kind, body))

        do_POST = do_PATCH = do_DELETE = _write  # noqa: N815 - names of the library

        def _page(self, rows: list[Any], query: dict[str, list[str]], path: str) -> dict[str, Any]:
            start = int(query.get("offset", ["0"])[0])
            size = min(PAGE, int(query.get("limit", ["50"])[0]) or PAGE)
            more = start + size < len(rows)
            kept = [key for key in query if key not in {"limit", "offset"}]
            others = "".join(f"&{key}={query[key][0]}" for key in kept)
            url = f"http://{self.headers['Host']}{path}?limit={size}&offset={start + size}{others}"
            return {
                "count": len(rows),
                "next": url if more else None,
                "previous": None,
                "results": rows[start : start + size],
            }

        def _answer(self, status: int, body: Any) -> None:
            text = b"" if status == NO_CONTENT else json.dumps(body).encode()
            text = store.answer.encode() if store and store.answer else text
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("API-Version", "4.6")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _seen(tables: dict[str, list[Any]], kind: str, query: dict[str, list[str]]) -> list[Any] | None:
    """Return objects; Nautobot leaves out the interfaces of an address unless they are asked for.

    Source: nautobot/nautobot v3.2.7, nautobot/core/api/serializers.py.
    """
    rows = tables.get(kind)
    status = tables.get("status", [{}])[0]
    if rows is None or "nautobot-version" not in status or query.get("exclude_m2m") == ["false"]:
        return rows
    return [{key: value for key, value in row.items() if key != "interfaces"} for row in rows]


def nautobot(tables: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the same objects as Nautobot has them with ``?depth=1``.

    Shapes: nautobot/nautobot, nautobot/dcim/api/serializers.py, nautobot/ipam/api/serializers.py.
    Numbers are UUIDs, statuses and roles have names alone, a device has a location, a cable names
    its ends by type and number, an address the interfaces that have it.
    """

    def uuid(number: int) -> str:
        return f"00000000-0000-4000-8000-{number:012x}"

    def cable(row: dict[str, Any]) -> dict[str, Any]:
        ends = {side: row[f"{side}_terminations"][0]["object_id"] for side in "ab"}
        types = {f"termination_{side}_type": "dcim.interface" for side in "ab"}
        numbers = {f"termination_{side}_id": uuid(ends[side]) for side in "ab"}
        kept = {key: row[key] for key in ("length", "length_unit")}
        return {"id": uuid(row["id"]), "status": {"name": "Connected"}, **kept, **types, **numbers}

    def device(row: dict[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in row.items() if key not in {"site", "status", "role"}}
        words = {"location": {"name": row["site"]["name"]}, "status": {"name": "Active"}}
        return kept | words | {"id": uuid(row["id"]), "role": {"name": row["role"]["slug"]}}

    def address(row: dict[str, Any]) -> dict[str, Any]:
        owner = {"id": uuid(row["assigned_object"]["id"])}
        return {"id": uuid(row["id"]), "address": row["address"], "interfaces": [owner]}

    return {
        "dcim/devices": [device(row) for row in tables["dcim/devices"]],
        "dcim/interfaces": [row | {"id": uuid(row["id"])} for row in tables["dcim/interfaces"]],
        "dcim/cables": [cable(row) for row in tables["dcim/cables"]],
        "ipam/ip-addresses": [address(row) for row in tables["ipam/ip-addresses"]],
        "status": [{"nautobot-version": "3.2.7"}],
    }
