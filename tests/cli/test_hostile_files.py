"""Whatever file a user names: a pipe, a device, gigabytes or deep JSON end in a message."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.runs import DEMO, Ended, run
from tests.cli.tree import leaves
from tests.core.hostile_files import CONTENTS, SPECIAL, hostile

#: Files that are refused before they are opened, or read.
REFUSED = ("folder", "pipe", "link to a device", "huge")
#: Of waiting, for a command that would wait for ever.
LONGEST_S = 60
#: Command by what reads the file that the user names.
CALLS = {
    "accept --file": "accept INV --file FILE",
    "accept --results": "accept INV --results FILE --by A",
    "apply PLAN": "apply FILE",
    "approve PLAN": "approve FILE",
    "adopt-serials --from": "adopt-serials INV --from FILE",
    "audit FILES": "audit FILE",
    "cabling --snapshot": "cabling INV --snapshot FILE",
    "check --nic-profile": "check INV --nic-profile FILE",
    "check --sonic-config": "check --sonic-config FILE",
    "diff --jobs": "diff INV INV --jobs FILE",
    "draw --cabling-file": "draw INV --out drawn.svg --cabling-file FILE",
    "drift --events": "drift INV --watch --events FILE",
    "export --account-key": "export ztp INV --boot-url http://a --account-key FILE",
    "export --avoid-state": "export node-health INV --avoid-state FILE",
    "export --cluster-versions": "export k8s INV --cluster-versions FILE",
    "export --environment": "export openmpi INV --environment FILE",
    "export --snapshot": "export rails INV --snapshot FILE",
    "export --template": "export k8s INV --what job --template FILE",
    "first-contact --connections": "first-contact INV --connections FILE",
    "import SOURCE": "import dot FILE --out imported",
    "import --base": "import dot cables.dot --hosts l2 --out new --base FILE",
    "import --cabling": "import ansible hosts.ini --out new --cabling FILE",
    "import --names": "import dot cables.dot --hosts l2 --out new --names FILE",
    "judge --jobs": "judge INV --readings r.jsonl --jobs FILE",
    "judge --readings": "judge INV --readings FILE",
    "models add --from": "models add --name X --from FILE --out INV",
    "observe --events": "observe INV --interval-s 30 --judge --events FILE",
    "place --against-plan": "place INV --against-plan FILE",
    "place --avoid-state": "place INV --avoid-state FILE",
    "place --queue": "place INV --queue FILE",
    "plan --connections": "plan INV --connections FILE",
    "replace --connections": "replace gpu001 --serial X --inventory INV --connections FILE",
    "serve --tls-cert": "serve INV --tls-cert FILE --tls-key cables.dot",
    "serve --tls-key": "serve INV --tls-cert cables.dot --tls-key FILE",
    "serve --token-file": "serve INV --token-file FILE",
    "status --boot-log": "status --boot --inventory INV --boot-log FILE",
    "suspect RESULTS": "suspect INV FILE",
    "tenant revoke --jobs": "tenant revoke red --hosts gpu001 --inventory INV --jobs FILE",
    "whatif --snapshot": "whatif INV --fail switch:spine01 --snapshot FILE",
}
#: Command, and a file in a folder that it reads.
INSIDE = {
    "audit of a folder": ("audit saved", "saved/leaf1.cfg"),
    "import of a folder": ("import configs saved --out new", "saved/leaf1.cfg"),
    "inventory": ("check INV", "inv/fabric.yaml"),
    "inventory, cables": ("check INV", "inv/cabling.csv"),
    "inventory, devices": ("check INV", "inv/devices/leaf.yaml"),
    "prove --snapshot": ("prove INV --snapshot snapshot", "snapshot/su1-rail0/config_db.json"),
    "show buffer --saved": ("show buffer INV --observed --saved saved", "saved/su1-rail0.txt"),
}
#: What may be a folder too.
FOLDER_TOO = {"audit FILES", "check --nic-profile", "import --base", "models add --from"}
#: What goes on until it is stopped where the file is sound.
ENDLESS = {"drift --events", "observe --events"}
#: Options with a path that is written, and folders of rocefab itself, which only the user enters.
WRITTEN = {"--out", "--plot", "--cache", "--state", "--journal"}
#: Folders whose files are tried by `INSIDE`, or by the tests of what reads them.
FOLDERS = {
    *("inventory", "--inventory", "folder", "--compare", "--saved", "--yang-models"),
    *("--ztp", "--images", "--own-ca"),
}
#: Files that a service watches: what is wrong with them is on its page, and it goes on.
WATCHED = {"serve --readings", "serve --drift"}


@contextmanager
def in_time() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError("the command waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DEMO, "inv")
    Path("cables.dot").write_text("graph a { l1:p1 -- l2:p2 }\n")
    Path("hosts.ini").write_text("[leaf]\nl1\n[spine]\nl2\n")
    return tmp_path


def called(call: str, file: Path) -> Ended:
    words = [{"FILE": str(file), "INV": "inv"}.get(word, word) for word in call.split()]
    with in_time():
        return run(*words)


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_a_file_is_refused(folder: Path, name: str) -> None:
    for kind in REFUSED[name in FOLDER_TOO :]:
        file = hostile(Path(f"{kind.replace(' ', '-')}.json"), kind)
        ended = called(CALLS[name], file)
        assert ended.code == 2, (kind, ended.said)
        says = "the file is larger than" if kind == "huge" else f"but {SPECIAL[kind]}"
        elsewhere = "the link points outside"  # of the folder of an inventory or a source
        assert f"{file.name}: " in ended.err, (kind, ended.said)
        assert says in ended.err or elsewhere in ended.err, (kind, ended.said)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - ENDLESS))
def test_what_breaks_a_parser_is_a_message(folder: Path, name: str) -> None:
    for kind in CONTENTS:
        file = hostile(Path(f"{kind.replace(' ', '-')}.json"), kind)
        ended = called(CALLS[name], file)
        assert "internal error" not in ended.err, (kind, ended.err)
        assert ended.code in {0, 2, 3, 4}, (kind, ended.said)


@pytest.mark.parametrize("name", INSIDE)
def test_a_file_in_a_folder_is_read_in_the_same_way(folder: Path, name: str) -> None:
    call, path = INSIDE[name]
    for kind in (*REFUSED, *CONTENTS):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_bytes() if file.exists() else None
        file.unlink(missing_ok=True)
        ended = called(call, hostile(file, kind))
        assert "internal error" not in ended.err, (kind, ended.err)
        assert ended.code in {0, 2, 3, 4}, (kind, ended.said)
        file.rmdir() if kind == "folder" else file.unlink()
        if before is not None:
            file.write_bytes(before)


def test_each_option_that_names_a_file_is_tried() -> None:
    """Options of one name and one help share what reads them."""
    options = {
        f"{leaf.name} {name}": (name, item.help)
        for leaf in leaves()
        for item in leaf.command.params
        if "Path" in str(item.type_descriptor.annotation)
        and (name := item.metavar if item.param_type_name == "argument" else item.opts[0])
    }
    tried = {options[name] for name in (*CALLS, *INSIDE, *WATCHED) if name in options}
    missed = [name for name, meaning in options.items() if meaning not in tried]
    assert [name for name in missed if name.split()[-1] not in WRITTEN | FOLDERS] == []
