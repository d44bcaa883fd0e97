"""Damaged configurations are rejected or judged, and never a crash."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.workflow.audit import audit
from tests.cases import examples
from tests.prove.fabrics import example
from tests.prove.test_damage import FILES, PIECES

#: Lines about what is judged; the others are most of a file.
WORDS = re.compile(
    r"^.*(pfc|pause|qos|queue|dscp|ecn|wred|drop|mtu|arp|mac|class|traffic|roce|lossless|buffer"
    r"|sched|watch|port|interface|policy|profile).*$",
    re.MULTILINE | re.IGNORECASE,
)


@pytest.mark.parametrize("system", FILES)
@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_no_crash(system: str, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is put in, taken out or replaced."""
    _, texts = example("mixed")
    text = texts[f"{system}-leaf"][FILES[system]]
    for _ in range(data.draw(st.integers(1, 4))):
        line = data.draw(st.sampled_from(list(WORDS.finditer(text)) or [re.match("", text)]))
        assert line
        start = data.draw(st.integers(line.start(), line.end()))
        stop = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[stop:]
    file = tmp_path / "switch.cfg"
    file.write_text(text, encoding="utf-8")
    try:
        audited = audit([file], system)
    except InputError as error:
        assert error.findings
        return
    lines = text.count("\n") + 1
    assert all(item.position.line <= lines for item in audited.outcome.findings if item.position)
