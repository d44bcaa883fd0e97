"""The wheel: it holds what it needs, and works elsewhere; a foreign `fabric` over it is refused."""

from __future__ import annotations

import base64
import hashlib
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from fabric import __version__
from tests.project.release import AWAY, ROOT, environment, run, uv

#: Packages come from the index: no part of the quick tests.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy, so that nothing is left in the repository."""
    folder = tmp_path_factory.mktemp("dist")
    program = uv()
    done = run(program, "build", "--wheel", "--quiet", "--out-dir", folder, cwd=ROOT)
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip("hatchling cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel and the versions of the lock into an environment; return its bin."""
    folder = tmp_path_factory.mktemp("elsewhere")
    program, venv = uv(), folder / "venv"
    assert run(program, "venv", "--quiet", "--python", sys.executable, venv).returncode == 0
    install(venv, wheel=wheel)
    return venv / "bin"


def install(venv: Path, *options: str, wheel: Path | None = None) -> None:
    """Install the versions of the lock, and the wheel."""
    locked = run(
        *(uv(), "export", "--frozen", "--no-dev", "--no-emit-project", "--no-hashes", *options),
        cwd=ROOT,
    )
    assert locked.returncode == 0, locked.stderr
    file = venv.parent / "locked.txt"
    file.write_text(locked.stdout)
    what = ["-r", file, *([wheel] if wheel else [])]
    done = run(uv(), "pip", "install", "--quiet", "--python", venv, *what)
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip("dependencies cannot be fetched: the package index is out of reach")
    assert done.returncode == 0, done.stderr


def test_it_holds_what_it_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder, target in (("templates", "fabric/_templates"), ("inventory", "fabric/_inventory")):
        ours = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        assert ours
        assert {f"{target}/{path.relative_to(ROOT / folder)}" for path in ours} <= set(names)
    assert {"rocefab_launcher.py", "fabric/py.typed", "fabric/workflow/start.yaml"} <= set(names)
    tops = {name.split("/")[0] for name in names}
    assert tops == {"fabric", "rocefab_launcher.py", f"rocefab-{__version__}.dist-info"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_works_from_another_folder(installed: Path, tmp_path: Path) -> None:
    """With the libraries of the lab from its extra, and without them for everything else."""
    rocefab = installed / "rocefab"
    common = {"cwd": tmp_path, "env": environment(), "timeout": 180}
    done = run(rocefab, "demo", "--out", tmp_path / "demo", **common)
    assert (done.returncode, (tmp_path / "demo").exists()) == (2, False), done.stderr
    assert "pip install 'rocefab[lab]'" in done.stderr
    install(installed.parent, "--extra", "lab")
    done = run(rocefab, "demo", "--out", tmp_path / "demo", **common)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "drift" in done.stdout
    assert "rolled back" in done.stdout
    for words in (("init", "mine"), ("check", "mine"), ("render", "mine", "--out", "out")):
        done = run(rocefab, *words, **common)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_a_foreign_fabric_installed_over_it_is_refused(installed: Path, tmp_path: Path) -> None:
    """Install another distribution called fabric into a copy of the environment."""
    venv = tmp_path / "venv"
    assert run(uv(), "venv", "--quiet", "--python", sys.executable, venv).returncode == 0
    packages = next((installed.parent / "lib").glob("python*/site-packages"))
    target = next((venv / "lib").glob("python*/site-packages"))
    for name in ("fabric", f"rocefab-{__version__}.dist-info"):
        shutil.copytree(packages / name, target / name)
    shutil.copy(packages / "rocefab_launcher.py", target)
    foreign = fake_fabric(tmp_path)
    done = run(
        uv(), "pip", "install", "--quiet", "--offline", "--no-deps", "--python", venv, foreign
    )
    assert done.returncode == 0, done.stderr
    done = run(
        venv / "bin" / "python", "-m", "rocefab_launcher", "check", cwd=tmp_path, env=environment()
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not rocefab's; it belongs to fabric." in done.stderr


def fake_fabric(folder: Path) -> Path:
    """Return a wheel of a distribution called fabric."""
    info = "fabric-99.0.dist-info"
    files = {
        "fabric/__init__.py": "class Connection: ...\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: fabric\nVersion: 99.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={_digest(text)},{len(text.encode())}\n" for name, text in files.items()
    )
    path = folder / "fabric-99.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(name, text)
    return path


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
