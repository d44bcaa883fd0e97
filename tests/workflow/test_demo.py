"""The demonstration: its scenes fit the examples, and the mixed one plays from end to end."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.platforms import platforms
from fabric.workflow import laboratory
from fabric.workflow.demo import SCENES, demo
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_those_of_their_inventories(name):
    scene = SCENES[name]
    project = Project(example(scene.inventory))
    assert project.devices[scene.edited].platform == "sonic"
    assert scene.unlucky in project.devices
    assert scene.kmax[0] in (example(scene.inventory) / "fabric.yaml").read_text()
    assert project.fabric.intent.fabric.host.gpus == scene.gpus


def test_the_mixed_example_has_every_system():
    """A system that is added belongs into the example."""
    project = Project(example("mixed"))
    leaves = {design.platform for design in project.devices.values() if design.role == "leaf"}
    assert leaves == set(platforms)


def test_all_systems_from_end_to_end(tmp_path):
    reported = []
    demo(tmp_path / "demo", reported.append, SCENES["all"])
    story = "\n".join(reported)
    assert story.count("devices are as planned") == 2
    assert "the second plan is empty" in story
    assert "rolled back automatically: eos-leaf" in story


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
