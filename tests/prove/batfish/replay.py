"""A small server that speaks Batfish's HTTP: it plays a recorded session, or records one.

The record keeps the answers of a real Batfish 0.36 by case, snapshot and question. What is asked,
in which order, and what the snapshot holds is up to the client: an unknown question is an error,
as it is there.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

RECORD = Path(__file__).with_name("session.json.gz")

#: Answers by case, snapshot and question.
Record = dict[str, dict[str, dict[str, Any]]]


def load() -> Record:
    return json.loads(gzip.decompress(RECORD.read_bytes()))


def save(record: Record) -> None:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    RECORD.write_bytes(gzip.compress(text.encode(), mtime=0))


@dataclass
class Batfish:
    """What the server knows, and how it misbehaves.

    ``trouble`` is one of ``old``, ``500``, ``hang``, ``cut``, ``abnormal``, ``columns``, or empty.
    """

    answers: dict[str, dict[str, Any]]
    trouble: str = ""
    upstream: str = ""
    networks: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    archives: dict[str, list[str]] = field(default_factory=dict)
    snapshots: dict[str, str] = field(default_factory=dict)
    works: dict[str, dict[str, str]] = field(default_factory=dict)
    release: threading.Event = field(default_factory=threading.Event)


@contextmanager
def running(batfish: Batfish) -> Iterator[str]:
    """Run a server and yield its ``HOST:PORT``."""
    handler = type("Handler", (_Handler,), {"batfish": batfish})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        batfish.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """The requests that pybatfish makes."""

    protocol_version = "HTTP/1.1"
    batfish: Batfish

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        status, content = self._upstream(body) if self.batfish.upstream else self._answer(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Handle every method alike."""
        if name.startswith("do_"):
            return self._handle
        raise AttributeError(name)

    def _upstream(self, body: bytes) -> tuple[int, bytes]:
        """Pass a request on, and keep the answers to questions."""
        headers = {key: value for key, value in self.headers.items() if key.startswith("Content-T")}
        request = Request(
            f"http://{self.batfish.upstream}{self.path}", body or None, headers, method=self.command
        )
        try:
            with urlopen(request) as response:
                status, content = response.status, response.read()
        except OSError as error:
            return getattr(error, "code", 500), str(error).encode()
        self._note(body)
        if "/answer?" in self.path:
            snapshot, question = self._asked()
            self.batfish.answers.setdefault(snapshot, {})[question] = json.loads(content)
        return status, content

    def _note(self, body: bytes) -> None:
        """Remember what a fork stands for."""
        if self.path.endswith("snapshots:fork"):
            wish = json.loads(body)
            self.batfish.snapshots[wish["snapshotNew"]] = _fork(wish)

    def _asked(self) -> tuple[str, str]:
        """Return snapshot and question of an answer that is fetched."""
        url = urlsplit(self.path)
        name = parse_qs(url.query)["snapshot"][0]
        return self.batfish.snapshots.get(name, name), url.path.split("/")[-2]

    def _answer(self, body: bytes) -> tuple[int, bytes]:
        batfish, parts = self.batfish, urlsplit(self.path).path.split("/")[2:]
        if parts == ["version"]:
            api = "2.0.0" if batfish.trouble == "old" else "2.1.0"
            return 200, json.dumps({"Batfish": "0.36.0", "api_version": api}).encode()
        if parts == ["networks"] and self.command == "POST":
            batfish.networks.append(parse_qs(urlsplit(self.path).query)["name"][0])
            return 201, b""
        if len(parts) == 2 and self.command == "GET":
            return 404, b"no such network"
        if self.command == "DELETE":
            batfish.deleted.append(parts[-1])
            return 200, b""
        return self._inside(parts[2:], body)

    def _inside(self, parts: list[str], body: bytes) -> tuple[int, bytes]:
        """Answer a request about a network."""
        batfish = self.batfish
        if parts[0] == "snapshots" and len(parts) == 2:
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                batfish.archives[parts[1]] = archive.namelist()
            return 201, b""
        if parts[0] == "snapshots:fork":
            self._note(body)
            return 200, b""
        if parts[0] == "snapshots":
            return 200, b"the log: something went wrong"
        if parts[0] == "work":
            return self._work(parts, body)
        if self.command == "PUT":
            return 200, b""
        snapshot, question = self._asked()
        content = json.dumps(batfish.answers[snapshot][question]).encode()
        if batfish.trouble == "columns":
            content = content.replace(b'"Status"', b'"State"')
        return 200, content[: len(content) // 2] if batfish.trouble == "cut" else content

    def _work(self, parts: list[str], body: bytes) -> tuple[int, bytes]:
        if self.command == "POST":
            work = json.loads(body)
            self.batfish.works[work["id"]] = work["requestParams"]
            return 201, b""
        if self.batfish.trouble == "500":
            return 500, b"Failed to queue work: No value present"
        if self.batfish.trouble == "hang":
            self.batfish.release.wait(30)
        question = self.batfish.works[parts[1]].get("questionname", "")
        bad = self.batfish.trouble == "abnormal" and question
        code = "TERMINATEDABNORMALLY" if bad else "TERMINATEDNORMALLY"
        return 200, json.dumps({"workstatuscode": code, "task": {"batches": []}}).encode()


def _fork(wish: dict[str, Any]) -> str:
    ports = [
        f"{item['hostname']}:{item['interface']}" for item in wish["deactivateInterfaces"] or ()
    ]
    return re.sub(r"\s", "", ",".join([*(wish["deactivateNodes"] or ()), *sorted(ports)]))
