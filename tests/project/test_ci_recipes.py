"""The steps of the CI recipes, run as their systems run them, over a good and a bad change."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.cli.config import PROJECT_FILE
from fabric.intent.cabling import CSV_FILE, DOT_FILE
from fabric.intent.documents import DEFECTS_FOLDER, KINDS, MAIN_FILE
from tests.repository import git

REPOSITORY = Path(__file__).parents[2]
CI = REPOSITORY / "docs" / "ci"
#: Steps that need the service of the CI system itself.
OUTSIDE = {"Install", "Comment", "Summary"}
GOOD = ("kmin_bytes: 150000", "kmin_bytes: 160000")
RISKY = ("kmin_bytes: 150000", "kmin_bytes: 300000")
BAD = ("kmin_bytes: 150000", "kmin_bytes: 1600000")
#: Not even valid.
BROKEN = ("pfc_priority: 3", "pfc_priority: 9")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a clone of a repository with the demo inventory on main, and a branch on top."""
    origin = tmp_path / "origin"
    (origin / "inventory").mkdir(parents=True)
    shutil.copy(REPOSITORY / "inventory" / "demo" / "fabric.yaml", origin / "inventory")
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "--message=the fabric")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    git(clone, "checkout", "--quiet", "-b", "change")
    return clone


def change(folder: Path, old: str, new: str, name: str = "inventory") -> None:
    file = folder / name / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    git(folder, "commit", "--quiet", "--all", "--message=a change")


def shell(folder: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script as the runners do: `bash -e`, with rocefab on the path."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "INVENTORY": "inventory", **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def github(folder: Path, steps: list[dict[str, Any]], **variables: str) -> dict[str, int]:
    """Run the steps of a job as GitHub does: after a failure only those with `always()`."""
    variables |= {"GITHUB_OUTPUT": str(folder / "outputs")}
    names = {step["id"]: step["name"] for step in steps if "id" in step}
    codes: dict[str, int] = {}
    for step in steps:
        condition = str(step.get("if", ""))
        if "run" not in step or step["name"] in OUTSIDE:
            continue
        if any(codes.values()) and "always()" not in condition:
            continue
        needed = re.findall(r"steps\.(\w+)\.outcome == 'success'", condition)
        if any(codes.get(names[one]) != 0 for one in needed):
            continue
        codes[step["name"]] = shell(folder, step["run"], **variables).returncode
    return codes


@pytest.mark.parametrize(("edit", "passes"), [(GOOD, True), (BAD, False)])
def test_github(repository: Path, edit: tuple[str, str], *, passes: bool) -> None:
    change(repository, *edit)
    jobs = yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))["jobs"]
    codes = github(repository, jobs["check"]["steps"], GITHUB_BASE_REF="main")
    log = json.loads((repository / "check.sarif").read_text(encoding="utf-8"))
    levels = {result["level"] for result in log["runs"][0]["results"]}
    assert ("error" in levels) is not passes
    assert not (repository / "outputs").exists()
    if passes:
        assert codes == dict.fromkeys(("Check", "SARIF", "Difference", "Prove", "Render"), 0)
        assert (repository / "out" / "manifest.json").exists()
    else:
        assert codes == {"Check": 4, "SARIF": 0, "Difference": 4}
    assert "kmin" in (repository / "diff.md").read_text(encoding="utf-8")


def test_github_keeps_the_files_of_a_risky_request(repository: Path) -> None:
    change(repository, *RISKY)
    jobs = yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))["jobs"]
    codes = github(repository, jobs["check"]["steps"], GITHUB_BASE_REF="main")
    assert codes == {"Check": 0, "SARIF": 0, "Difference": 4, "Prove": 0, "Render": 0}
    assert (repository / "out" / "manifest.json").exists()


