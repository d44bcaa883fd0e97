"""Folders of sites: which fabrics there are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.intent.site import fabric_folders, is_site, load_beside, load_site, own_name

EXAMPLE = Path(__file__).parents[2] / "inventory" / "site"
TEXT = (EXAMPLE / "fabrics" / "storage" / "fabric.yaml").read_text(encoding="utf-8")


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path, load=load_beside) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(folder)
    return [str(finding).replace(str(folder), "site") for finding in caught.value.findings]


def test_a_fabric_is_loaded_with_those_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE.parents[1])
    result = load_beside(Path("inventory/site/fabrics/storage"))
    assert list(result) == ["compute", "storage"]
    files = [intent.document.file for intent in result.values()]
    assert files == [f"inventory/site/fabrics/{name}/fabric.yaml" for name in result]
    assert list(load_site(Path("inventory/site"))) == list(result)


@pytest.mark.parametrize(
    ("cwd", "named", "other"),
    [
        ("fabrics/storage", ".", "../../fabrics/compute/fabric.yaml"),
        ("fabrics", "storage", "../fabrics/compute/fabric.yaml"),
        ("fabrics/compute", "../storage", "../../fabrics/compute/fabric.yaml"),
    ],
)
def test_wherever_one_stands(monkeypatch, cwd: str, named: str, other: str) -> None:
    monkeypatch.chdir(EXAMPLE / cwd)
    result = load_beside(Path(named))
    assert own_name(Path(named)) == "storage"
    assert result["compute"].document.file == other
    assert Path(other).is_file()


def test_a_folder_elsewhere_stands_alone(tmp_path: Path) -> None:
    folder = write(tmp_path / "storage", {"fabric.yaml": TEXT})
    write(tmp_path / "compute", {"fabric.yaml": "nonsense"})
    assert list(load_beside(folder)) == ["storage"]


def test_a_site_is_no_inventory() -> None:
    assert is_site(EXAMPLE)
    assert not is_site(EXAMPLE / "fabrics" / "compute")
    (line,) = refused(EXAMPLE)
    assert line == (
        "site: this is a site with several fabrics; one fabric is required; specify one of "
        "site/fabrics/compute, site/fabrics/storage [INT032]"
    )


def test_errors_of_all_fabrics_come_together(tmp_path: Path) -> None:
    wrong = {f"fabrics/{name}/fabric.yaml": TEXT + "nonsense: 1\n" for name in ("a", "b")}
    write(tmp_path, {**wrong, "fabrics/c/fabric.yaml": TEXT, "fabrics/d/hosts/a.yaml": "a: 1\n"})
    lines = refused(tmp_path, load_site)
    places = [line.partition(":")[0] for line in lines]
    assert places == [
        *(f"site/fabrics/{name}/fabric.yaml" for name in ("a", "b")),
        "site/fabrics/d",
    ]
    beside = refused(tmp_path / "fabrics" / "c")
    assert [line.rpartition("[")[2] for line in beside] == [x.rpartition("[")[2] for x in lines]


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (
            {"fabrics/a.yaml": TEXT, "fabrics/a/fabric.yaml": TEXT},
            (
                "site/fabrics/a.yaml: not read; "
                "move it to the folder of a fabric, or out of the site [INT018]"
            ),
        ),
        (
            {"fabrics/.keep": ""},
            "site/fabrics: the site has no fabric; add a folder with fabric.yaml [INT032]",
        ),
        (
            {"fabric.yaml": TEXT, "fabrics/a/fabric.yaml": TEXT},
            (
                "site/fabrics: the folder is not read; "
                "move fabric.yaml and its files to fabrics/NAME/ [INT018]"
            ),
        ),
    ],
)
def test_what_is_out_of_place(tmp_path: Path, files: dict[str, str], line: str) -> None:
    write(tmp_path, files)
    assert refused(tmp_path, load_site if "fabric.yaml" not in files else load_beside) == [line]


def test_a_link_leads_not_out_of_the_site(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", {"fabric.yaml": TEXT})
    site = write(tmp_path / "site", {"fabrics/a/fabric.yaml": TEXT})
    (site / "fabrics" / "b").symlink_to(tmp_path / "elsewhere")
    (line,) = refused(site, load_site)
    assert "fabrics/b: the link points outside the site folder" in line


def test_names_in_order_and_hidden_folders_left_out(tmp_path: Path) -> None:
    files = {f"fabrics/{name}/fabric.yaml": TEXT for name in ("b", "a", ".git")}
    assert list(fabric_folders(write(tmp_path, files))) == ["a", "b"]
