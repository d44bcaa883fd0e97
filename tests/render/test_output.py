"""The output folder is replaced as a whole, and never what is not ours."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.artefact import Artefact
from fabric.core.errors import OutputFolderError, RenderError
from fabric.render import inspection, output, replacing
from fabric.render.changes import Changes
from fabric.render.files import put
from fabric.render.index import Index, Known
from fabric.render.inspection import inspect
from fabric.render.manifest import MANIFEST, manifest_text, written
from fabric.render.output import write

if TYPE_CHECKING:
    from collections.abc import Callable


def _artefact(path: str, text: str, *, executable: bool = False) -> Artefact:
    return Artefact("leaf1", "sonic", "config_db", path, text.encode(), executable)


OLD = [_artefact("switches/a/x.json", "old a"), _artefact("switches/b/x.json", "old b")]
NEW = [_artefact("switches/a/x.json", "new a"), _artefact("hosts/h/apply", "go", executable=True)]


def _tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != output.MANIFEST
    }


def _texts(artefacts: list[Artefact]) -> dict[str, str]:
    return {artefact.path: artefact.text for artefact in artefacts}


@pytest.fixture(params=[10_000, 1], ids=["exchanged", "one by one"], autouse=True)
def _many_files(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test both ways in which files take the place of others."""
    monkeypatch.setattr(output, "MANY_FILES", request.param)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a folder that an earlier run wrote."""
    write(OLD, tmp_path / "out")
    return tmp_path / "out"


def test_files_manifest_and_modes(tmp_path: Path) -> None:
    """Content, order and modes, whatever the umask."""
    mask = os.umask(0o077)
    try:
        write(reversed(NEW), tmp_path / "deep" / "out", manifest_extra={"fabric": "f"})
    finally:
        os.umask(mask)
    manifest = tmp_path / "deep" / "out" / MANIFEST
    assert _tree(manifest.parent) == _texts(NEW)
    document = json.loads(manifest.read_bytes())
    assert document["fabric"] == "f"
    assert [row["path"] for row in document["artefacts"]] == ["hosts/h/apply", "switches/a/x.json"]
    assert document["artefacts"][0] == {
        "device": "leaf1",
        "platform": "sonic",
        "kind": "config_db",
        "path": "hosts/h/apply",
        "sha256": NEW[1].sha256,
        "bytes": 2,
    }
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in manifest.parent.rglob("*")}
    assert modes["apply"] == modes["h"] == modes["switches"] == 0o755
    assert modes["x.json"] == modes["manifest.json"] == 0o644
    assert stat.S_IMODE(manifest.parent.stat().st_mode) == 0o755


def test_the_new_design_replaces_the_old(out: Path) -> None:
    """Files that vanished from the design vanish, and nothing is left beside the folder."""
    states = write(NEW, out)
    assert {states[item.path] for item in OLD if item.path not in _texts(NEW)} == {"removed"}
    assert {states[item.path] for item in NEW} <= {"added", "changed", "unchanged"}
    assert _tree(out) == _texts(NEW)
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_an_equal_run_touches_nothing(out: Path) -> None:
    """The folder itself stays."""
    before = out.stat().st_ino
    assert set(write(OLD, out).values()) == {"unchanged"}
    assert out.stat().st_ino == before


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("notes.txt", r"1 file\(s\) were not written by rocefab: notes.txt"),
        ("switches/a/x.json", r"1 file\(s\) were modified after rocefab wrote them: switches/a/x"),
    ],
)
def test_what_is_not_ours_is_refused(out: Path, name: str, complaint: str) -> None:
    """A foreign file and a changed one, named, with a way out."""
    (out / name).write_text("mine", encoding="utf-8")
    before = _tree(out)
    with pytest.raises(OutputFolderError, match=complaint + r".*--force"):
        write(NEW, out)
    assert _tree(out) == before


def test_force_keeps_what_is_foreign_and_replaces_what_is_ours(out: Path) -> None:
    """Force does not mean to delete a stranger's work."""
    (out / "switches/a/x.json").write_text("changed", encoding="utf-8")
    (out / "hosts").mkdir()
    (out / "hosts" / "notes.txt").write_text("mine", encoding="utf-8")
    write(NEW, out, force=True)
    assert _tree(out) == {**_texts(NEW), "hosts/notes.txt": "mine"}
    with pytest.raises(OutputFolderError, match="hosts/notes.txt"):
        write(NEW, out)


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """No manifest, or one that is not ours, vouches for nothing."""
    for text in ("", "[]", '{"artefacts": [{"path": 1}]}', "\x00"):
        (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
        with pytest.raises(OutputFolderError, match="manifest.json"):
            write(NEW, tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """And not replaced."""
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    with pytest.raises(OutputFolderError, match="is not a folder"):
        write(NEW, tmp_path / "out", force=True)


def test_links_lead_nowhere(out: Path, tmp_path: Path) -> None:
    """The folder must not be a link, and a link inside it is never written through."""
    outside = tmp_path / "outside"
    (outside / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(OutputFolderError, match="symbolic link"):
        write(NEW, tmp_path / "link", force=True)
    (out / "hosts").symlink_to(outside)
    with pytest.raises(OutputFolderError, match="hosts"):
        write(NEW, out)
    write(NEW, out, force=True)
    assert not (out / "hosts").is_symlink()
    assert _tree(out) == _texts(NEW)
    assert [path.name for path in outside.iterdir()] == ["a"]


def test_a_file_replaced_by_a_link_counts_as_changed(out: Path, tmp_path: Path) -> None:
    """Even when it leads to the same bytes."""
    twin = tmp_path / "twin"
    twin.write_text("old a", encoding="utf-8")
    (out / "switches/a/x.json").unlink()
    (out / "switches/a/x.json").symlink_to(twin)
    with pytest.raises(OutputFolderError, match="were modified"):
        write(NEW, out)
    write(NEW, out, force=True)
    assert twin.read_text(encoding="utf-8") == "old a"


@pytest.mark.parametrize(
    "step",
    [
        *("output.put", "output.write_file"),
        *("replacing.keep", "replacing.swap", "replacing._exchange"),
    ],
)
def test_a_crash_leaves_the_old_files(
    out: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whatever breaks before the exchange, the old folder is whole and the next run works."""

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "MANY_FILES", 10_000)
    with monkeypatch.context() as broken:
        broken.setattr(f"fabric.render.{step}", crash)
        with pytest.raises(KeyboardInterrupt):
            write(NEW, out)
    assert _tree(out) == _texts(OLD)
    write(NEW, out)
    assert _tree(out) == _texts(NEW)


@pytest.mark.parametrize("files", range(3))
def test_a_crash_between_files_is_completed_by_the_next_run(
    out: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """New files that did not reach the folder stand beside it, and are moved first of all."""
    monkeypatch.setattr(output, "MANY_FILES", 1)
    real, moved = Path.replace, []

    def crash(path: Path, target: Path) -> Path:
        if len(moved) == files:
            raise KeyboardInterrupt
        moved.append(path)
        return real(path, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            write(NEW, out)
    assert sorted(path.name for path in out.parent.iterdir()) == [".out.rocefab-new", "out"]
    assert set(write(NEW, out).values()) == {"unchanged"}
    assert _tree(out) == _texts(NEW)
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_folder_becomes_a_file_and_back(out: Path) -> None:
    flat = [_artefact("switches", "one file")]
    for artefacts in (flat, OLD, flat):
        write(artefacts, out)
        assert _tree(out) == _texts(artefacts)


def test_the_manifest_is_plain_json() -> None:
    odd = _artefact('switches/ö "quoted"/x', "text")
    for artefacts in ([], [odd], [odd, *OLD]):
        files = [written(artefact) for artefact in artefacts]
        text = manifest_text(files, {"fabric": "f"})
        assert text == json.dumps(json.loads(text), indent=2).encode() + b"\n"
        assert len(json.loads(text)["artefacts"]) == len(files)


def _index(out: Path) -> Index:
    files = [written(artefact) for artefact in OLD]
    return Index.of(out, files, {"a": "1", "b": "2"}, Known())


@pytest.fixture
def indexed(out: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Index]:
    """Return a folder with its index, whose files are old enough; reading one is an error."""
    for path in (out, *out.rglob("*")):
        os.utime(path, ns=(1, 1))
    index = _index(out)
    return out, Index.from_bytes(index.to_bytes())


def test_files_of_the_index_are_not_read(
    indexed: tuple[Path, Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, index = indexed
    whole = inspect(out)
    monkeypatch.setattr(inspection, "_digest", None)
    monkeypatch.setattr(inspection, "digests_of", None)
    assert inspect(out, index) == whole
    assert whole.is_intact


@pytest.mark.parametrize(
    "harm",
    [
        lambda out: (out / OLD[0].path).write_text("new a"),  # as long as the old text
        lambda out: (out / "switches/a/more").write_text("mine"),
        lambda out: (out / "mine").mkdir() or (out / "mine" / "file").write_text("mine"),
        lambda out: (out / "switches/a").rename(out / "switches/c"),
    ],
)
def test_the_index_hides_no_change(
    indexed: tuple[Path, Index], harm: Callable[[Path], object]
) -> None:
    out, index = indexed
    harm(out)
    with pytest.raises(OutputFolderError) as by_index:
        inspect(out, index)
    with pytest.raises(OutputFolderError) as read:
        inspect(out)
    assert str(by_index.value) == str(read.value)
    assert inspect(out, index, force=True) == inspect(out, force=True)


def test_what_is_gone_is_seen(indexed: tuple[Path, Index]) -> None:
    out, index = indexed
    (out / OLD[0].path).unlink()
    assert inspect(out, index) == inspect(out)
    assert [*inspect(out, index).intact] == [OLD[1].path]


@pytest.mark.parametrize(
    ("age_ns", "is_read"),
    [
        *((50_000_001, True), (200_000_001, False)),
        *((1_000_000_000, True), (3_000_000_000, False)),  # of a clock of whole seconds
    ],
)
def test_a_young_file_is_read(out: Path, age_ns: int, is_read: bool) -> None:
    """Its text may have changed within the same tick of the clock."""
    index = _index(out)
    file, taken_ns = out / OLD[0].path, 1_700_000_000_000_000_000
    states = [(*state[:2], taken_ns - age_ns, *state[3:]) for state in index.states]
    index = replace(index, taken_ns=taken_ns, states=states)
    file.write_text("new a")
    for path in (file, out / OLD[1].path):
        os.utime(path, ns=(1, taken_ns - age_ns))
    if is_read:
        with pytest.raises(OutputFolderError, match="modified"):
            inspect(out, index)
    else:
        assert inspect(out, index).is_intact


def test_another_run_makes_an_index_void(indexed: tuple[Path, Index]) -> None:
    out, index = indexed
    write(NEW, out)
    assert inspect(out, index) == inspect(out)


def test_without_exchange_two_renames_do_it(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without renameat2."""

    def absent(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(output, "MANY_FILES", 10_000)
    monkeypatch.setattr(replacing, "_exchange", absent)
    states = write(NEW, out)
    assert {states[item.path] for item in OLD if item.path not in _texts(NEW)} == {"removed"}
    assert {states[item.path] for item in NEW} <= {"added", "changed", "unchanged"}
    assert _tree(out) == _texts(NEW)
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("finished", [False, True])
def test_a_crash_between_two_renames_is_mended(out: Path, *, finished: bool) -> None:
    """The next run finds the old folder aside and puts it back, or clears it away."""
    if finished:
        write(NEW, out.parent / ".out.rocefab-old")
    else:
        out.rename(out.parent / ".out.rocefab-old")
    write(OLD, out)
    assert _tree(out) == _texts(OLD)
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_parent_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    """A file stands where a folder should."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputFolderError, match="cannot be written"):
        write(NEW, tmp_path / "file" / "out")


@pytest.mark.parametrize("paths", [("a", "a"), ("a", "a/b"), ("manifest.json", "b")])
def test_paths_that_collide_are_refused(tmp_path: Path, paths: tuple[str, str]) -> None:
    """Two artefacts cannot share a path."""
    with pytest.raises(RenderError):
        write([_artefact(path, "x") for path in paths], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_equal_files_are_linked_unless_forced(out: Path) -> None:
    """A run that changes one file leaves the others on the disk as they are."""
    kept, other = out / OLD[0].path, out / OLD[1].path
    before = kept.stat().st_ino
    write([OLD[0], _artefact(OLD[1].path, "new b")], out)
    assert kept.stat().st_ino == before
    assert kept.stat().st_nlink == 1
    assert other.read_text() == "new b"
    write([OLD[0], _artefact(OLD[1].path, "newer b")], out, force=True)
    assert kept.stat().st_ino != before


def test_a_file_of_another_mode_is_not_linked(out: Path) -> None:
    (out / OLD[0].path).chmod(0o600)
    write([OLD[0], _artefact(OLD[1].path, "new b")], out)
    assert stat.S_IMODE((out / OLD[0].path).stat().st_mode) == 0o644


def test_a_refused_run_leaves_no_folders(tmp_path: Path) -> None:
    with pytest.raises(RenderError), output.staged(tmp_path / "a" / "b" / "out"):
        raise RenderError("wrong")
    assert list(tmp_path.iterdir()) == []


@st.composite
def _some_files(draw: st.DrawFn) -> list[Artefact]:
    """Return files of which some have the paths, and some the texts, of other such lists."""
    paths = st.sampled_from(["a/x", "a/y", "a/deep/x", "a/deep/er/x", "b/x", "b/deep/x", "c"])
    texts = draw(st.dictionaries(paths, st.sampled_from(["one", "two", "three"]), min_size=1))
    return [_artefact(path, texts[path]) for path in sorted(texts)]


@given(runs=st.lists(_some_files(), min_size=2, max_size=4), force=st.booleans())
def test_an_index_of_what_changed_is_that_of_the_whole_folder(
    runs: list[list[Artefact]],
    force: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out, index = Path(folder, "out"), None
        for artefacts in runs:
            with output.staged(out, index=index, force=force) as staging:
                files = put(staging.target, artefacts)
                known = staging.known(staging.finish(files))
            index = Index.of(out, files, {}, known)
            whole = Index.of(out, files, {}, Known())
            assert (index.states, index.folders) == (whole.states, whole.folders)
            for path in (out, *out.rglob("*")):
                os.utime(path, ns=(1, 1))
            index = Index.from_bytes(Index.of(out, files, {}, Known()).to_bytes())


_FOUR = ("a/deep/x", "a/x", "b/x", "c")
_TEXTS = st.tuples(*[st.sampled_from(["one", "two"])] * 4)
#: What happens to the files between two runs: one is touched, one is gone, or nothing.
_BETWEEN = st.sampled_from([
    lambda out: None,
    lambda out: os.utime(out / "a/x", ns=(1, 1)),
    lambda out: (out / "b/x").unlink(),
])


@given(runs=st.lists(st.tuples(_TEXTS, _BETWEEN), min_size=2, max_size=4))
def test_an_index_follows_from_an_earlier_one_and_what_has_changed(
    runs: list[tuple[tuple[str, ...], Callable[[Path], object]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("fabric.render.index._FEW", 1)
        for name in ("_TICKS_NS", "_COARSEST_NS"):  # no file is young
            patch.setattr(f"fabric.render.index.{name}", -(10**18))
        patch.setattr(output, "MANY_FILES", 0)
        out, kept = Path(folder, "out"), None
        for texts, between in runs:
            artefacts = [_artefact(*both) for both in zip(_FOUR, texts, strict=True)]
            sources = {"leaf1": texts[0], "leaf2": "same"}
            with output.staged(out, index=kept) as staging:
                files = put(staging.target, artefacts)
                states = staging.finish(files)
            index = Index.of(out, files, sources, Known())
            if kept:
                changed = {file.path: file for file in files if states[file.path] == "changed"}
                changes = kept.changes_now(out, changed, sources, staging.inspection.known)
                again = Changes.from_bytes(changes.to_bytes())
                kept = (kept.base or kept).with_changes(again)
            else:
                kept = Index.from_bytes(index.to_bytes())
            assert replace(kept, taken_ns=index.taken_ns) == index
            between(out)


def test_an_index_is_kept_whole_where_devices_came_or_many_files_changed(
    indexed: tuple[Path, Index],
) -> None:
    out, index = indexed
    files = {artefact.path: written(artefact) for artefact in OLD}
    known = index.known(out)
    assert index.changes_now(out, files, index.sources, known) is None
    assert index.changes_now(out, {}, {**index.sources, "c": "3"}, known) is None
    assert index.changes_now(out, {}, index.sources, known).files == {}
    (out / OLD[0].path).unlink()
    assert index.changes_now(out, {}, index.sources, index.known(out)) is None


def test_files_of_an_unchanged_device_are_known(out: Path) -> None:
    both = [
        written(replace(artefact, device=name)) for artefact, name in zip(OLD, "ab", strict=True)
    ]
    index = Index.of(out, both, {"a": "1", "b": "2"}, Known())
    index = Index.from_bytes(index.to_bytes())
    assert index.unchanged({"a": "1", "b": "2"}) == {"a": both[:1], "b": both[1:]}
    assert index.unchanged({"a": "0", "b": "2", "c": "3"}) == {"b": both[1:]}
    assert index.unchanged({}) == {}


def test_what_a_killed_run_left_goes_and_that_of_a_running_one_stays(out: Path) -> None:
    mine = out.parent / ".out.mine.new"
    mine.mkdir()
    with replacing.beside(out) as running:
        (running / "file").write_text("new")
        left = out.parent / running.name.replace(running.name[-12:], "01234567.new")
        left.mkdir()
        (left / "file").write_text("new")
        write(NEW, out)
        assert (running / "file").exists()
        assert not left.exists()
    assert {path.name for path in out.parent.iterdir()} == {"out", mine.name}
