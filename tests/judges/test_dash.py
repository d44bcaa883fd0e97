"""The real dash judges the shell of the lab: scripts have the same effects in both.

A script runs in a root of its own, in a mount namespace, with stubs for every tool that is not in
coreutils or grep. A stub records its call; one call of a run may fail.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabric.change.apply import Result as Applied
from fabric.devices import shell_driver
from fabric.devices.connections import PASSWORD_VARIABLE
from fabric.lab.shell.files import FILE_TOOLS
from fabric.lab.shell.interpreter import Shell
from fabric.lab.shell.rootfs import RootFs
from fabric.lab.shell.runners import RUNNERS
from fabric.lab.shell.special import SPECIAL
from fabric.lab.shell.state import Result, Streams
from fabric.lab.shell.syntax import parse
from fabric.lab.shell.text import TEXT_TOOLS
from fabric.workflow.apply import Options, apply
from fabric.workflow.laboratory import CONNECTIONS, laboratory
from fabric.workflow.plan import Selection, plan
from fabric.workflow.project import Project
from tests.judges.conftest import missing_judge
from tests.render.test_hosts import HOSTS, case, files
from tests.topology.fabrics import INVENTORY

ORDINARY = {**FILE_TOOLS, **TEXT_TOOLS, **RUNNERS}
STUB = """\
#!/bin/sh
printf '%s\\n' "${0##*/} $*" >> /judge/calls
[ ! -e "/judge/answer" ] || cat /judge/answer
read -r failing < /judge/failing
[ "$(wc -l < /judge/calls)" -ne "$failing" ]
"""
#: Folders of the machine that dash and coreutils need.
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
FOLDERS = ("dev", "etc/systemd/system", "judge", "proc", "root", "run", "stubs", "sys", "tmp")
TOKEN = "rocefab-run-1-1-0badcafe"


@dataclass
class Script:
    """A script, its arguments, the files that it finds, and what every stub prints."""

    text: str
    arguments: list[str] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)
    answer: str = ""


@dataclass
class Effects:
    """What a run did."""

    code: int
    output: str
    calls: list[str]
    files: dict[str, tuple[str, int]]


@cache
def namespace() -> tuple[str, ...]:
    """Return the words that start a command in a mount namespace."""
    words = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")
    dash = shutil.which("dash")
    works = (
        dash and not subprocess.run([*words, "true"], capture_output=True, check=False).returncode
    )
    if not works:
        missing_judge("dash, in a user and mount namespace,")
    return words


def stubs(text: str) -> set[str]:
    """Return the tools of a script that are neither its own functions nor ordinary ones."""
    calls, own = set[str](), set[str]()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("Type") == "FuncDecl":
                own.add(node["Name"]["Value"])
            words = [word["Parts"][0].get("Value", "") for word in node.get("Args", ())]
            calls.update(words[2:3] if words[:2] == ["command", "-v"] else words[:1])
        for child in node.values() if isinstance(node, dict) else node:
            if isinstance(child, dict | list):
                walk(child)

    walk(parse(text))
    return {*calls - own - set(SPECIAL) - set(ORDINARY) - {""}, "sleep"}


def fill(top: Path, script: Script) -> None:
    """Make a root with what a script finds."""
    for folder in FOLDERS:
        (top / folder).mkdir(parents=True, exist_ok=True)
    for path, text in script.found.items():
        target = top / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def effects(top: Path, code: int, output: str, calls: list[str]) -> Effects:
    """Return what a run left behind."""
    skipped = (*SYSTEM, "dev", "judge", "stubs")
    written = {
        str(path.relative_to(top)): (path.read_text(), path.stat().st_mode & 0o777)
        for folder in top.iterdir()
        if folder.name not in skipped
        for path in folder.rglob("*")
        if path.is_file()
    }
    return Effects(code, output, calls, written)


def in_dash(top: Path, script: Script, failing: int) -> Effects:
    """Run a script under the real dash."""
    top.mkdir()
    fill(top, script)
    (top / "dev" / "null").touch()
    judge, binds = top / "judge", ["mount --bind /dev/null dev/null"]
    (judge / "script").write_text(script.text)
    (judge / "calls").touch()
    (judge / "failing").write_text(f"{failing}\n")
    if script.answer:
        (judge / "answer").write_text(script.answer)
    for name in stubs(script.text):
        (top / "stubs" / name).write_text(STUB)
        (top / "stubs" / name).chmod(0o755)
    for name in SYSTEM:
        folder = Path("/", name)
        if folder.is_symlink():
            (top / name).symlink_to(folder.readlink())
        elif folder.is_dir():
            (top / name).mkdir()
            binds.append(f"mount --rbind /{name} {name}")
    start = " && ".join([*binds, 'exec chroot . dash /judge/script "$@"'])
    done = subprocess.run(
        [*namespace(), "sh", "-c", start, "sh", *script.arguments],
        cwd=top,
        env={"PATH": "/stubs:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    calls = (judge / "calls").read_text().splitlines()
    assert "mount" not in done.stderr, done.stderr
    return effects(top, done.returncode, done.stdout, calls)


def in_lab(script: Script, failing: int) -> Effects:
    """Run a script in the shell of the stand-ins."""
    fs, calls, printed = RootFs("/root"), list[str](), list[str]()

    def stub(_context: object, argv: list[str], _stdin: str) -> Result:
        calls.append(" ".join([*argv, *([""] if len(argv) == 1 else [])]))
        return Result(script.answer, "", int(len(calls) == failing))

    async def delay(_seconds: float) -> None:
        return

    fill(fs.top, script)
    tools = {**ORDINARY, **dict.fromkeys(stubs(script.text), stub)}
    shell = Shell(fs, tools, user="root", delay=delay)
    shell.cwd = "/"
    streams = Streams(printed.append, lambda _text: None)
    code = asyncio.run(shell.run_script(script.text, streams, list(script.arguments)))
    found = effects(fs.top, code, "".join(printed), calls)
    fs.close()
    return found


def compare(tmp_path: Path, script: Script, *, failures: bool = False) -> Effects:
    """Compare a run, and with ``failures`` those in which the first call of a tool fails."""
    whole = in_lab(script, 0)
    assert in_dash(tmp_path / "root0", script, 0) == whole
    tools = [call.split()[0] for call in whole.calls]
    for name in dict.fromkeys(tools) if failures else ():
        number = tools.index(name) + 1
        broken = in_lab(script, number)
        assert in_dash(tmp_path / f"root{number}", script, number) == broken, (name, number)
    return whole


def sysfs(text: str) -> dict[str, str]:
    """Return the files of the kernel that a script names, but for every third of them."""
    names = re.findall(r"/(?:sys|proc/sys)/[\w./-]+", text)
    names += [f"/proc/sys/{name}" for name in re.findall(r"kernel_value (\S+)", text)]
    nics = re.findall(r"(?m)^ +remember (\S+)", text)
    named = {name: "1\n" for place, name in enumerate(dict.fromkeys(names)) if place % 3}
    return named | {f"/sys/class/net/{nic}/ifindex": "7\n" for nic in nics}


@pytest.fixture(params=HOSTS, ids=lambda case: case[0])
def programs(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the scripts of a host."""
    folder = "rootfs/etc/rocefab/"
    found = files(case(*request.param))
    return {path.removeprefix(folder): text for path, text in found.items() if path.endswith(".sh")}


