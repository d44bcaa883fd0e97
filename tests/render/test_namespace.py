"""Files of two fabrics on one host: side by side, whatever the stack and the driver."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from fabric.systems.host.adapters import HostAdapter
from fabric.systems.host.render import render_host
from tests.render.test_hosts import VARIANTS, variant

#: Where `rocefab` stands for the program, not for a file or unit on the host.
_PROGRAM = re.compile(r"by rocefab from|as rocefab set it|that rocefab knows|check of rocefab")
_OWN = re.compile(r"rocefab(-storage\b|/storage/)")


def both(name):
    """Return the files of a host by path, without a namespace and with one."""
    host = variant(name)
    return tuple(
        {
            item.path: item
            for item in render_host(replace(host, namespace=namespace))
            if item.kind != "expected-state"
        }
        for namespace in ("", "storage")
    )


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_no_file_names_one_of_the_other_fabric(name: str) -> None:
    plain, spaced = both(name)
    assert len(plain) == len(spaced)
    assert not plain.keys() & spaced.keys()
    for path, item in spaced.items():
        left = _OWN.sub("", _PROGRAM.sub("", path.partition("rootfs")[2] + item.text))
        assert "rocefab" not in left, (path, left[left.index("rocefab") - 40 :][:80])
    assert [one.kind for one in plain.values()] == [one.kind for one in spaced.values()]
    modes = [[one.executable for one in files.values()] for files in (plain, spaced)]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_a_plan_looks_at_no_file_of_the_other_fabric(name: str) -> None:
    host, adapter = variant(name), HostAdapter()
    plain, spaced = (render_host(replace(host, namespace=one)) for one in ("", "storage"))
    assert not {*adapter.files(plain)} & {*adapter.files(spaced)}
    stacks = [path for path in adapter.files(spaced) if "storage" not in path]
    assert stacks == []


def test_the_expected_state_names_the_namespace() -> None:
    host = replace(variant(next(iter(VARIANTS))), namespace="storage")
    state = next(item for item in render_host(host) if item.kind == "expected-state")
    assert json.loads(state.text)["namespace"] == "storage"
