"""Client libraries are imported by one thread at a time."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import fabric
from fabric.devices import clients

PACKAGE = Path(fabric.__file__).parent
#: What more than one way of reaching a device imports.
SHARED = ("netmiko", "paramiko")


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("file", ["devices", "systems", "change", "observe", "workflow"])
def test_no_thread_imports_them_by_itself(file: str) -> None:
    """Two that meet in paramiko can wait for each other; `client_module` lets one in."""
    found = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sorted((PACKAGE / file).rglob("*.py"))
        for name in _imported(ast.parse(path.read_text()))
        if name.partition(".")[0] in SHARED
    ]
    assert found == []


def test_one_thread_at_a_time_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = threading.Semaphore(1), []

    def slowly(name: str) -> str:
        most.append(inside.acquire(blocking=False))
        threading.Event().wait(0.01)
        inside.release()
        return name

    monkeypatch.setattr(clients, "import_module", slowly)
    threads = [
        threading.Thread(target=work, args=(name,))
        for work, name in [(clients.client_module, "netmiko"), (clients.napalm_part, "junos")] * 4
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [True] * 8
