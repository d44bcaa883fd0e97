"""The image: built where a builder is, and its promises held without one.

A namespace of mounts has what the image has: the locked dependencies, a file system that is
read-only except for ``/state`` and ``/tmp``, a user without rights, and no shell.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.release import AWAY, ROOT, clone, environment, run, uv

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
BUILDERS = ("podman", "buildah", "docker")
USER = "10001"
#: Makes a place as the image has it, and runs rocefab there. Python may be below a home folder that
#: only its owner can enter: that folder is replaced, with Python in its place.
INSIDE = r"""
set -eu
python=$1 user=$2; shift 2
mount --make-rprivate /
case "$python" in /root/*)
    mount --bind "$python" /mnt
    mount -t tmpfs -o mode=755 none /root
    mkdir -p "$python"
    mount --move /mnt "$python";;
esac
mount -t tmpfs -o mode=1777 none /tmp
mount -t tmpfs -o "mode=700,uid=$user" none /mnt
for place in / /root /dev/shm /run /var/lib; do
    mountpoint -q "$place" && mount -o remount,bind,ro "$place"
done
for shell in /bin/sh /bin/dash /bin/bash /usr/bin/sh /usr/bin/dash /usr/bin/bash; do
    [ ! -f "$shell" ] || mount --bind /dev/null "$shell"
done
exec setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --no-new-privs "$@"
"""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a clone in whose ``dist/`` is what the image is made of."""
    checkout = clone(tmp_path_factory.mktemp("image") / "rocefab")
    done = run(uv(), "build", "--quiet", "--wheel", cwd=checkout, env=environment())
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip("hatchling cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stderr
    words = ("export", "--quiet", "--frozen", "--no-dev", "--all-extras", "--no-emit-project")
    done = run(uv(), *words, "--output-file", "dist/requirements.txt", cwd=checkout)
    assert done.returncode == 0, done.stderr
    return checkout / "dist"


def test_the_context_is_what_is_copied() -> None:
    """Nothing but the release goes to the builder: no history, no environment, no secret."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    (copied,) = re.findall(r"^COPY (dist.*) /dist/$", DOCKERFILE, re.MULTILINE)
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines[1:]} == set(copied.split())


def test_nobody_is_root_in_it() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\S+)$", last, re.MULTILINE) == [USER]
    assert re.findall(r"^ENTRYPOINT (.+)$", last, re.MULTILINE) == ['["rocefab"]']
    assert f"--owner={USER} --mode=0700 /state" in last


@pytest.mark.slow
def test_it_is_built(dist: Path) -> None:
    builder = next((path for name in BUILDERS if (path := shutil.which(name))), None)
    if builder is None:
        pytest.skip(f"no builder is installed: {', '.join(BUILDERS)}")
    done = run(builder, "build", "--tag", "rocefab-test", ".", cwd=dist.parent, timeout=600)
    if done.returncode and ("daemon" in done.stderr or AWAY.search(done.stderr)):
        pytest.skip(f"{builder} has no daemon, or python:3.12-slim is out of reach")
    assert done.returncode == 0, done.stderr
    if Path(builder).name != "buildah":
        words = ("run", "--rm", "--read-only", "--cap-drop", "ALL", "rocefab-test", "--version")
        assert run(builder, *words).stdout.startswith("rocefab ")


@pytest.fixture(scope="module")
def image(dist: Path) -> Iterator[Path]:
    """Install what the image installs, where a user without rights can read it."""
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("a namespace of mounts needs root and util-linux")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="rocefab-image-") as folder:
        Path(folder).chmod(0o755)
        venv = Path(folder) / "venv"
        assert run(uv(), "venv", "--quiet", "--python", sys.executable, venv).returncode == 0
        pip = (uv(), "pip", "install", "--quiet", "--python", venv)
        words = ("--require-hashes", "--requirement", dist / "requirements.txt")
        done = run(*pip, *words, env=environment(UV_COMPILE_BYTECODE="1"))  # as the image does
        if done.returncode and AWAY.search(done.stderr):
            pytest.skip("dependencies cannot be fetched: the package index is out of reach")
        assert done.returncode == 0, done.stderr
        (wheel,) = dist.glob("*.whl")
        done = run(*pip, "--no-deps", "--offline", wheel)
        assert done.returncode == 0, done.stderr
        shutil.copytree(ROOT / "inventory" / "demo", Path(folder) / "work" / "inventory")
        yield Path(folder)


def inside(image: Path, *words: str, program: str = "rocefab"):
    """Run a program as the image does; ``/mnt`` is its ``/state``."""
    variables = dict(re.findall(r"^(?:ENV|   ) (\w+)=(\S+)", DOCKERFILE, re.MULTILINE))
    state = {name: value.replace("/state", "/mnt") for name, value in variables.items()}
    return run(
        *("unshare", "--mount", "bash", "-c", INSIDE, "inside", sys.base_prefix, USER),
        *(image / "venv" / "bin" / program, *words),
        cwd=image / "work",
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **state},
        timeout=240,
    )


@pytest.mark.slow
def test_the_place_is_what_it_says(image: Path) -> None:
    """Otherwise the tests below would hold anywhere."""
    code = "import os, subprocess; print(os.getuid(), flush=True); subprocess.run(['sh', '-c', ''])"
    done = inside(image, "-c", code, program="python")
    assert done.stdout.strip() == USER
    assert "PermissionError" in done.stderr
    done = inside(image, "-c", f"open('{image}/x', 'w')", program="python")
    assert "Read-only file system" in done.stderr


@pytest.mark.slow
def test_it_needs_no_root_no_shell_and_no_place_to_write(image: Path) -> None:
    done = inside(image, "check", "inventory")
    assert done.returncode == 0, done.stderr
    done = inside(image, "serve", "inventory", "--check", "--state", "/mnt/service")
    assert done.returncode == 0, done.stderr
    done = inside(image, "render", "inventory", "--out", "out")
    assert done.returncode == 2
    assert "read-only" in done.stderr.lower(), done.stderr


@pytest.mark.slow
def test_a_change_runs_in_it(image: Path) -> None:
    """The demo: plans, applies, rolls back and places, with its journal in the state folder."""
    done = inside(image, "demo", "--out", "/mnt/demo")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "rolled back automatically" in done.stdout
