"""demo: the main job from end to end on the embedded lab, told in plain steps."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import FabricError
from fabric.devices.connections import PASSWORD_VARIABLE
from fabric.lab.faults import Fault
from fabric.placement.job import JobRequest
from fabric.workflow.apply import Options, apply
from fabric.workflow.check import check, report
from fabric.workflow.init import example
from fabric.workflow.laboratory import CONNECTIONS, PASSWORD, check_installed, laboratory
from fabric.workflow.place import place
from fabric.workflow.plan import Selection, plan
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.render import render
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.change.apply import Result
    from fabric.lab.lab import Lab

#: The lab answers at once; a real fabric gets the defaults of `rocefab apply`.
_OPTIONS = Options(timer_s=120, verify_s=15.0, poll_s=0.2)
_EVERYTHING = Selection()


@dataclass(frozen=True)
class Scene:
    """Where the story plays.

    Parameters
    ----------
    cast : str
        What stands there, in words.
    edited : str
        SONiC switch that somebody changes by hand.
    unlucky : str
        Switch that reboots before its change is confirmed.
    kmax : tuple of str
        Threshold in the inventory, and what it is lowered to.
    """

    inventory: str
    cast: str
    edited: str
    unlucky: str
    kmax: tuple[str, str]
    gpus: int


SCENES = {
    "default": Scene(
        "demo",
        "4 SONiC leaves, 2 EOS spines, 4 hosts",
        edited="su1-rail0",
        unlucky="su2-rail1",
        kmax=("kmax_bytes: 1500000", "kmax_bytes: 1200000"),
        gpus=2,
    ),
    "all": Scene(
        "mixed",
        "one leaf per system, an EOS and a SONiC spine, one host per leaf",
        edited="sonic-leaf",
        unlucky="eos-leaf",
        kmax=("kmax_bytes: 3000000", "kmax_bytes: 2500000"),
        gpus=1,
    ),
}


@dataclass
class _Story:
    """Tells what happens, with the time since the start."""

    say: Callable[[str], None]
    scene: Scene
    folder: Path
    started: float
    step: int = 0

    @property
    def connections(self) -> Path:
        return self.folder / "lab" / CONNECTIONS

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def headline(self, text: str) -> None:
        self.step += 1
        self.say(f"\n[{time.monotonic() - self.started:4.1f} s] {self.step}. {text}")

    def line(self, text: str) -> None:
        self.say(f"    {text}")

    def progress(self, device: str, text: str) -> None:
        self.line(f"{device}: {text}" if device else text)


def demo(folder: Path, say: Callable[[str], None], scene: Scene = SCENES["default"]) -> None:
    """Run the demonstration; everything it makes lies in ``folder``.

    Raises
    ------
    FabricError
        When the libraries of the lab are not installed, or a step does not end as the story says.
    """
    check_installed()
    inventory = folder / "inventory"
    shutil.copytree(example(scene.inventory), inventory)
    story = _Story(say, scene, folder, time.monotonic())
    project = Project(inventory)
    _check_and_render(story, project)
    story.headline("Start a lab on this machine, with a stand-in for every device")
    with laboratory(project, folder / "lab") as lab:
        os.environ[PASSWORD_VARIABLE] = (folder / "lab" / PASSWORD).read_text().strip()
        story.line(f"{counted(len(lab.names()), 'device')}, factory defaults: {story.connections}")
        _bring_up(story, project)
        _hand_edit(story, project, lab)
        _failing_leaf(story, lab)
    _place(story, project)
    story.headline("Next steps")
    story.line(f"inventory   {inventory}/fabric.yaml")
    story.line(f"rendered    {folder}/out (manifest.json names every file)")
    command = "rocefab" if shutil.which("rocefab") else sys.argv[0]
    story.line(f"journal     {command} status --state {folder}/state")
    story.line(f"own fabric  {command} init my-fabric; {command} check my-fabric")


def _check_and_render(story: _Story, project: Project) -> None:
    story.headline(f"Check the inventory: {story.scene.cast}")
    for line in report(check(project), "text", Path(project.intent.folder)).splitlines()[-1:]:
        story.line(line)
    story.headline("Render the configuration of every switch and host")
    files = render(project, story.folder / "out")
    story.line(f"{counted(len(files), 'file')} in {story.folder / 'out'}")


def _bring_up(story: _Story, project: Project) -> None:
    story.headline("Plan: read every device and compare")
    first_plan = plan(project, story.connections, _EVERYTHING, "rail", _silent)
    for line in describe(first_plan).partition("\n\n")[0].splitlines():
        story.line(line)
    (story.folder / "plan.json").write_text(first_plan.to_json())
    story.headline("Apply in waves: commit with a timer, verify, confirm, save")
    result = apply(first_plan, story.state, story.connections, _OPTIONS, story.progress)
    _must(result.ok, "expected the run to succeed", *result.reasons)
    story.headline("Verify: BGP, LLDP, PFC, ECN, running and saved configuration")
    _must_be_healthy(project, story)
    again = plan(project, story.connections, _EVERYTHING, "rail", _silent)
    _must(again.empty, "expected the second plan to be empty")
    story.line("the second plan is empty")


def _hand_edit(story: _Story, project: Project, lab: Lab) -> None:
    edited = story.scene.edited
    story.headline(f"Someone changes one QoS value by hand on {edited}; drift finds it")
    lab[edited].hand_edit("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "900000")
    drifts = [
        item for item in drift(project, story.connections, _EVERYTHING, _silent) if not item.ok
    ]
    _must(bool(drifts), "expected drift to find the change")
    for item in drifts:
        for setting in item.settings:
            story.line(f"{item.device}: {setting}")
    repair = plan(project, story.connections, _EVERYTHING, "rail", _silent)
    result = apply(repair, story.state, story.connections, _OPTIONS, story.progress)
    _must(result.ok, "expected the repair to succeed", *result.reasons)


def _failing_leaf(story: _Story, lab: Lab) -> None:
    unlucky = story.scene.unlucky
    story.headline(f"Lower Kmax in the inventory; {unlucky} reboots before it is confirmed")
    file = story.folder / "inventory" / "fabric.yaml"
    old = file.read_text()
    file.write_text(old.replace(*story.scene.kmax))
    changed = Project(story.folder / "inventory")
    change = plan(changed, story.connections, _EVERYTHING, "rail", _silent)
    lab[unlucky].faults.add(Fault("reboot", pattern="show ip bgp summary", nth=2, seconds=1.0))
    result = apply(change, story.state, story.connections, _OPTIONS, story.progress)
    _must(not result.ok, "expected the run to stop")
    _tell(story, result)
    story.headline("Roll back the rest of that run")
    file.write_text(old)
    taken = rollback(result.run, story.state, story.connections, story.progress)
    _must(taken.ok, "expected the rollback to succeed", *taken.reasons)
    project = Project(story.folder / "inventory")
    _must_be_healthy(project, story)


def _tell(story: _Story, result: Result) -> None:
    for reason in result.reasons:
        story.line(f"stopped: {reason}")
    story.line(f"rolled back automatically: {', '.join(result.rolled_back)}")
    story.line(f"confirmed earlier and kept: {', '.join(result.confirmed)}")


def _place(story: _Story, project: Project) -> None:
    gpus = story.scene.gpus
    each = "a GPU" if gpus == 1 else f"{gpus} GPUs"
    story.headline(f"Place a job of {4 * gpus} ranks: 4 hosts with {each} each")
    job = place(project, JobRequest(nodes=4, gpus_per_node=gpus))
    story.line(f"{job['hostlist']}: {job['reason']}")
    for name in ("NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "NCCL_IB_TC"):
        story.line(f"{name}={job['environment'][name]}  {job['environment_reasons'][name]}")


def _must_be_healthy(project: Project, story: _Story) -> None:
    wait_s = _OPTIONS.verify_s
    health = verify(project, story.connections, _EVERYTHING, _silent, wait_s=wait_s)
    for item in health:
        for problem in (*item.deviations, *item.settings, *([item.error] if item.error else [])):
            story.line(f"not as planned: {item.device}: {problem}")
    _must(all(item.ok for item in health), "expected every device to be as planned")
    story.line(f"all {counted(len(health), 'device is', 'devices are')} as planned")


def _must(fine: bool, message: str, *reasons: str) -> None:  # noqa: FBT001 - reads like a sentence
    if not fine:
        raise FabricError("; ".join((message, *reasons)))


def _silent(device: str, text: str) -> None:
    """Say nothing: the story tells the result."""
