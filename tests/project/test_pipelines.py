"""Our own pipelines: pinned, with few rights, and with nothing that the Makefile does not have."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric import __version__
from tests.project.release import run

ROOT = Path(__file__).parents[2]
CI = ROOT / ".github" / "workflows" / "ci.yml"
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
GITLAB = ROOT / ".gitlab-ci.yml"
#: An action of another repository: its commit, and the version that it is.
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
#: Jobs that may do more than read, and what.
RIGHTS = {"index": {"id-token": "write"}, "files": {"contents": "write"}}


def load(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in load(file)["jobs"].values() for step in job.get("steps", [])]


@pytest.mark.parametrize("file", [CI, RELEASE], ids=lambda file: file.name)
def test_actions_are_pinned_by_commit(file: Path) -> None:
    used = [step["uses"] for step in steps(file) if "uses" in step]
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []
    lines = [line for line in file.read_text().splitlines() if "@" in line and "uses:" in line]
    assert all(re.search(r" # v\d+\.\d+\.\d+$", line) for line in lines)


@pytest.mark.parametrize("file", [CI, RELEASE], ids=lambda file: file.name)
def test_rights_are_the_least(file: Path) -> None:
    workflow = load(file)
    assert workflow["permissions"] == {"contents": "read"}
    given = {
        name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job
    }
    assert given == {name: rights for name, rights in RIGHTS.items() if name in workflow["jobs"]}
    checkouts = [step for step in steps(file) if "actions/checkout" in step.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("file", [CI, RELEASE], ids=lambda file: file.name)
def test_no_value_of_a_request_is_part_of_a_script(file: Path) -> None:
    """A branch or a title is data: scripts get it as a variable."""
    assert [step["run"] for step in steps(file) if "${{" in step.get("run", "")] == []
    assert "pull_request_target" not in file.read_text(encoding="utf-8")


def test_nothing_is_published_that_did_not_pass() -> None:
    jobs = load(RELEASE)["jobs"]
    order = ["version", "ci", "index", "files"]
    assert list(jobs) == order
    assert [jobs[name].get("needs") for name in order] == [None, *order[:-1]]
    assert jobs["ci"]["uses"] == "./.github/workflows/ci.yml"
    stages = load(GITLAB)["stages"]
    assert stages == ["test", "package", "release"]


def test_both_run_the_same() -> None:
    github = "\n".join(step["run"] for step in steps(CI) if "run" in step)
    gitlab = load(GITLAB)
    scripts = "\n".join(
        line for job in gitlab.values() if isinstance(job, dict) for line in job.get("script", [])
    )
    for command in (".ci/run", "make release", "make test-python VERSION="):
        assert command in github
        assert command in scripts


def test_every_python_that_is_declared_is_tried() -> None:
    """The classifiers are what both pipelines run; what is tried only may fail."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {
        text.rpartition(" ")[2] for text in project["classifiers"] if "Python :: 3." in text
    }
    github = load(CI)["jobs"]["python"]
    gitlab = load(GITLAB)
    (matrix,) = gitlab["python"]["parallel"]["matrix"]
    assert declared == set(matrix["VERSION"])
    extra = set(github["strategy"]["matrix"]["version"]) - declared
    assert extra == set(gitlab["python-next"]["parallel"]["matrix"][0]["VERSION"]) == {"3.14"}
    assert gitlab["python-next"]["allow_failure"]
    assert "allow_failure" not in gitlab["python"]
    assert github["continue-on-error"] == "${{ matrix.version == '3.14' }}"


def version_step() -> str:
    (step,) = [step for step in load(RELEASE)["jobs"]["version"]["steps"] if "run" in step]
    return step["run"]


@pytest.mark.parametrize("tag", ["v9.9.9", f"v{__version__}.1", "v1"])
def test_a_tag_that_is_not_the_version_publishes_nothing(tag: str) -> None:
    done = run("bash", "-e", "-c", version_step(), cwd=ROOT, env={"GITHUB_REF_NAME": tag})
    assert done.returncode == 1


def test_a_tag_of_the_version_needs_its_part_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / "fabric").mkdir()
    (tmp_path / "fabric/__init__.py").write_text((ROOT / "fabric/__init__.py").read_text())
    changelog = tmp_path / "CHANGELOG.md"
    tag = {"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": f"v{__version__}"}
    for text, code in (("## [Unreleased]\n", 1), (f"## [{__version__}] - 2026-12-01\n", 0)):
        changelog.write_text(text)
        assert run("bash", "-e", "-c", version_step(), cwd=tmp_path, env=tag).returncode == code


def test_the_templates_are_the_same() -> None:
    github = ROOT / ".github" / "pull_request_template.md"
    gitlab = ROOT / ".gitlab" / "merge_request_templates" / "Default.md"
    assert github.read_text(encoding="utf-8") == gitlab.read_text(encoding="utf-8")