def test_every_job_installs_the_tool_first() -> None:
    """From a wheel or a path: no package index has it yet."""
    jobs = yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))["jobs"]
    for name, job in jobs.items():
        scripts = [step["run"] for step in job["steps"] if "run" in step]
        assert " @ $ROCEFAB" in scripts[0], name
        assert any("rocefab " in script for script in scripts[1:]), name
    for recipe in ("gitlab.yml", "Jenkinsfile"):
        assert " @ $ROCEFAB" in (CI / recipe).read_text(encoding="utf-8")


@pytest.mark.parametrize(("edit", "passes"), [(GOOD, True), (BAD, False)])
def test_the_action(repository: Path, edit: tuple[str, str], *, passes: bool) -> None:
    change(repository, *edit)
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    codes = github(repository, action["runs"]["steps"], SARIF="found.sarif", FAIL_ON="error")
    expected = {"SARIF": 0, "Check": 0, "Prove": 0} if passes else {"SARIF": 0, "Check": 4}
    assert codes == expected


def test_gitlab_runs_every_job_for_a_merge_request() -> None:
    """A job without rules runs there only because the pipeline has rules."""
    recipe = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8"))
    conditions = [rule["if"] for rule in recipe["workflow"]["rules"]]
    assert '$CI_PIPELINE_SOURCE == "merge_request_event"' in conditions
    assert "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" in conditions
    jobs = {name: job for name, job in recipe.items() if "script" in job}
    assert {name for name, job in jobs.items() if "rules" in job} == {"difference", "plan"}
    assert jobs["plan"]["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "schedule"'}]
    assert jobs["difference"]["rules"] == [{"if": "$CI_MERGE_REQUEST_DIFF_BASE_SHA"}]


def gitlab_job(name: str) -> str:
    lines = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8"))[name]["script"]
    return "\n".join(line for line in lines if "--batfish" not in line)


def test_images_have_what_diff_runs() -> None:
    """The slim images of Python have no git."""
    install = "apt-get install .*no-install-recommends git$"
    recipe = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8"))
    assert recipe["image"].endswith("-slim")
    assert "rocefab diff" in gitlab_job("difference")
    assert re.search(install, "\n".join(recipe[".rocefab"]["before_script"]), re.MULTILINE)
    last = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").rpartition("\nFROM ")[2]
    assert re.search(install, last.replace(" \\\n", "\n"), re.MULTILINE)


@pytest.mark.parametrize(("edit", "passes"), [(GOOD, True), (BAD, False)])
def test_gitlab(repository: Path, edit: tuple[str, str], *, passes: bool) -> None:
    change(repository, *edit)
    checked = shell(repository, gitlab_job("check"))
    assert checked.returncode == (0 if passes else 4), checked.stderr
    issues = json.loads((repository / "quality.json").read_text(encoding="utf-8"))
    assert any(issue["severity"] == "critical" for issue in issues) is not passes
    assert (repository / "junit.xml").read_text(encoding="utf-8").startswith("<?xml")
    base = git(repository, "rev-parse", "origin/main")
    difference = shell(repository, gitlab_job("difference"), CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert difference.returncode == (0 if passes else 4), difference.stderr
    assert "kmin" in (repository / "diff.md").read_text(encoding="utf-8")
    assert "<html" in (repository / "diff.html").read_text(encoding="utf-8")
    if passes:
        assert shell(repository, gitlab_job("prove")).returncode == 0


def test_an_inventory_that_is_not_valid_is_said_in_every_report(repository: Path) -> None:
    change(repository, *BROKEN)
    reason = "fabric.lossless.pfc_priority"
    jobs = yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))["jobs"]
    codes = github(repository, jobs["check"]["steps"], GITHUB_BASE_REF="main")
    assert codes == {"Check": 2, "SARIF": 0, "Difference": 2}
    assert (repository / "outputs").read_text(encoding="utf-8") == "unread=true\n"
    assert shell(repository, gitlab_job("check")).returncode == 2
    base = git(repository, "rev-parse", "origin/main")
    job = shell(repository, gitlab_job("difference"), CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert job.returncode == 2
    for name in ("check.sarif", "quality.json", "junit.xml", "diff.md", "diff.html"):
        text = (repository / name).read_text(encoding="utf-8").replace("\\", "")
        assert reason in text, name


@pytest.mark.parametrize(("edit", "code"), [(GOOD, 0), (BAD, 4)])
def test_several_inventories(repository: Path, edit: tuple[str, str], code: int) -> None:
    """The loop of the page: the worst exit code, and a comment that GitHub takes."""
    page = (CI / "README.md").read_text(encoding="utf-8")
    [loop] = re.findall(r"```sh\n(worst=0\n.*?)```", page, re.DOTALL)
    shutil.copytree(repository / "inventory", repository / "inventories" / "east")
    git(repository, "add", "inventories")
    git(repository, "commit", "--quiet", "--message=east")
    git(repository, "push", "--quiet", "origin", "HEAD:refs/heads/base")
    change(repository, *edit, name="inventories/east")
    loop = loop.replace("origin/main", "origin/base")
    done = shell(repository, loop)
    assert done.returncode == code, done.stderr
    text = (repository / "diff.md").read_text(encoding="utf-8")
    assert "kmin" in text
    assert re.search(r"</details>\n(?!\n)", text) is None  # Markdown after it would be HTML
    (repository / "all.md").write_text("<details>\n" + "| row |\n" * 20_000, encoding="utf-8")
    assert shell(repository, loop).returncode == code
    comment = (repository / "diff.md").read_text(encoding="utf-8")
    assert len(comment) < 65_536
    assert comment.endswith("| row |\n\n</details>\n\n_Cut to the size of a comment._\n")


@pytest.mark.parametrize(
    ("edit", "code"), [(GOOD, 0), (("spines: {count: 2", "spines: {count: 1"), 1)]
)
def test_new_warnings(repository: Path, edit: tuple[str, str], code: int) -> None:
    """The demo has warnings of its own; one spine is another."""
    page = (CI / "README.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^rocefab diff main~1\.\.main .*$", page, re.MULTILINE)
    change(repository, *edit)
    line = line.replace("main~1..main inventory/demo", "origin/main..HEAD inventory")
    assert shell(repository, line).returncode == code


@pytest.mark.parametrize(("nodes", "code"), [(4, 0), (5, 1)])
def test_a_job_without_a_place_is_below_every_bandwidth(
    repository: Path, nodes: int, code: int
) -> None:
    """The demo has four hosts; the error in JSON has no rate, and is no fault of the line."""
    page = (CI / "README.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^rocefab place .*$", page, re.MULTILINE)
    state = {"format": "rocefab-state/1", "conditions": {}}
    (repository / "state.json").write_text(json.dumps(state), encoding="utf-8")
    line = line.replace("inventory/demo --nodes 4", f"inventory --nodes {nodes}")
    done = shell(repository, line)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_gitlab_applies_the_change_to_the_lab(repository: Path) -> None:
    change(repository, *GOOD)
    done = shell(repository, f"trap 'kill %1' EXIT\n{gitlab_job('lab')}")
    assert done.returncode == 0, done.stdout + done.stderr


#: Files in folders of an inventory that are no YAML: a table of a model, a fact about a defect.
IN_FOLDERS = {"platforms": "headroom.ini", DEFECTS_FOLDER: "mine.toml"}


def test_the_hooks_run_for_every_file_of_an_inventory() -> None:
    folders = [f"{kind}/{IN_FOLDERS.get(kind, 'x.yaml')}" for kind in (*KINDS, DEFECTS_FOLDER)]
    files = [MAIN_FILE, CSV_FILE, DOT_FILE, PROJECT_FILE, *folders]
    for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        missed = [
            path
            for name in files
            for path in (name, f"net/fabrics/a/{name}")
            if not re.search(hook["files"], path)
        ]
        assert missed == [], hook["id"]
        assert not re.search(hook["files"], "README.md")


def test_the_hooks_run(repository: Path) -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for hook in hooks:
        assert shell(repository, f"{hook['entry']} inventory").returncode == 0
    change(repository, *BAD)
    assert shell(repository, f"{hooks[0]['entry']} inventory").returncode == 4
