"""Hostile requests by number: ``python -m tests.serve.hostile COUNT`` sends them to a service.

Each is made from what the OpenAPI document allows, and then spoilt: values of other types and
sizes, members removed and added, broken bytes, wrong paths, queries and headers. About half stay
valid, so that states, jobs and events come and go. It prints the memory of the server as it goes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import socket
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

CHECKED_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW")
HOSTS = ("gpu001", "gpu002", "gpu003", "gpu004")
#: Values that a field does not expect.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, -1e-308),
    *(0.1,),
    *("", " ", "0", "ring", "gpu001", "gpu[001-004]", "gpu[1-999999999]", "gpu[", "[", "]"),
    *("gpu[2-1]",),
    *("\x00", "\n", "\x7f", "\u202e", "\ud800", "é" * 50, "x" * 5000, "../../etc/passwd", "%s%n"),
    *("{{7*7}}",),
    *("$(id)", "<script>", "' OR 1=1 --", "\x1b[31m", "-1", "1e5", "NaN", "all-to-all:1,ring:0"),
    *("ring:1e999",),
    *([], [[]], {}, {"": ""}, ["gpu001"] * 3, [None], [1], {"a": {"b": {"c": []}}}),
    *(["gpu001", "gpu002"],),
)  # fmt: skip
NAMES = ("x", "", "__class__", "nodes", "hosts", "name", "tp", "\ud800", "gpu001", "gpu001:eth1")
WORDS = (
    *("", "x", "%00", "%2e%2e%2f", "%ff", "train-7", "a" * 300, "slurm", "dot", "netbox"),
    *("k8stopo", "grafana"),
    *("%22", "a%0d%0ab", "..", "%F0%9F%92%A9", "gpu001", "-1", "99999999999999999999", "1", "true"),
)  # fmt: skip
QUERIES = ("limit", "offset", "kind", "part", "uid", "x", "")
HEADERS = (
    *("If-Match: *", 'If-Match: "0"', 'If-Match: "', 'If-None-Match: "1"', "If-None-Match: \xff"),
    *("Idempotency-Key: k", "Idempotency-Key: " + "k" * 300, "Idempotency-Key: \xe9"),
    *("Idempotency-Key:",),
    *("Last-Event-ID: 0", "Last-Event-ID: x", "Accept: text/html", "Expect: 100-continue"),
    *("Range: bytes=0-1",),
    *("Authorization: Bearer x", "Authorization: \xff", "Accept-Encoding: gzip"),
    *("X-HTTP-Method-Override: PUT",),
    *("Cookie: " + "c" * 500, "Origin: http://evil.example", "Content-Encoding: gzip"),
    *("Forwarded: for=_x",),
)  # fmt: skip
TYPES = (
    "application/json",
    "application/merge-patch+json",
    "text/plain",
    "",
    "application/json;charset=x",
)
#: Names that jobs get, also where a name was spoilt: without an end of these no host is free again.
JOBS = (*(f"job{number}" for number in range(10)), "0", "ring", "gpu001", "1e5", "NaN")
_TRAFFIC = (
    "ring",
    "tree",
    "all-to-all",
    "pipeline",
    "ring:3,all-to-all:1",
    "ring:1,ring:1",
    "star",
)


def _placement(it: random.Random) -> Any:
    wanted: dict[str, Any] = {"nodes": it.randint(1, 5), "traffic": it.choice(_TRAFFIC)}
    some = {
        "exclude": [it.choice(HOSTS)], "include": "gpu[001-003]", "hosts": it.sample(HOSTS, 2),
        "pxn": False,
        "within": it.choice(("block", "unit", "pod")), "segment": it.randint(1, 3),
        "max_units": it.randint(1, 3),
        "target": it.random(), "room": it.random(), "nvlink_gpus": it.choice((8, 16, 32)),
        "ranks": True,
        "gpus_per_node": it.randint(1, 9),
        "layout": {"tp": it.choice((1, 2, 8)), "dp": it.randint(1, 4)},
        "weights": {"tp": 1.0, "dp": it.random() + 0.1},
    }  # fmt: skip
    return wanted | {name: some[name] for name in it.sample([*some], it.randint(0, 4))}


def _conditions(it: random.Random) -> Any:
    health = ("down", "drained", "window", "degraded")
    subjects = (*HOSTS, "spine01", "gpu001:eth1", "su1-rail0", "su1-rail0:Ethernet0", "nope")
    made = {
        it.choice(subjects): {"health": it.choice(health), "reason": "r", "capacity": it.random()}
        for _ in range(it.randint(0, 3))
    }
    return {"conditions": made | ({it.choice(subjects): None} if it.random() < 0.3 else {})}


def _job(it: random.Random) -> Any:
    hosts = it.sample(HOSTS, it.randint(1, 2))
    return {"name": it.choice(JOBS), "hosts": hosts, "traffic": it.choice(_TRAFFIC)}


def _whatif(it: random.Random) -> Any:
    fail = ("switch:spine01", "host:gpu001", "rack:su1", "link:spine01:Ethernet0", "x:y", "")
    return {"fail": [it.choice(fail)], "rules": it.random() < 0.02}


def _pod(it: random.Random) -> Any:
    annotations = {
        "rocefab/nodes": it.choice(("1", "2", "x", "9" * 30)),
        "rocefab/traffic": it.choice(_TRAFFIC),
    }
    metadata = {
        "uid": str(it.randint(0, 99)),
        "annotations": annotations,
        "ownerReferences": [{"uid": "o"}],
    }
    nodes = {"items": [{"metadata": {"name": name}} for name in HOSTS]}
    return {"Pod": {"metadata": metadata}, **it.choice(({"NodeNames": [*HOSTS]}, {"Nodes": nodes}))}


def _generate(it: random.Random) -> Any:
    params = it.choice((
        {},
        {"plugin": "topology/tree"},
        {"plugin": "topology/block", "blockSizes": [2, 4]},
    ))
    nodes = [{"region": "r", "instances": {"i": it.choice((*HOSTS, "nope"))}}]
    return {"engine": {"name": "slurm", "params": params}, "nodes": it.choice(([], nodes))}


#: Method, path, and what makes a valid body; as often as it is listed.
ROUTES: tuple[tuple[str, str, Any], ...] = (
    *(("POST", "/v1/placements", _placement),) * 8,
    *(("PATCH", "/v1/state", _conditions), ("PUT", "/v1/state", _conditions)),
    *(("GET", "/v1/state", None),),
    *(("POST", "/v1/jobs", _job),) * 2,
    *(("DELETE", "/v1/jobs/{}", None),) * 2,
    *(("GET", "/v1/jobs", None), ("POST", "/v1/whatif", _whatif), ("GET", "/v1/fabric", None)),
    ("POST", "/v1/map/failing", lambda it: {"fail": _whatif(it)["fail"]}),
    *(("POST", "/extender/filter", _pod), ("POST", "/extender/prioritize", _pod)),
    *(("POST", "/v1/generate", _generate), ("GET", "/v1/topology", None)),
    *(("GET", "/v1/topology/{}", None),),
    *(("GET", "/v1/hosts", None), ("GET", "/v1/links", None), ("GET", "/healthz", None)),
    *(("GET", "/readyz", None), ("GET", "/metrics", None), ("GET", "/openapi.json", None)),
)  # fmt: skip


def spoilt(value: Any, it: random.Random, depth: int = 0) -> Any:
    """Return a value with one part replaced, removed or added."""
    if isinstance(value, dict) and value and depth < 4 and it.random() < 0.8:
        name, deed = it.choice([*value]), it.random()
        if deed < 0.2:
            return {key: one for key, one in value.items() if key != name}
        if deed < 0.4:
            return {**value, it.choice(NAMES): it.choice(ODD)}
        return {**value, name: spoilt(value[name], it, depth + 1)}
    if isinstance(value, list) and value and it.random() < 0.6:
        place = it.randrange(len(value))
        return [*value[:place], spoilt(value[place], it, depth + 1), *value[place + 1 :]]
    return it.choice(ODD)


def _bytes(it: random.Random, make: Any, *, is_valid: bool) -> bytes:
    value = make(it)
    if is_valid:
        return json.dumps(value).encode()
    if it.random() < 0.5:
        value = spoilt(value, it)
    body = json.dumps(value).encode()
    deed = it.random()
    if deed < 0.04:
        place = it.randrange(len(body) + 1)
        return (
            body[:place]
            + bytes(it.randrange(256) for _ in range(3))
            + body[place + it.randint(0, 3) :]
        )
    if deed < 0.05:
        return body[: it.randrange(len(body) + 1)]
    if deed < 0.055:
        return it.choice((
            b"",
            b"[" * 5000,
            b'{"a":' * 2000,
            b"\xff\xfe",
            b"{}" * 9,
            b"NaN",
            b"x" * 70_000,
        ))
    return body


def request(number: int, *, is_valid: bool = False) -> tuple[bytes, bool]:
    """Return the request of a number, and whether its answer has no body."""
    it = random.Random(number)
    method, path, make = it.choice(ROUTES)
    path = path.format(it.choice(JOBS) if it.random() < 0.7 else it.choice(WORDS))
    body = _bytes(it, make, is_valid=is_valid) if make else b""
    kind, more = "application/json", []
    if not is_valid:
        method = it.choice(CHECKED_METHODS) if it.random() < 0.03 else method
        path += f"/{it.choice(WORDS)}" if it.random() < 0.02 else ""
        kind = it.choice(TYPES) if it.random() < 0.05 else kind
        more = it.sample(HEADERS, 1) if it.random() < 0.15 else []
    if method == "GET" and it.random() < 0.5:
        pairs = (f"{it.choice(QUERIES)}={it.choice(WORDS)}" for _ in range(it.randint(1, 3)))
        path += "?" + "&".join(pairs)
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}", *more]
    lines += [f"Content-Length: {len(body)}"] if body or make else []
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body, method == "HEAD"


class Sender:
    """Sends requests over one connection at a time, and reads the answers."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, content: bytes, *, is_head: bool = False) -> tuple[int, bytes]:
        """Return the status and the body; the connection is made again where it was closed."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), 60)
        self._socket.sendall(content)
        head, got = b"", b""
        while not head:
            part = self._socket.recv(1 << 16)
            if not part:
                raise ConnectionError(f"no answer to {content[:300]!r}")
            got += part
            if got.startswith(b"HTTP/1.1 100"):
                got = got.partition(b"\r\n\r\n")[2]
            head, _, rest = got.partition(b"\r\n\r\n")
            head = head if b"\r\n\r\n" in got else b""
        fields = head.lower()
        status = int(head[9:12])
        if b"content-length:" in fields and not is_head:
            length = int(fields.split(b"content-length:")[1].split(b"\r\n")[0])
            while len(rest) < length:
                rest += self._socket.recv(1 << 16)
        if b"connection: close" in fields:
            self.close()
        return status, rest


def run(port: int, numbers: range, *, is_valid: bool = False) -> Counter[int]:
    """Send requests; return how often each status was answered. 500 is an error."""
    codes = Counter[int]()
    with contextlib.closing(Sender(port)) as sender:
        for number in numbers:
            content, is_head = request(number, is_valid=is_valid)
            status, body = sender.send(content, is_head=is_head)
            codes[status] += 1
            assert status not in {0, 500}, (number, content, body)
    return codes


def _listen(url: str, seen: Counter[str]) -> None:
    """Count events until the service ends."""
    import httpx

    with contextlib.suppress(httpx.HTTPError), httpx.stream("GET", f"{url}/v1/events") as answer:
        for line in answer.iter_lines():
            seen[line.partition(": ")[2] if line.startswith("event: ") else "lines"] += 1


def main() -> None:
    """Serve the demo in a process, send requests, and print figures as they come."""
    words = argparse.ArgumentParser()
    words.add_argument("count", type=int)
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--valid", action="store_true")
    wanted = words.parse_args()
    from tests.serve.servers import DEMO, process

    step, total, events = 20_000, Counter[int](), Counter[str]()
    numbers = range(wanted.first, wanted.first + wanted.count)
    with tempfile.TemporaryDirectory() as folder:
        options = (DEMO, "--state", Path(folder) / "state", "--rate", 0)
        with process(Path(folder), *options) as running:
            url, pid = running.client.base_url, running.process.pid
            threading.Thread(target=_listen, args=(url, events), daemon=True).start()
            for at in range(0, wanted.count, step):
                total += run(url.port, numbers[at : at + step], is_valid=wanted.valid)
                memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) / 256
                print(f"{total.total()}: {memory:.1f} MiB", dict(sorted(total.items())), flush=True)
                print("  events", dict(events), flush=True)


if __name__ == "__main__":
    main()
