"""Data files of models and systems: what is wrong is named with file, line and field."""

from __future__ import annotations

from importlib.resources import files

import pytest

from fabric.core.errors import InputError
from fabric.platforms.catalogue import SkuFile
from fabric.platforms.data_file import lines_of, read_toml
from fabric.platforms.features import COMPARISONS, Limit, SystemFeatures, declared

SKU = files("fabric.systems") / "sonic" / "skus" / "ACS-MSN2700.toml"
FEATURES = files("fabric.systems") / "nxos" / "features.toml"
WRONG_SKU = {
    "a system": ('nos = "sonic"', 'nos = "sonics"', ":2:1: nos: 'sonics' is not a system; known"),
    "an ASIC": (
        'asic = "spectrum-1"',
        'asic = "spectrum-0"',
        ":3:1: asic: unknown ASIC 'spectrum-0'; known",
    ),
    "a count": ("count = 32", "count = 0", ":26:1: ports.count: use more than 0"),
    "a key": ("count = 32", "counts = 32", ":26:1: ports.counts: unknown field"),
    "a pool": (
        "ingress_lossy_bytes = 3302912",
        "spare_bytes = 1",
        ":36:1: pools.spare_bytes: unknown",
    ),
    "a row": (
        "[10000, 5, 49152, 19456, 29696, 0]",
        "[10000, 5]",
        ":7:1: headroom[0]: Tuple should",
    ),
}
WRONG_FEATURES = {
    "a grade": ('grade = "unconfirmed"', 'grade = "sure"', "grade: Input should be 'vendor'"),
    "a rule": ('id = "NXO007"', 'id = "NXO7"', "rules[6].id: String should match pattern"),
    "a limit": ("range = [0, 52_428_800]", "", "rules[6].limits[0]: a limit needs one of step"),
    "a word": ("needs NX-OS 10", "{vale} needs", "limits[0].message: {vale} is not a word of a"),
    "a field": ("range = [0, 52_428_800]", "rage = 1", "rules[6].limits[0].rage: unknown field"),
    "no source": ('[features.pfc]\nsource = "', '[features.pfc]\nsauce = "', "source: the field"),
}


def wrong(file, model, tmp_path, old: str, new: str) -> list[str]:
    text = file.read_text()
    assert old in text
    edited = tmp_path / "edited.toml"
    edited.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_toml(edited, model)
    return [str(finding).removeprefix(str(edited)) for finding in caught.value.findings]


@pytest.mark.parametrize("case", WRONG_SKU)
def test_a_wrong_model_names_line_and_field(case: str, tmp_path) -> None:
    old, new, message = WRONG_SKU[case]
    findings = wrong(SKU, SkuFile, tmp_path, old, new)
    assert any(finding.startswith(message) for finding in findings), findings


@pytest.mark.parametrize("case", WRONG_FEATURES)
def test_wrong_features_name_line_and_field(case: str, tmp_path) -> None:
    old, new, message = WRONG_FEATURES[case]
    findings = wrong(FEATURES, SystemFeatures, tmp_path, old, new)
    (finding,) = [one for one in findings if message in one]
    line = int(finding.split(":")[1])
    text = FEATURES.read_text().replace(old, new, 1).splitlines()[line - 1]
    assert text.startswith((*new.partition("\n")[::2], "[features.pfc]", "[[rules.limits]]"))


def test_lines_of_tables_in_lists() -> None:
    text = "a = 1\n[[r]]\nid = 2\n[[r.l]]\nx = 3\n[[r.l]]\n[[r]]\n[[r.l]]\n'q w' = 5\n"
    assert lines_of(text) == {
        ("a",): 1,
        ("r", 0): 2,
        ("r", 0, "id"): 3,
        ("r", 0, "l", 0): 4,
        ("r", 0, "l", 0, "x"): 5,
        ("r", 0, "l", 1): 6,
        ("r", 1): 7,
        ("r", 1, "l", 0): 8,
        ("r", 1, "l", 0, "q w"): 9,
    }


def test_every_comparison_is_used_and_is_a_field() -> None:
    assert set(COMPARISONS) <= set(Limit.model_fields)
    rows = [limit for one in declared().values() for rule in one.rules for limit in rule.limits]
    unused = {name for name in COMPARISONS if not any(getattr(row, name) for row in rows)}
    assert unused == set()
