"""docs/tutorials/from-the-box.md, every block in its order, on a lab whose boxes fetch their files.

The management network is one of loopback addresses, so that each device asks from its own. What a
block prints must come in its order; ``...`` stands for lines that are left out.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from fabric.boot.devices import managed
from fabric.workflow.laboratory import laboratory
from fabric.workflow.project import Project
from tests.cli.runs import ROOT, clean_environment
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "tutorials" / "from-the-box.md"
PRINTED, LOCAL = "192.168.", "127.168."
SERVER, PORT = "127.168.0.2", 8781
PASSWORD = "correct-horse-battery-staple"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LONGEST_S = 300


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a block with the lines that it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *printed = part.splitlines()
        yield line, printed


class Reader:
    """Who reads the page and types what it prints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **clean_environment(),
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "XDG_STATE_HOME": str(folder / ".state"),
            "ROCEFAB_PASSWORD": PASSWORD,
            "ROCEFAB_SECRET_EOS": "$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789./ABC",
            "ROCEFAB_CONNECTIONS": "connections.json",
        }

    def _argv(self, line: str) -> list[str]:
        assert line.startswith("rocefab ")
        return [sys.executable, "-m", "fabric", *shlex.split(line.replace(PRINTED, LOCAL))[1:]]

    def type(self, line: str, printed: list[str]) -> None:
        """Run a line; it must print what the page prints."""
        done = subprocess.run(
            self._argv(line), cwd=self.folder, env=self.environment, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_LONGEST_S,
        )  # fmt: skip
        said = done.stdout.replace(LOCAL, PRINTED)
        assert done.returncode == 0, f"{line}: {done.returncode}\n{said}"
        lines = iter(said.splitlines())
        for expected in (text for text in printed if text != "..."):
            assert expected in lines, f"{line}\nprints no (more) {expected!r}:\n{said}"

    @contextmanager
    def started(self, line: str) -> Iterator[None]:
        """Run a line that goes on until it is stopped."""
        with (self.folder / "served.txt").open("w") as out:
            server = subprocess.Popen(
                self._argv(line), cwd=self.folder, env=self.environment, stdout=out, stderr=out
            )
            try:
                yield
            finally:
                server.terminate()
                server.wait(30)


def switch_on(project: Project, exported: Path) -> None:
    """Let each box fetch its files from its own address."""
    for device in managed(project.fabric):
        if device.platform == "bmc":
            continue
        below = exported / "http"
        files = [path for path in below.rglob("*") if path.is_file()]
        own = [one for one in files if re.match(rf"{device.name}\b(?!-bmc)", one.name)]
        own += [one for one in files if one.parent.name == device.name]
        assert own, device.name
        for path in own:
            client = HTTPConnection(SERVER, PORT, 30, source_address=(device.address, 0))
            client.request("GET", f"/{path.relative_to(below)}")
            answer = client.getresponse()
            assert (answer.status, answer.read()) == (200, path.read_bytes()), path
            client.close()


def is_up() -> bool:
    with socket.socket() as client:
        return client.connect_ex((SERVER, PORT)) == 0


def connect(lab_folder: Path, file: Path) -> None:
    """Write where the stand-ins listen, and not which keys they show."""
    boxes: dict[str, Any] = json.loads((lab_folder / "connections.json").read_text())
    for entry in boxes["devices"].values():
        del entry["trust"]
    file.write_text(json.dumps(boxes))


def test_from_the_box_to_the_first_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCEFAB_PASSWORD", PASSWORD)
    shutil.copytree(ROOT / "inventory", tmp_path / "inventory")
    inventory = tmp_path / "inventory" / "demo"
    text = (inventory / "fabric.yaml").read_text()
    (inventory / "fabric.yaml").write_text(text.replace(PRINTED, LOCAL))
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8mmn rocefab@ops\n"
    (tmp_path / "rocefab.pub").write_text(key)
    reader = Reader(tmp_path)
    with ExitStack() as running:
        for language, block in _BLOCK.findall(PAGE.read_text()):
            if language == "yaml":  # what the example has
                assert yaml.safe_load(block)["management"] == {
                    "network": yaml.safe_load(text)["management"]["network"]
                }
            elif language == "csv":
                (tmp_path / "packing-list.csv").write_text(block)
            for line, printed in commands(block) if language == "console" else ():
                if not line.startswith("rocefab serve"):
                    reader.type(line, printed)
                    continue
                project = Project(inventory)
                running.enter_context(reader.started(line))
                running.enter_context(laboratory(project, tmp_path / "lab"))
                until(is_up, "the files are served")
                switch_on(project, tmp_path / "ztp")
                connect(tmp_path / "lab", tmp_path / "connections.json")
