"""Registry, findings, artefacts, units."""

from __future__ import annotations

import hashlib
import importlib
import ipaddress
import pkgutil
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fabric
from fabric.core import errors, units
from fabric.core.artefact import Artefact
from fabric.core.errors import CapacityError, DeviceError, FabricError, InputError
from fabric.core.findings import Finding, Position, Severity, worst
from fabric.core.registry import Registry


def test_a_name_is_registered_once() -> None:
    """The second use is refused and changes nothing."""
    shapes: Registry[str] = Registry("shape")
    assert shapes.add("round")("circle") == "circle"
    with pytest.raises(ValueError) as caught:
        shapes.add("round")("ball")
    assert str(caught.value) == "shape 'round' is registered twice"
    assert shapes["round"] == "circle"


def test_a_registry_is_its_own() -> None:
    """Two of them share nothing; iteration is in the order of the names."""
    shapes: Registry[int] = Registry("shape")
    shapes.add("b")(2)
    shapes.add("a")(1)
    assert list(shapes) == ["a", "b"]
    assert shapes.items() == [("a", 1), ("b", 2)]
    assert len(shapes) == 2
    assert "a" in shapes
    assert "a" not in Registry[int]("other")


def test_one_system_is_found_without_the_others() -> None:
    """A name imports its module alone; who asks for all gets all, whatever came first."""
    code = (
        "import sys\n"
        "from fabric.render import renderers\n"
        "assert 'eos' in renderers and callable(renderers['eos'])\n"
        "print('fabric.systems.junos.render' in sys.modules, 'bogus' in renderers, *renderers)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(fabric.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    first, bogus, *names = done.stdout.split()
    assert (first, bogus) == ("False", "False")
    assert {"cumulus", "eos", "junos", "sonic"} <= set(names)


SLOW_MODULE = """\
import shapes_of_a_test as shared
shared.shapes.add("round")(shared.shape)
shared.begun.set()
shared.release.wait()
shared.shape["half"] = "whole"
"""


def test_a_thread_waits_for_a_module_that_another_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It registers before its end: what it defines further down is not there yet."""
    shapes: Registry[dict[str, str]] = Registry("shape", plugins="shapes")
    begun, release, shape = Event(), Event(), {"half": "read"}
    shared = SimpleNamespace(shapes=shapes, begun=begun, release=release, shape=shape)
    (tmp_path / "slow_shape_of_a_test.py").write_text(SLOW_MODULE)

    def imported(_room: str, _name: str = "") -> None:
        importlib.import_module("slow_shape_of_a_test")

    monkeypatch.setattr("fabric.core.registry.import_plugins", imported)
    monkeypatch.setitem(sys.modules, "shapes_of_a_test", shared)
    monkeypatch.syspath_prepend(str(tmp_path))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: dict(shapes["round"]))
        begun.wait()
        second = pool.submit(lambda: dict(shapes["round"]))
        wait([second], timeout=0.2)
        release.set()
        assert first.result() == second.result() == {"half": "whole"}
    sys.modules.pop("slow_shape_of_a_test")


def test_an_unknown_name_lists_the_known() -> None:
    """In the message."""
    shapes: Registry[int] = Registry("shape")
    with pytest.raises(KeyError) as caught:
        shapes["x"]
    assert caught.value.args == ("unknown shape 'x'; known: none",)
    shapes.add("b")(2)
    shapes.add("a")(1)
    with pytest.raises(KeyError) as caught:
        shapes["x"]
    assert caught.value.args == ("unknown shape 'x'; known: a, b",)


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (Finding("QOS012", Severity.ERROR, "is odd"), "is odd [QOS012]"),
        (Finding("QOS012", Severity.ERROR, "is odd", "mend it"), "is odd; mend it [QOS012]"),
        (
            Finding(
                "TOP003",
                Severity.WARNING,
                "is odd",
                "mend it",
                "fabric.units[1].name",
                Position("inventory/fabric.yaml", 8, 7),
                "leaf1",
                "Ethernet0",
            ),
            (
                "inventory/fabric.yaml:8:7: fabric.units[1].name: leaf1 Ethernet0: is odd; mend it "
                "[TOP003]"
            ),
        ),
        (Finding("A", Severity.INFO, "is odd", device="leaf1"), "leaf1: is odd [A]"),
        (Finding("A", Severity.INFO, "is odd", port="eth1"), "eth1: is odd [A]"),
    ],
)
def test_text_of_findings(finding: Finding, text: str) -> None:
    """``file:line:column: field: device port: what; fix [RULE]``."""
    assert str(finding) == text


def test_severities_are_ordered() -> None:
    """An error is the worst."""
    findings = [Finding("A", severity, "x") for severity in Severity]
    assert worst(findings) is Severity.ERROR
    assert worst(findings[:2]) is Severity.WARNING
    assert worst(()) is None
    assert [severity.word for severity in Severity] == ["info", "warning", "error"]
    assert Position("a", 2) < Position("a", 10) < Position("b")


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../b", "a/..", "..", "a\\b", "..\\x", "a\nb", "a\0b", "."],
)
@pytest.mark.fault(21)
def test_paths_that_leave_the_folder_are_refused(path: str) -> None:
    """Also those that only a file system would find odd."""
    with pytest.raises(ValueError, match="is not a plain relative path"):
        Artefact("leaf1", "sonic", "config_db", path, b"")


def test_an_artefact_knows_its_digest() -> None:
    """SHA-256 of the bytes."""
    built = Artefact("leaf1", "sonic", "config_db", "switches/leaf1/config_db.json", "é".encode())
    assert built.sha256 == hashlib.sha256("é".encode()).hexdigest()
    assert built.text == "é"
    assert not built.executable


@given(st.integers(0, 2**32 - 1))
def test_addresses_are_dotted_quads(address: int) -> None:
    """As Python writes them."""
    assert units.ipv4_text(address) == str(ipaddress.IPv4Address(address))


def test_units() -> None:
    """Worked out by hand."""
    assert units.gbps_to_mbps(400) == 400_000
    assert units.gbps_to_bytes_per_s(8) == 1e9
    assert units.ms_to_s(250) == 0.25
    assert units.s_to_min(90) == 1.5
    assert units.min_to_s(1.5) == 90
    assert [units.dscp_to_traffic_class_byte(dscp) for dscp in (0, 24, 26, 46, 48, 63)] == [
        0,
        96,
        104,
        184,
        192,
        252,
    ]


def test_errors_carry_what_they_are_about() -> None:
    """Findings, or the device."""
    finding = Finding("A", Severity.ERROR, "x")
    assert CapacityError("too small", [finding]).findings == (finding,)
    assert isinstance(CapacityError("x"), InputError)
    error = DeviceError("leaf1", "does not answer")
    assert (str(error), error.device, error.reason) == (
        "leaf1: does not answer",
        "leaf1",
        "does not answer",
    )
    assert isinstance(error, FabricError)


def drawn_tree() -> dict[str, str]:
    """Return the parent of each error as the docstring draws it."""
    parents, above = {}, [""]
    for line in errors.__doc__.splitlines():
        match = re.match(r"((?:│   |    )*)(├── |└── )?(\w+Error)\b", line)
        if match:
            depth = len(match[1]) // 4 + bool(match[2])
            parents[match[3]] = above[depth]
            above[depth + 1 :] = [match[3]]
    return parents


def defined_tree(base: type[Exception], above: str = "") -> dict[str, str]:
    """Return the parent of each error of rocefab, from a base on."""
    parents = {base.__name__: above}
    for kind in base.__subclasses__():
        if kind.__module__.startswith("fabric."):
            parents |= defined_tree(kind, base.__name__)
    return parents


@pytest.mark.filterwarnings("ignore:fabric.lab.lines:FutureWarning")  # modules of before
def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    for module in pkgutil.walk_packages(fabric.__path__, "fabric."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert drawn_tree() == defined_tree(FabricError)
