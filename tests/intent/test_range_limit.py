"""Ranges that are too many together are rejected before they are expanded."""

from __future__ import annotations

import time

import pytest

from fabric.core.errors import InputError
from fabric.intent import range_limit
from fabric.intent.inventory import load
from fabric.workflow.init import example


def _copy(folder, units):
    text = (example("demo") / "fabric.yaml").read_text()
    head, _, rest = text.partition("units:\n")
    lines = rest.splitlines(keepends=True)
    (folder / "fabric.yaml").write_text(head + "units:\n" + units + "".join(lines[2:]))
    return folder


def _units(count, hosts):
    return "".join(
        f"  - {{name: su{number}, hosts: 'su{number}x[1-{hosts}]'}}\n" for number in range(count)
    )


def test_a_range_of_ports_says_that_there_are_none(tmp_path):
    """Names of devices may be ranges, so people try it with their ports."""
    (_copy(tmp_path, _units(1, 4)) / "devices").mkdir()
    entry = "{names: su1-rail0, ports: {'Ethernet[160-252]': {enabled: false}}}"
    (tmp_path / "devices" / "x.yaml").write_text(f"devices:\n  - {entry}\n")
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert "one entry for each port, without ranges" in str(caught.value.findings[0].fix)


def test_many_units_are_rejected_early(tmp_path):
    """A thousand units of 9,999 hosts: ten million names, each of which would be checked."""
    folder = _copy(tmp_path, _units(1000, 9999))
    began_s = time.monotonic()
    with pytest.raises(InputError) as raised:
        load(folder)
    assert time.monotonic() - began_s < 5
    [finding] = raised.value.findings
    assert (finding.rule, finding.field) == ("INT043", "fabric.units[400].hosts")
    assert finding.message == (
        "up to here, the ranges of the inventory have 4,009,599 names; at most 4,000,000 are "
        "allowed"
    )
    assert finding.position.line > 400


def test_ranges_of_all_files_count(tmp_path, monkeypatch):
    monkeypatch.setattr(range_limit, "MOST_NAMES", 5)
    folder = _copy(tmp_path, _units(2, 2))
    assert load(folder)
    (folder / "hosts").mkdir()
    (folder / "hosts" / "own.yaml").write_text("hosts: [{names: 'su0x[1-2]', gpus: 2}]\n")
    with pytest.raises(InputError) as raised:
        load(folder)
    [finding] = raised.value.findings
    assert str(finding).startswith(f"{folder}/hosts/own.yaml:1:10: hosts[0].names: up to here")


def test_one_range_that_is_too_long_has_its_own_error(tmp_path):
    with pytest.raises(InputError) as raised:
        load(_copy(tmp_path, _units(1, 9_999_999)))
    assert "INT043" not in {finding.rule for finding in raised.value.findings}
