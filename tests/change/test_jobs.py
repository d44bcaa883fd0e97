"""Jobs as a command of the user lists them: in the plan, and as a gate of a wave."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.change.jobs import FailedJobs, listed, named, on_hosts
from fabric.change.rollout import Stage
from fabric.core.errors import InputError
from fabric.exchange.jobs import parse_jobs

LEAF = Stage("leaf", ("su1-rail0",), hosts="gpu[1-4]")
SPINE = Stage("spine", ("spine01",))
JOBS = {"1": ("gpu1", "gpu2"), "2": ("gpu9",), "3": ("gpu4", "gpu5")}


@pytest.mark.parametrize(
    ("hosts", "expected"), [("gpu[1-4]", ("1", "3")), ("gpu[6-8]", ()), ("", ("1", "2", "3"))]
)
def test_jobs_on_hosts(hosts: str, expected: tuple[str, ...]) -> None:
    assert on_hosts(JOBS, hosts) == expected


def test_few_jobs_are_named_and_many_counted() -> None:
    assert named(["1", "2"]) == "1, 2"
    assert named([str(one) for one in range(1, 9)]) == "1, 2, 3, 4, 5 and 3 more"


#: What `squeue --noheader --format='%i %N'` and `kubectl get pods --no-headers
#: --output=custom-columns=...` print.
LISTS = {
    "squeue": ("4711 gpu[001-002]\n4712 \n", {"4711": ("gpu001", "gpu002")}),
    "kubectl": (
        "train-0   gpu1\ntrain-1   gpu2\ntrain-1   gpu3\n",
        {"train-0": ("gpu1",), "train-1": ("gpu2", "gpu3")},
    ),
    "empty": ("", {}),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_jobs(name: str, tmp_path: Path) -> None:
    text, expected = LISTS[name]
    (tmp_path / "jobs").write_text(text)
    assert listed(["cat", str(tmp_path / "jobs")], 60) == expected


REFUSED = {
    "fails": (("sh", "-c", "echo slurmctld is away >&2; exit 1"), "ended with 1: slurmctld is"),
    "absent": (("no-such-command-here",), "no-such-command-here cannot be run: No such file"),
    "slow": (("sleep", "60"), "the jobs cannot be listed: sleep did not end within 0.2 s"),
    "no list": (("echo", "1 gpu[1-"), "the list of jobs is wrong"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_list_of_jobs(name: str) -> None:
    argv, message = REFUSED[name]
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        listed(argv, 0.2 if name == "slow" else 60)
    assert FailedJobs(argv, 0.2 if name == "slow" else 60).begin(LEAF)


def test_an_escape_code_is_no_name_of_a_job() -> None:
    with pytest.raises(InputError) as caught:
        parse_jobs("\x1b[31m4711 gpu1\n", "squeue")
    assert "unprintable" in caught.value.findings[0].message


def test_a_job_that_fails_on_a_host_of_the_wave_stops_it(tmp_path: Path) -> None:
    file = tmp_path / "failed"
    gate, behind_spine = (FailedJobs(["cat", str(file)], 60) for _ in range(2))
    file.write_text("1 gpu1\n")
    assert gate.begin(LEAF) == []
    assert behind_spine.begin(SPINE) == []
    assert gate.after_change(LEAF) == []
    file.write_text("1 gpu1\n2 gpu9\n")
    assert gate.after_soak(LEAF) == []
    assert behind_spine.after_soak(SPINE) == ["failed since the wave began: 2"]
    file.write_text("1 gpu1\n2 gpu9\n3 gpu[4-5]\n")
    assert gate.after_soak(LEAF) == ["failed since the wave began: 3"]
    file.unlink()
    assert "ended with 1" in gate.after_soak(LEAF)[0]
