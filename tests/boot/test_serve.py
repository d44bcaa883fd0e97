"""serve --ztp: who gets which file, what is written down, and what is not served at all."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import httpx
import pytest

from fabric.boot.log import BootLog, Record, State, read_log, states
from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.render.output import write
from fabric.serve.boot import BootFiles, boot_files
from tests.boot.fabrics import HASH, boot

LEAF, OTHER, SPINE, HOST = "192.168.0.193", "192.168.0.194", "192.168.0.129", "192.168.1.1"


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    (tmp_path / "inventory").mkdir()
    made = boot(tmp_path / "inventory", hashes=("env:boot",))
    write(export(made, exporters["ztp"]).files, tmp_path / "ztp", force=False)
    return tmp_path


def project_fabric(folder: Path):  # type: ignore[no-untyped-def]
    from fabric.workflow.project import Project

    return Project(folder / "inventory").fabric


class Server:
    """The application, asked from any address."""

    def __init__(self, folder: Path) -> None:
        self.log, self.said = folder / "boot.log", list[str]()
        self.files, devices = boot_files(project_fabric(folder), folder / "ztp")
        past = read_log(self.log) if self.log.exists() else []
        self.app = BootFiles(
            self.files,
            devices,
            BootLog(self.log),
            past,
            lambda name, text: self.said.append(f"{name}: {text}"),
        )

    def get(self, address: str, path: str, method: str = "GET", **headers: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app, client=(address, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="http://boot") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(ask())


def test_each_file_goes_to_its_device(exported: Path) -> None:
    server = Server(exported)
    for address, path in (
        (LEAF, "su1-rail0.json"),
        (LEAF, "su1-rail0-config_db.json"),
        (SPINE, "spine01.cfg"),
        (HOST, "hosts/a1/user-data"),
    ):
        answer = server.get(address, f"/{path}")
        assert answer.status_code == 200
        assert answer.content == (exported / "ztp" / "http" / path).read_bytes()
    reached = states(read_log(server.log), ["su1-rail0", "spine01", "a1", "su1-rail1"])
    assert reached == {
        "su1-rail0": State.CONFIGURED,
        "spine01": State.CONFIGURED,
        "a1": State.CONFIGURED,
        "su1-rail1": State.WAITING,
    }
    assert stat.S_IMODE(server.log.stat().st_mode) == 0o600


def test_the_first_file_of_each_system_counts(exported: Path) -> None:
    files, _ = boot_files(project_fabric(exported), exported / "ztp")
    first = {path for path, file in files.items() if file.is_first}
    names = {"su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1"}
    leaves = {f"{name}.json" for name in names}
    assert first == leaves | {"spine01.cfg", "spine02.cfg", "hosts/a1/user-data"}


REFUSED = {
    "another device": (OTHER, "/su1-rail0.json", {}, 403, "the file is of another device"),
    "a stranger": ("192.168.3.3", "/su1-rail0.json", {}, 403, "no device of the inventory"),
    "a pool without a device": ("192.168.0.254", "/", {}, 403, "no device of the inventory"),
    "no file": (LEAF, "/su1-rail0.txt", {}, 404, "there is no such file"),
    "the manifest": (LEAF, "/manifest.json", {}, 404, "there is no such file"),
    "the DHCP file": (LEAF, "/../dnsmasq.conf", {}, 404, "there is no such file"),
    "a serial": (LEAF, "/su1-rail0.json", {"SERIAL-NUMBER": "X"}, 403, "has another serial"),
    "a Cumulus serial": (LEAF, "/su1-rail0.json", {"CUMULUS-SERIAL": "X"}, 403, "another serial"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_written_down(exported: Path, name: str) -> None:
    address, path, headers, code, message = REFUSED[name]
    server = Server(exported)
    answer = server.get(address, path, **headers)
    assert (answer.status_code, message in answer.text) == (code, True)
    (record,) = read_log(server.log)
    assert (record.address, message in record.refused) == (address, True)
    assert message in server.said[0]
    assert states([record], ["su1-rail0"]) == {"su1-rail0": State.WAITING}


def test_a_serial_that_is_sent_is_pinned(exported: Path) -> None:
    path, name = "/su1-rail1.json", "su1-rail1"  # known by its MAC alone
    server = Server(exported)
    assert server.get(OTHER, path, **{"SERIAL-NUMBER": "FIRST"}).status_code == 200
    for one in (server, Server(exported)):  # also after the service began anew
        assert one.get(OTHER, path, **{"SERIAL-NUMBER": "SECOND"}).status_code == 403
        assert one.get(OTHER, path, **{"SERIAL-NUMBER": "first"}).status_code == 200
    assert server.get(OTHER, path, **{"SERIAL-NUMBER": "LAST"}).status_code == 403
    again = Server(exported)  # what was refused is not pinned
    assert again.get(OTHER, path, **{"SERIAL-NUMBER": "LAST"}).status_code == 403
    assert {record.serial for record in read_log(server.log) if record.device == name} == {
        "LAST",
        "FIRST",
        "SECOND",
        "first",
    }


def test_other_methods_and_too_many_requests(exported: Path) -> None:
    server = Server(exported)
    assert server.get(LEAF, "/su1-rail0.json", method="POST").status_code == 405
    codes = {server.get("192.168.3.3", "/").status_code for _ in range(40)}
    assert codes == {403, 429}
    assert len(read_log(server.log)) < 40


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "http/spine01.cfg").write_text("x"), "is not as it was exported"),
        (lambda folder: (folder / "manifest.json").unlink(), "has no manifest.json"),
        (lambda folder: (folder / "http/spine01.cfg").unlink(), "spine01.cfg"),
    ],
)
def test_a_folder_that_is_not_whole_is_not_served(exported: Path, damage, message: str) -> None:  # type: ignore[no-untyped-def]
    damage(exported / "ztp")
    with pytest.raises(InputError) as caught:
        Server(exported)
    assert message in f"{caught.value} {[str(one) for one in caught.value.findings]}"


def test_states_begin_anew_when_a_device_starts_again() -> None:
    def record(state: State, refused: str = "") -> Record:
        return Record(0.0, "a", state, refused=refused)

    path = [State.DISCOVERED, State.CONFIGURED, State.DISCOVERED, State.REACHABLE, State.VERIFIED]
    reached = [states(map(record, path[: n + 1]), ["a"])["a"] for n in range(len(path))]
    wanted = [State.DISCOVERED, State.CONFIGURED, State.CONFIGURED, State.REACHABLE, State.VERIFIED]
    assert reached == wanted
    assert states(map(record, [*path, State.DISCOVERED]), ["a"]) == {"a": State.DISCOVERED}
    assert states([record(State.VERIFIED, "no")], ["a"]) == {"a": State.WAITING}


@pytest.mark.parametrize("line", ["{}", "[]", "x", '{"time_s": 1, "state": "far"}', '{"state": 1}'])
def test_another_file_is_no_log(tmp_path: Path, line: str) -> None:
    file = tmp_path / "log"
    file.write_text(f'{{"time_s": 1, "state": "discovered"}}\n{line}\n{{"cut')
    with pytest.raises(InputError) as caught:
        read_log(file)
    assert caught.value.findings[0].position.line == 2  # type: ignore[union-attr]