def test_apply(programs: dict[str, str], tmp_path: Path) -> None:
    """It sets every NIC, and stops where dash stops when a tool fails."""
    text = programs["apply.sh"]
    assert compare(tmp_path, Script(text, found=sysfs(text)), failures=True).calls


def test_apply_for_one_interface(programs: dict[str, str], tmp_path: Path) -> None:
    """A NIC that it knows, and one that it does not know."""
    text = programs["apply.sh"]
    nics = re.findall(r"(?m)^(\S+)\) ;;$", text)
    for number, nic in enumerate((nics[0].partition("|")[0].strip("'\""), "nobody0")):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = compare(folder, Script(text, [nic], sysfs(text)))
        assert (done.code == 2) is bool(number)


@pytest.mark.parametrize("good", [False, True], ids=["apart", "as set"])
def test_check(programs: dict[str, str], tmp_path: Path, *, good: bool) -> None:
    """It says what is apart, whatever the tools answer."""
    text = programs["check.sh"]
    answer = "\n".join([*re.findall(r'(?m)"([^"$]+)"$', text), "1", ""]) if good else ""
    compare(tmp_path, Script(text, found=sysfs(text) if good else {}, answer=answer), failures=good)


@pytest.fixture(scope="module")
def ways_back(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return every ``undo.sh`` of a first run, and of one that repairs an edit by hand."""
    texts: list[str] = []
    written = shell_driver._undo_script

    def record(folder: str, token: str, steps: Any) -> str:
        text = written(folder, token, steps)
        texts.append(text.replace(token, TOKEN))
        return text

    folder = tmp_path_factory.mktemp("lab")
    project = Project(INVENTORY / "demo")
    options = Options(timer_s=600, verify_s=60.0, poll_s=0.2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shell_driver, "_undo_script", record)
        patch.setenv(PASSWORD_VARIABLE, "lab-only")
        with laboratory(project, folder / "lab") as lab:
            run(project, folder, options)
            edit = ("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "900000")
            lab["su1-rail0"].hand_edit(*edit)
            run(project, folder, options)
    return list(dict.fromkeys(texts))


def run(project: Project, folder: Path, options: Options) -> Applied:
    """Apply what is planned."""
    connections = folder / "lab" / CONNECTIONS
    made = plan(project, connections, Selection(), "rail", lambda *_: None)
    done = apply(made, folder / "state", connections, options, lambda *_: None)
    assert done.ok, done.reasons
    return done


@pytest.mark.parametrize("running", [False, True], ids=["after a boot", "running"])
def test_undo(ways_back: list[str], tmp_path: Path, *, running: bool) -> None:
    """It brings back old files and settings; what fails it writes down, and goes on."""
    assert any("config reload" in text for text in ways_back)
    assert any("config load" in text for text in ways_back)
    assert any("netplan" in text for text in ways_back)
    shortest = {tuple(sorted(stubs(text))): text for text in sorted(ways_back, reverse=True)}
    for number, text in enumerate(shortest.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        kept = re.findall(rf"/var/lib/rocefab/{TOKEN}/[\w.-]+", text)
        named = {path: f"{path}\n" for path in kept if not path.endswith(("1", "failed", "undone"))}
        marks = {f"/run/{TOKEN}": ""} if running else {}
        script = Script(text, found={f"/var/lib/rocefab/{TOKEN}/x": "", **named, **marks})
        assert compare(folder, script, failures=True).calls
