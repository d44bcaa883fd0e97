"""The launcher: it starts rocefab, or says why it cannot, whoever owns the package `fabric`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOREIGN = {
    "another package": "class Connection: ...\n",
    "another that claims a name": "DISTRIBUTION = 'fabric'\n",
    "another that fails": "import invoke_that_is_not_there\n",
    "another that fails in its own way": "raise RuntimeError('no display')\n",
}


def site(folder: Path, init: str) -> Path:
    """Return a folder like site-packages in which the other distribution replaced our package."""
    shutil.copy(ROOT / "rocefab_launcher.py", folder)
    package = folder / "fabric"
    package.mkdir()
    (package / "__init__.py").write_text(init)
    for name, files in {
        "rocefab-0.1.0": "rocefab_launcher.py\nfabric/__init__.py\n",
        "fabric-3.2.2": "fabric/__init__.py\n",
    }.items():
        info = folder / f"{name}.dist-info"
        info.mkdir()
        distribution, _, version = name.partition("-")
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        )
        (info / "RECORD").write_text(
            "".join(f"{file},,\n" for file in [*files.split(), f"{name}.dist-info/METADATA"])
        )
        (info / "top_level.txt").write_text("fabric\n")
    return folder


def start(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-S", "-m", "rocefab_launcher", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("case", FOREIGN)
def test_a_foreign_package_is_refused(tmp_path: Path, case: str) -> None:
    done = start(site(tmp_path, FOREIGN[case]), "check")
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first == (
        "rocefab: the Python package 'fabric' in this environment is not rocefab's; "
        "it belongs to fabric."
    )
    assert "environment of its own" in second


def test_without_any_package(tmp_path: Path) -> None:
    shutil.copy(ROOT / "rocefab_launcher.py", tmp_path)
    done = start(tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_ours_is_started() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rocefab_launcher", "--version"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rocefab ")


def test_a_mistake_of_ours_is_not_blamed_on_others(tmp_path: Path) -> None:
    """A dependency that is missing is not another distribution's doing."""
    folder = site(tmp_path, 'DISTRIBUTION = "rocefab"\n')
    (folder / "fabric" / "cli.py").write_text("import a_dependency_that_is_missing\n")
    done = start(folder)
    assert done.returncode != 0
    assert "a_dependency_that_is_missing" in done.stderr
    assert "belongs to" not in done.stderr
