"""diff names the jobs that run on hosts that a change touches."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.runs import DEMO, run

JOBS = """\
# squeue --noheader --format='%i %N'
4711 gpu[001-002]
4712
4713 gpu003,cpu[1-9]
4714 cpu[1-9]
"""


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """A longer cable for every host: four hosts get other files."""
    folder = shutil.copytree(DEMO, tmp_path / "demo")
    file = folder / "fabric.yaml"
    text = file.read_text()
    assert "host_m: 5," in text
    file.write_text(text.replace("host_m: 5,", "host_m: 40,"))
    return folder


def test_jobs_on_hosts_that_change(after: Path, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.txt"
    jobs.write_text(JOBS)
    ended = run("diff", DEMO, after, "--jobs", jobs)
    assert ended.code == 0
    assert "jobs: 2 jobs on these hosts" in ended.out
    assert "4713  10     gpu003" in ended.out
    assert "jobs.txt: 9 hosts of jobs not in the inventory, such as 'cpu1'" in ended.err
    result = json.loads(run("diff", DEMO, after, "--jobs", jobs, "--format", "json").out)
    assert result["jobs"] == [
        {"name": "4711", "touched": ["gpu001", "gpu002"], "hosts": 2},
        {"name": "4713", "touched": ["gpu003"], "hosts": 10},
    ]
    markdown = run("diff", DEMO, after, "--jobs", jobs, "--format", "markdown").out
    assert "| 4711 | 2 |" in markdown


def test_nothing_changes_for_any_job(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.txt"
    jobs.write_text(JOBS)
    assert run("diff", DEMO, DEMO, "--jobs", jobs).out.endswith("Nothing differs.\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"4711 gpu[001-\n4712 gpu[9-1]\n", "jobs.txt:2:1: "),
        (b"\xff\xfe", "jobs.txt:1:1: not UTF-8 text; name a list of jobs"),
        (None, "jobs.txt: cannot be read: no such file"),
        (b"4711 gpx[001-002]\n", "'gpx001' is not a host of the inventory; print the jobs with"),
        (b"4711 gpu[1-9999999]\n", "expands to more than"),
    ],
)
def test_a_wrong_list_is_rejected(
    after: Path, tmp_path: Path, content: bytes | None, words: str
) -> None:
    jobs = tmp_path / "jobs.txt"
    if content is not None:
        jobs.write_bytes(content)
    ended = run("diff", DEMO, after, "--jobs", jobs)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
