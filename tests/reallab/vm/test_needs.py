"""Virtual machines without root: what keeps them from running is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reallab.vm import kernel


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without packages and without a kernel."""
    monkeypatch.setattr(kernel.shutil, "which", lambda _: None)
    monkeypatch.setattr(kernel, "CACHE", tmp_path)


@pytest.mark.usefixtures("nothing")
def test_missing_packages_are_named() -> None:
    assert "perftest" in kernel.missing_vm_parts()
    assert "qemu-system-x86" in kernel.missing_vm_parts()


def test_a_missing_kernel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_PROGRAMS", {})
    monkeypatch.setattr(kernel, "CACHE", tmp_path)
    assert kernel.missing_vm_parts() == f"no kernel of Debian is in {tmp_path}"
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "vmlinuz-6.1").touch()
    assert kernel.kernel() is None  # its modules are not there
    modules = tmp_path / "lib" / "modules" / "6.1"
    modules.mkdir(parents=True)
    (modules / "modules.dep").touch()
    assert kernel.missing_vm_parts() == ""


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(
    ("judges", "outcome"), [("", pytest.skip.Exception), ("required", pytest.fail.Exception)]
)
def test_required_judges_fail(
    monkeypatch: pytest.MonkeyPatch, judges: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("ROCEFAB_JUDGES", judges)
    with pytest.raises(outcome, match="no virtual machines: not installed"):
        kernel.require_vm_parts()
