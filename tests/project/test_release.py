"""A release: the same bytes from the same commit, installable anywhere, and what is in it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.project.release import AWAY, BIN, ROOT, clone, commit, environment, run, uv

#: Packages come from the index: no part of the quick tests.
pytestmark = pytest.mark.slow
#: Of a commit: 2026-11-01.
EPOCH = "1793491200"


def build(checkout: Path, out: Path, *options: str) -> Path:
    done = run(
        *(uv(), "build", "--quiet", "--out-dir", out, *options),
        cwd=checkout,
        env=environment(SOURCE_DATE_EPOCH=EPOCH),
    )
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip("hatchling cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stderr
    return out


def digests(folder: Path) -> dict[str, str]:
    files = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone(tmp_path_factory.mktemp("one") / "rocefab")


@pytest.fixture(scope="module")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and the wheel from the sdist."""
    return build(checkout, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def test_two_builds_have_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """In another folder, by someone with another umask, at another time."""
    before = os.umask(0o077)
    try:
        other = clone(tmp_path / "another" / "folder")
        again = build(other, tmp_path / "dist")
    finally:
        os.umask(before)
    assert len(digests(built)) == 2
    assert digests(again) == digests(built)


def test_the_checkout_builds_the_wheel_of_the_sdist(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    direct = build(checkout, tmp_path, "--wheel")
    assert digests(direct) == {wheel.name: digests(wheel.parent)[wheel.name]}


def test_the_commit_is_in_it(checkout: Path, built: Path, wheel: Path, tmp_path: Path) -> None:
    expected = f'COMMIT = "{commit(checkout)}"'
    assert expected in zipfile.ZipFile(wheel).read("fabric/_build.py").decode().splitlines()
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        (member,) = [name for name in archive.getnames() if name.endswith("fabric/_build.py")]
        assert expected in archive.extractfile(member).read().decode()
    assert not (ROOT / "fabric" / "_build.py").exists()


def test_a_change_that_is_not_committed_shows(tmp_path: Path) -> None:
    edited = clone(tmp_path / "edited")
    with (edited / "README.md").open("a") as file:
        file.write("More.\n")
    (path,) = build(edited, tmp_path / "dist", "--wheel").glob("*.whl")
    assert f'"{commit(edited)}-dirty"' in zipfile.ZipFile(path).read("fabric/_build.py").decode()


def test_a_copy_without_history_has_no_commit(tmp_path: Path) -> None:
    copy = clone(tmp_path / "copy")
    shutil.rmtree(copy / ".git")
    (path,) = build(copy, tmp_path / "dist", "--wheel").glob("*.whl")
    assert "fabric/_build.py" not in zipfile.ZipFile(path).namelist()


def test_the_package_index_would_take_it(built: Path, wheel: Path) -> None:
    done = run(BIN / "twine", "check", "--strict", *digests(built), cwd=built)
    assert done.returncode == 0, done.stdout
    done = run(BIN / "check-wheel-contents", wheel, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def runtime() -> list[str]:
    """Return the names of all dependencies of a release, with those of all extras."""
    words = ("export", "--frozen", "--no-dev", "--all-extras", "--no-emit-project", "--no-hashes")
    done = run(uv(), *words, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return re.findall(r"^([\w.-]+)==", done.stdout, re.MULTILINE)


def licences(*options: str):
    """Judge the licences of all dependencies by the list in pyproject.toml, or by options."""
    return run(BIN / "pip-licenses", "--packages", *runtime(), *options, cwd=ROOT)


def test_dependencies_have_allowed_licences() -> None:
    done = licences()
    assert done.returncode == 0, done.stderr
    assert {"numpy", "netmiko", "asyncssh"} <= {row.split()[0] for row in done.stdout.splitlines()}


def test_another_licence_is_refused() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    allowed = tomllib.loads(text)["tool"]["pip-licenses"]["allow-only"].split(";")
    done = licences("--allow-only", ";".join(name for name in allowed if "LGPL-2.1" not in name))
    assert done.returncode == 1
    assert "paramiko" in done.stderr


def test_every_allowed_licence_is_used() -> None:
    """A licence that no dependency has any more leaves the list."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    allowed = tomllib.loads(text)["tool"]["pip-licenses"]["allow-only"].split(";")
    rows = json.loads(licences("--format", "json").stdout)
    used = {name for row in rows for name in row["License"].split("; ")}
    assert set(allowed) <= used


def test_make_release(checkout: Path) -> None:
    """The target itself, in a clone: what it leaves in dist/, and the bill of materials."""
    done = run(
        *("make", "--old-file", ROOT / ".venv/.ready", "release", f"VENV={ROOT / '.venv'}"),
        f"UV={uv()}",
        cwd=checkout,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    dist = checkout / "dist"
    sums = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=dist)
    assert sums.returncode == 0, sums.stderr
    assert len(sums.stdout.splitlines()) == 5
    check_materials(json.loads((dist / "rocefab.cdx.json").read_text(encoding="utf-8")))
    assert "| paramiko " in (dist / "licences.md").read_text(encoding="utf-8")
    assert "--hash=sha256:" in (dist / "requirements.txt").read_text(encoding="utf-8")


def check_materials(document: dict) -> None:
    """Judge a bill of materials by the schema of CycloneDX, and by what it must name."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(document)) is None
    assert validator.validate_str(json.dumps({**document, "bomFormat": "other"})) is not None
    assert document["metadata"]["component"]["name"] == "rocefab"
    components = {part["name"]: part for part in document["components"]}
    assert {"numpy", "netmiko", "asyncssh", "fastapi"} <= set(components)
    assert not {"pytest", "mypy", "twine"} & set(components)
    assert all(part["version"] and part["purl"] for part in components.values())


def test_uv_runs_the_wheel_without_installing_it(wheel: Path, tmp_path: Path) -> None:
    words = ("tool", "run", "--isolated", "--python", sys.executable, "--from", f"{wheel}[lab]")
    demo(tmp_path, uv(), *words, "rocefab")


def test_pip_installs_it(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    done = run(sys.executable, "-m", "venv", venv)
    assert done.returncode == 0, done.stderr
    done = run(
        venv / "bin/pip", "install", "--quiet", "--no-compile", f"{wheel}[lab]", env=environment()
    )
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip("dependencies cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stderr
    demo(tmp_path, venv / "bin/rocefab")


def demo(folder: Path, *rocefab: object) -> None:
    """Run the demo from an empty folder."""
    empty = folder / "empty"
    empty.mkdir()
    done = run(*rocefab, "demo", cwd=empty, env=environment(), timeout=240)
    if done.returncode and AWAY.search(done.stderr) and "demo" not in done.stdout:
        pytest.skip("dependencies cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "rolled back automatically" in done.stdout
