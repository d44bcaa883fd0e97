"""Recipes for CI systems, judged by the schemas and linters of these systems."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judges.conftest import missing_judge
from tests.topology.fabrics import REPOSITORY

BIN = Path(sys.executable).parent


def judged(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
        timeout=120,
    )


SCHEMAS = [
    ("vendor.github-workflows", "docs/ci/github.yml"),
    ("vendor.github-actions", "action.yml"),
    ("vendor.gitlab-ci", "docs/ci/gitlab.yml"),
    ("vendor.github-workflows", ".github/workflows/ci.yml"),
    ("vendor.github-workflows", ".github/workflows/release.yml"),
    ("vendor.gitlab-ci", ".gitlab-ci.yml"),
    ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/fault.yml"),
    ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/wish.yml"),
    ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
]
#: What makes each of them wrong.
WRONG = (
    ("run:", "runs:"),
    ("script:", "stage: []\n  script:"),
    ("attributes:", "attribute:"),
    ("blank_issues_enabled: false", "blank_issues_enabled: perhaps"),
)
WORKFLOWS = ("docs/ci/github.yml", ".github/workflows/ci.yml", ".github/workflows/release.yml")


def schema_says(schema: str, file: Path) -> tuple[int, str]:
    """Return what check-jsonschema says; here, as its start takes seconds."""
    from check_jsonschema import main  # type: ignore[import-untyped]
    from click.testing import CliRunner

    result = CliRunner().invoke(main, ["--builtin-schema", schema, str(file)])
    return result.exit_code, result.output


@pytest.mark.parametrize(("schema", "file"), SCHEMAS)
def test_schema(schema: str, file: str) -> None:
    code, output = schema_says(schema, REPOSITORY / file)
    assert code == 0, output


@pytest.mark.parametrize(("schema", "file"), SCHEMAS)
def test_the_schema_can_say_no(tmp_path: Path, schema: str, file: str) -> None:
    wrong = tmp_path / Path(file).name
    text = (REPOSITORY / file).read_text(encoding="utf-8")
    for right, other in WRONG:
        text = text.replace(right, other)
    wrong.write_text(text)
    assert schema_says(schema, wrong)[0] == 1


def test_actionlint() -> None:
    path = shutil.which("actionlint")
    if path is None:
        missing_judge("actionlint")
    assert path is not None
    result = judged(path, *WORKFLOWS)
    assert result.returncode == 0, result.stdout


def test_hadolint() -> None:
    result = judged(BIN / "hadolint", "Dockerfile")
    assert (result.returncode, result.stdout) == (0, "")


def test_pre_commit_reads_the_hooks(tmp_path: Path) -> None:
    assert judged(BIN / "pre-commit", "validate-manifest", ".pre-commit-hooks.yaml").returncode == 0
    wrong = tmp_path / "hooks.yaml"
    text = (REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    wrong.write_text(text.replace("entry:", "entries:"), encoding="utf-8")
    assert judged(BIN / "pre-commit", "validate-manifest", wrong).returncode == 1
