"""Reading an inventory folder: what is read, what is refused, and where it is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.intent.documents import read_folder

GOOD = {"fabric.yaml": "name: demo\n"}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path, shown_as: str | None = "inv") -> list[str]:
    with pytest.raises(InputError) as caught:
        read_folder(folder, shown_as)
    return [str(finding) for finding in caught.value.findings]


def test_documents_by_kind_sorted_by_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        GOOD
        | {"hosts/b.yaml": "b: 1\n", "hosts/a.yaml": "a: 1\n", "devices/leaf.yaml": "c: 1\n"}
        | {"README.md": "", "hosts/notes.txt": "", ".lint.yaml": "[", "hosts/.x.yaml": "["}
        | {"drawings/a.yaml": "[", "hosts/old/a.yaml": "[", "fabric.yaml.bak": "["},
    )
    folder = read_folder(tmp_path)
    assert folder.fabric.data == {"name": "demo"}
    assert [list(one.data) for one in folder.hosts] == [["a"], ["b"]]
    assert [one.file for one in folder.devices] == [f"{tmp_path}/devices/leaf.yaml"]


def test_only_the_main_file_is_required(tmp_path: Path) -> None:
    folder = read_folder(write(tmp_path, GOOD))
    assert (folder.devices, folder.hosts) == ([], [])


def test_files_are_named_as_the_user_typed_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "inventory" / "demo", GOOD)
    monkeypatch.chdir(tmp_path)
    assert read_folder(Path("inventory/demo/")).fabric.file == "inventory/demo/fabric.yaml"
    assert read_folder(Path("inventory/demo"), "x/").fabric.file == "x/fabric.yaml"
    monkeypatch.chdir(tmp_path / "inventory" / "demo")
    assert read_folder(Path()).fabric.file == "fabric.yaml"
    assert read_folder(Path("../demo")).fabric.file == "../demo/fabric.yaml"


def test_errors_of_all_files_come_together_sorted(tmp_path: Path) -> None:
    write(tmp_path, {"hosts/a.yaml": "x: 0123\n", "fabric.yaml": "a: 1\nb: yes\na: 2\n"})
    with pytest.raises(InputError, match=r"^3 errors in inv$") as caught:
        read_folder(tmp_path, "inv")
    places = [str(finding.position) for finding in caught.value.findings]
    assert places == ["inv/fabric.yaml:2:4", "inv/fabric.yaml:3:1", "inv/hosts/a.yaml:1:4"]


def test_a_missing_folder_may_mean_one_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "mine", {"fabric.yaml": "a: 1\n"})
    (close,) = refused(tmp_path / "mime")
    assert close.endswith(f"no such file or directory; did you mean '{tmp_path}/mine'? [INT001]")


def test_missing_folder_and_missing_main_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == [
        (
            "inv: cannot be read as a folder: no such file or directory;"
            " check the path and its permissions [INT001]"
        )
    ]
    assert refused(tmp_path) == [
        (
            "inv: there is no fabric.yaml in this folder;"
            " name an inventory folder, or create one with `rocefab init` [INT001]"
        )
    ]
    for name in ("b", "a[x"):
        write(tmp_path / "many" / name, GOOD)
    (fix,) = refused(tmp_path / "many")
    assert fix.endswith("in this folder; name an inventory in it: a[x,b [INT001]")
    assert "not a directory" in refused(write(tmp_path, GOOD) / "fabric.yaml")[0]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"fabric.yml": "a: 1\n"}, "inv/fabric.yml: not read; did you mean 'fabric.yaml'?"),
        ({"Fabric.yaml": "a: 1\n"}, "inv/Fabric.yaml: not read; did you mean 'fabric.yaml'?"),
        (GOOD | {"fabrics.yaml": ""}, "inv/fabrics.yaml: not read; remove it"),
        (
            GOOD | {"device/a.yaml": ""},
            "inv/device: the folder is not read; did you mean 'devices/'?",
        ),
        (
            GOOD | {"Hosts/a.yaml": ""},
            "inv/Hosts: the folder is not read; did you mean 'hosts/'?",
        ),
        (GOOD | {"host.yaml": ""}, "inv/host.yaml: not read; did you mean a file in 'hosts/'?"),
        (
            GOOD | {"spare.yml": ""},
            (
                "inv/spare.yml: not read; move it to 'devices/', 'hosts/', 'platforms/' or"
                " 'tenants/', or out of the inventory folder"
            ),
        ),
        (
            GOOD | {"hosts/a.yml": ""},
            "inv/hosts/a.yml: not read; did you mean 'hosts/a.yaml'?",
        ),
        (
            GOOD | {"hosts/A.YAML": ""},
            "inv/hosts/A.YAML: not read; did you mean 'hosts/A.yaml'?",
        ),
    ],
)
def test_what_looks_like_inventory_is_not_passed_over(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    assert refused(write(tmp_path, files)) == [f"{message} [INT018]"]


def test_kind_that_is_a_file(tmp_path: Path) -> None:
    assert refused(write(tmp_path, GOOD | {"hosts": ""})) == [
        (
            "inv/hosts: cannot be read as a folder: not a directory;"
            " check the path and its permissions [INT001]"
        )
    ]


@pytest.mark.fault(21)
def test_no_link_leaves_the_folder(tmp_path: Path) -> None:
    inside = write(tmp_path / "inv", GOOD)
    outside = write(tmp_path / "out", {"a.yaml": "secret: 1\n"})
    (inside / "hosts").symlink_to(outside)
    (inside / "devices").mkdir()
    (inside / "devices" / "a.yaml").symlink_to(outside / "a.yaml")
    assert refused(inside) == [
        (
            "inv/devices/a.yaml: the link points outside the inventory folder;"
            " replace the link with the file [INT011]"
        ),
        (
            "inv/hosts: the link points outside the inventory folder;"
            " replace the link with the folder [INT011]"
        ),
    ]


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", GOOD | {"hosts/a.yaml": "a: 1\n"})
    (tmp_path / "link").symlink_to("real")
    assert len(read_folder(tmp_path / "link").hosts) == 1
