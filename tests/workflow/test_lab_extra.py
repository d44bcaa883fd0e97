"""The lab is an extra: without its libraries a command says how to get them, and makes nothing."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.workflow import laboratory
from fabric.workflow.demo import demo
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY


@pytest.mark.parametrize(("finder", "name"), [("find_spec", "asyncssh"), ("shfmt", "shfmt")])
def test_demo_and_lab_name_the_extra(tmp_path, monkeypatch, finder, name):
    monkeypatch.setattr(laboratory, finder, lambda *_: None)
    with pytest.raises(InputError, match=rf"needs {name}; .*pip install 'rocefab\[lab\]'"):
        demo(tmp_path / "demo", print)
    with (
        pytest.raises(InputError, match=r"pip install 'rocefab\[lab\]'"),
        laboratory.laboratory(Project(INVENTORY / "demo"), tmp_path / "lab"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
