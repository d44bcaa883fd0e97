"""shellcheck judges the scripts that start jobs, and the one in which pods announce themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.core.exports import export, exporters
from fabric.placement.environment import UserValue
from fabric.placement.export import Order
from tests.judges.conftest import missing_judge
from tests.placement.k8s_fabrics import cluster, named, objects
from tests.topology.fabrics import example


def scripts() -> dict[str, str]:
    """Return all scripts by name."""
    users = {"MINE": UserValue("a 'b' $HOME `id`")}
    found = {}
    for form in (
        "environment",
        "openmpi",
        "hydra",
        "deepspeed",
        "jax",
        "torchrun",
        "horovod",
        "taco",
    ):
        mine = {} if form == "deepspeed" else users
        order = Order(example("eight-slash-27"), nodes=2, users=mine)
        for file in export(order, exporters[form], ()).files:
            if file.path.endswith(".sh"):
                found[f"{form}: {file.path}"] = file.text
    job = named(objects(cluster("macvlan"), "pytorchjob", nodes=1), "PyTorchJob")["train"]
    pod = job["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    found["announcement"] = pod["initContainers"][0]["command"][2]
    return found


def test_shellcheck(tmp_path: Path, subtests: pytest.Subtests) -> None:
    program = shutil.which("shellcheck")
    if program is None:
        missing_judge("shellcheck (Debian package shellcheck)")
    assert program is not None
    file = tmp_path / "script.sh"
    # SC2016: the value of the user is meant to stay as it is.
    words = [program, "--shell=sh", "--severity=style", "--exclude=SC2016", str(file)]
    for name, text in scripts().items():
        file.write_text(text)
        with subtests.test(name):
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
            assert (done.returncode, done.stdout + done.stderr) == (0, "")
