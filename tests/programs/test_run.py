"""Programs are started in one way: limits of time and output, and few variables."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import fabric
from fabric.change.gates import called
from fabric.change.jobs import listed
from fabric.core.errors import FabricError, ProgramError
from fabric.lab.real.booted import management
from fabric.lab.real.keeper import batch
from fabric.programs.environment import VARIABLE, command_environment, environment
from fabric.programs.run import MIB, run, start
from fabric.systems.sonic.yang_judge import Yang
from fabric.workflow.revision import Repository
from tests.waiting import until

SECRETS = {
    "ROCEFAB_PASSWORD": "canary-password",
    "ROCEFAB_TOKEN": "canary-token",
    "ROCEFAB_NETBOX_TOKEN": "canary-netbox",
    "PGPASSWORD": "canary-database",
    "SSH_AUTH_SOCK": "/canary-agent",
    "CI_JOB_TOKEN": "canary-job",
    "AWS_SECRET_ACCESS_KEY": "canary-cloud",
    "https_proxy": "http://user:canary-proxy@x",
}


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def sh(text: str, timeout_s: float = 60, **more):
    return run(["sh", "-c", text], timeout_s, **more)


def test_output_and_exit_code() -> None:
    ended = sh("echo out; echo err >&2; exit 7")
    assert (ended.code, ended.text, ended.complaint) == (7, "out\n", "err\n")
    assert run(["printf", "%s", "$HOME; *"], 60).text == "$HOME; *"


def test_signal_as_code() -> None:
    assert sh("kill -9 $$").code == -9


def test_it_reads_what_is_given_and_no_terminal() -> None:
    assert sh("cat").out == b""
    assert sh("cat", given=b"\0\xff").out == b"\0\xff"
    assert sh("cat < /dev/tty").code != 0


def test_much_in_both_directions() -> None:
    given = os.urandom(2 * MIB)
    assert run(["cat"], 60, given=given).out == given


def test_what_is_given_need_not_be_read() -> None:
    assert run(["true"], 60, given=b"x" * MIB).code == 0


def test_its_group_ends_with_its_time(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(ProgramError, match=r"^sh did not end within 0\.5 s$"):
        sh(f"sleep 600 & echo $! $$ > {pids}; wait", 0.5)
    for pid in map(int, pids.read_text().split()):
        until(lambda pid=pid: not running(pid), f"process {pid} is gone")


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("text", ["trap '' TERM INT HUP; sleep 600", "exec >&- 2>&-; sleep 600"])
def test_time_ends_whatever_it_does(text: str) -> None:
    begun_s = time.monotonic()
    with pytest.raises(ProgramError, match="did not end within"):
        sh(text, 0.2)
    assert time.monotonic() - begun_s < 60


@pytest.mark.parametrize("text", ["yes", "yes >&2", "while :; do echo x; echo y >&2; done"])
def test_endless_output_ends(text: str) -> None:
    with pytest.raises(ProgramError, match="^sh printed more than 1 MiB$"):
        sh(text, most_bytes=MIB)


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["no-such-program"], "No such file or directory"),
        (["/"], "Permission denied"),
        (["true", "a\0b"], "embedded null byte"),
    ],
)
def test_what_cannot_be_run(argv: list[str], why: str) -> None:
    with pytest.raises(ProgramError, match=f"^{argv[0]} cannot be run: {why}$"):
        run(argv, 60)
    with pytest.raises(ProgramError, match=why):
        start(argv)


def test_a_background_program_writes_a_log(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        process = start(["sh", "-c", "echo out; echo err >&2; cat"], log)
    assert process.wait(60) == 0
    assert (tmp_path / "log").read_text() == "out\nerr\n"


def test_a_program_sees_what_is_allowed(secrets: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_TIME", "C.UTF-8")
    monkeypatch.setenv("TMPDIR", "/somewhere")
    lines = sh("env").text.splitlines()
    assert {"LC_TIME=C.UTF-8", "TMPDIR=/somewhere"} < {*lines}
    assert "canary" not in "".join(lines)
    assert environment("PGPASSWORD")["PGPASSWORD"] == "canary-database"


def test_no_folder_of_the_path_is_relative(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Otherwise a file of an inventory is taken for git."""
    (tmp_path / "sh").write_text("#!/bin/cat\n")
    (tmp_path / "sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::bin:{os.environ['PATH']}")
    assert sh("echo $PATH").text == f"{environment()['PATH']}\n"
    assert all(folder.startswith("/") for folder in environment()["PATH"].split(":"))


