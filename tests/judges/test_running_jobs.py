"""The real slurmctld runs our prolog and epilog: the service knows the jobs that run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from fabric.placement.exporters.slurm import slurm
from tests.cli.runs import ROOT
from tests.judges import test_slurm as slurmctld
from tests.judges.conftest import missing_judge
from tests.serve.servers import served, until
from tests.topology.fabrics import example

SCRIPT = ROOT / "docs" / "slurm" / "running_jobs.sh"
#: No slurmd runs: nodes count as up for so long, and a script of a job need not be sent.
LINES = "SlurmdTimeout=0\nReturnToService=2\n"


@pytest.fixture(autouse=True)
def curl() -> None:
    if shutil.which("curl", path="/usr/bin") is None:
        missing_judge("curl (Debian package curl)")


def _script(folder, url: str):
    path = folder / "running_jobs.sh"
    path.write_text(SCRIPT.read_text().replace("http://127.0.0.1:8780", url))
    path.chmod(0o755)
    return path


def test_jobs_of_slurm_are_jobs_of_the_service(tmp_path, monkeypatch) -> None:
    with served(tmp_path / "state") as client:
        script = _script(tmp_path, f"http://127.0.0.1:{client.base_url.port}")
        lines = f"{LINES}PrologSlurmctld={script}\nEpilogSlurmctld={script}\n"
        monkeypatch.setattr(slurmctld, "CONFIGURATION", slurmctld.CONFIGURATION + lines)
        topology = slurm(example("demo"))
        with slurmctld._controller(tmp_path, "gpu[001-004]", topology) as environment:
            for state in ("state=down", "state=idle"):
                words = ("update", "nodename=gpu[001-004]", state, "reason=test")
                slurmctld._scontrol(environment, *words)
            words = [slurmctld._program("salloc"), "--no-shell", "--nodes=2"]
            done = subprocess.run(
                words, env=environment, capture_output=True, text=True, check=False, timeout=60
            )
            assert done.returncode == 0, done.stderr + slurmctld._log(tmp_path)
            until(lambda: client.get("/v1/jobs").json()["total"] == 1, "the job is known")
            (job,) = client.get("/v1/jobs").json()["items"]
            assert (job["name"], job["hosts"]) == ("slurm-1", "gpu[001-002]")
            subprocess.run([slurmctld._program("scancel"), "1"], env=environment, check=True)
            until(lambda: client.get("/v1/jobs").json()["total"] == 0, "the job has ended")


@pytest.mark.parametrize("context", ["prolog_slurmctld", "epilog_slurmctld", ""])
def test_script_ends_well_where_the_service_is_away(tmp_path, context: str) -> None:
    script = _script(tmp_path, f"http://127.0.0.1:{slurmctld._free_port()}")
    environment = {
        "SLURM_SCRIPT_CONTEXT": context,
        "SLURM_JOB_ID": "1",
        "SLURM_JOB_NODELIST": "gpu001",
    }
    done = subprocess.run([script], env=environment, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stdout) == (0, b"")