def test_the_user_names_variables_for_commands(
    secrets: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/k")
    monkeypatch.setenv("SLURM_CONF", "/s")
    usual = called(["env"], {}, 60).text
    assert "canary" not in usual
    assert {"KUBECONFIG=/k", "SLURM_CONF=/s"} < {*usual.splitlines()}
    monkeypatch.setenv(VARIABLE, "SSH_AUTH_SOCK, CI_JOB_TOKEN ROCEFAB_PASSWORD ABSENT")
    named = command_environment()
    assert {name: named[name] for name in named if name in SECRETS} == {
        "SSH_AUTH_SOCK": "/canary-agent",
        "CI_JOB_TOKEN": "canary-job",
    }


#: What starts a program, and the program.
STARTERS = {
    "git": lambda folder: Repository(folder).state(),
    "yanglint": lambda folder: Yang(folder, "202311").answer({}),
    "ip": lambda _: batch(["link"]),
    "ssh-keygen": lambda folder: management._make_key(folder / "key", "x"),
    "squeue": lambda _: listed(["squeue"], 60),
}


@pytest.mark.parametrize("program", STARTERS)
def test_no_program_sees_a_secret(
    program: str, secrets: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = tmp_path / "bin", tmp_path / "tree"
    for place in places:
        place.mkdir()
    tool = places[0] / program
    tool.write_text(f"#!/bin/sh\n{{ echo started; /usr/bin/env; }} >> {tmp_path}/seen\nexit 1\n")
    tool.chmod(0o755)
    for inner in ("objects", "refs"):
        (places[1] / ".git" / inner).mkdir(parents=True)
    (places[1] / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (places[1] / "sonic-x.yang").touch()
    monkeypatch.setenv("PATH", str(places[0]))
    with suppress(FabricError):
        STARTERS[program](places[1])
    seen = (tmp_path / "seen").read_text()
    assert seen.startswith("started\n")
    assert "canary" not in seen


_GATE = """
from fabric.change.gates import called
look = "cat /proc/$PPID/environ; cat /proc/$PPID/mem; true"
print(called(["sh", "-c", look], {}, 60).text.count("canary-password"))
"""
#: Root reads all of /proc by capabilities that other users do not have.
_AS_OTHERS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "prctl"), reason="needs prctl of Linux")
def test_a_gate_does_not_read_the_password_of_its_parent(secrets: None) -> None:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("root without setpriv (Debian: util-linux) reads all of /proc")
    words = _AS_OTHERS if os.geteuid() == 0 else []
    ended = run([*words, sys.executable, "-c", _GATE], 60, variables={**os.environ})
    assert (ended.text, ended.code) == ("0\n", 0), ended.complaint


#: Ways to start a program beside the module ``subprocess``, which lint-imports looks after.
OTHERS = re.compile(
    r"\bos\.(system|popen|fork|exec[lv]|spawn|posix_spawn)|\bsubprocess_(exec|shell)\b"
    r"|\bcreate_subprocess|\bpty\.|\bwebbrowser\b|^from (os|pty|asyncio) import",
    re.MULTILINE,
)


def test_no_other_module_starts_programs() -> None:
    examples = "os.execvp(x)", "loop.subprocess_exec(x)", "x = 1\nfrom os import system"
    assert all(OTHERS.search(text) for text in examples)
    folder = Path(fabric.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    found = {str(path): match[0] for path, text in texts.items() if (match := OTHERS.search(text))}
    assert found == {}
