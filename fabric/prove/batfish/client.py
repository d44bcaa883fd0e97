"""A Batfish service: one network of its own, snapshots, questions, and a deadline for all of it.

The service has one worker, no authentication, and answers no question in parallel.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from fabric.core.errors import InputError, ServiceError
from fabric.core.json_text import parse_json
from fabric.prove.batfish.questions import columns_of, short_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from pybatfish.client.consts import WorkStatusCode
    from pybatfish.client.session import Session
    from pybatfish.client.workitem import WorkItem

    Rows = list[dict[str, Any]]

T = TypeVar("T")

#: Port of the service (batfish, ``CoordConsts.SVC_CFG_WORK_V2_PORT``).
PORT = 9996

#: Oldest interface that the questions were tried with (Batfish 0.36).
OLDEST_API = (2, 1, 0)

#: Seconds to open a connection, and to wait for one answer over HTTP; our choice: the service
#: answers polls within 1 s, and the longest answers measured took 6 s to send.
CONNECT_S, ANSWER_S = 4.0, 60.0

#: Seconds for a whole proof without another limit; our choice: fifteen times what 4,096
#: NICs take.
DEADLINE_S = 3600.0

#: Longest pause between two polls of a work, in seconds; our choice.
_LONGEST_PAUSE_S = 1.0

#: Lines of a log of the service that are shown: the reason stands at its top or its end.
_MOST_REASON = 300


class Service:
    """A service that is asked about one fabric; a context manager that cleans up after itself.

    Parameters
    ----------
    address : str
        ``HOST`` or ``HOST:PORT``.
    progress : callable
        Told what the service does, in words.
    deadline_s : float
        Seconds after which the proof is given up.

    Attributes
    ----------
    version : str
        What the service says of its version, once it is connected.

    Raises
    ------
    ServiceError
        From every method: when the service is away, too old, out of time, or answers nonsense.
    """

    def __init__(
        self,
        address: str,
        progress: Callable[[str], None] = lambda _: None,
        *,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        self.address = address
        self.questions = 0
        self.version = ""
        self._host, self._port = _address(address)
        self._progress = progress
        self._end = time.monotonic() + deadline_s
        self._session: Session | None = None
        self.network = f"rocefab-{uuid4().hex[:12]}"

    def __enter__(self) -> Self:
        """Connect, and make a network."""
        self._session = _session(self._host, self._port)
        version = self._call("version", self._session.get_component_versions)
        _check_version(self.address, version)
        self.version = json.dumps(version, sort_keys=True)
        self._call("network", lambda: self._open.set_network(self.network))
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the network; a service that cannot do so any more keeps it."""
        session, self._session = self._session, None
        if session is not None and session.network:
            session.timeout = CONNECT_S
            try:
                session.delete_network(self.network)
            except Exception as failure:  # noqa: BLE001 - the error that led here is the news
                self._progress(f"network {self.network} stays at the service: {_reason(failure)}")

    @property
    def _open(self) -> Session:
        if self._session is None:
            raise ServiceError(self.address, "the connection is not open")
        return self._session

    def networks(self) -> list[str]:
        """Return the networks that the service has."""
        return self._call("networks", self._open.list_networks)

    def upload(self, name: str, archive: bytes) -> None:
        """Give the service a snapshot and let it read it."""
        from pybatfish.client import restv2helper, workhelper

        stream = io.BytesIO(archive)
        self._call("upload", lambda: restv2helper.upload_snapshot(self._open, name, stream))
        self._work("reading the files", workhelper.get_workitem_parse(self._open, name), name)

    def fork(
        self, name: str, base: str, nodes: Sequence[str], interfaces: Sequence[tuple[str, str]]
    ) -> None:
        """Make a snapshot of another one, with nodes and interfaces out of order."""
        from pybatfish.client import restv2helper, workhelper

        wish = {
            "snapshotBase": base,
            "snapshotNew": name,
            "deactivateNodes": list(nodes) or None,
            "deactivateInterfaces": [
                {"hostname": node, "interface": port} for node, port in interfaces
            ]
            or None,
        }
        self._call("fork", lambda: restv2helper.fork_snapshot(self._open, wish))
        self._work("reading the files", workhelper.get_workitem_parse(self._open, name), name)

    def delete(self, name: str) -> None:
        """Delete a snapshot, so that the service need not keep what is over."""
        self._call("delete", lambda: self._open.delete_snapshot(name))

    def ask(self, question: dict[str, Any], snapshot: str, reference: str | None = None) -> Rows:
        """Return the rows of the answer to a question.

        Parameters
        ----------
        question : dict
            As Batfish has it, without its name.
        reference : str, optional
            Snapshot that a differential question compares with.
        """
        from pybatfish.client import workhelper

        name = question_name(question)
        instance = {"instance": {"instanceName": name}, "differential": reference is not None}
        text = json.dumps({**question, **instance})
        self.questions += 1
        self._call("question", lambda: _put(self._open, name, text))
        item = workhelper.get_workitem_answer(self._open, name, snapshot, reference)
        self._work(_words(question), item, snapshot)
        answer = self._call("answer", lambda: self._open.get_answer(name, snapshot, reference))
        return _rows(self.address, answer, columns_of(question))

    def _work(self, words: str, item: WorkItem, snapshot: str) -> None:
        """Let the service do a work, and wait for its end."""
        from pybatfish.client import workhelper
        from pybatfish.client.consts import WorkStatusCode

        self._call("work", lambda: workhelper.queue_work(self._open, item))
        pause = 0.05
        while True:
            status = self._call("work", lambda: workhelper.get_work_status(item.id, self._open))
            code = self._known(status["workstatus"], WorkStatusCode)
            if code == WorkStatusCode.TERMINATEDNORMALLY:
                return
            if WorkStatusCode.is_terminated(code):
                raise ServiceError(
                    self.address, f"{words}: {self._log(item, snapshot, code.value)}"
                )
            self._progress(f"{words}{_batch(status)}")
            time.sleep(pause)
            pause = min(_LONGEST_PAUSE_S, 1.5 * pause)

    def _known(self, word: Any, words: type[WorkStatusCode]) -> WorkStatusCode:
        """Return a word that the service says, as a status."""
        try:
            return words(word)
        except ValueError as error:
            message = f"an answer cannot be read: status {word!r}"
            raise ServiceError(self.address, message) from error

    def _log(self, item: WorkItem, snapshot: str, code: str) -> str:
        from pybatfish.client import restv2helper

        log = self._call("log", lambda: restv2helper.get_work_log(self._open, snapshot, item.id))
        return f"ended as {code}: {log.strip()[:_MOST_REASON]}"

    def _call(self, what: str, call: Callable[[], T]) -> T:
        left_s = self._end - time.monotonic()
        if left_s <= 0:
            raise ServiceError(self.address, f"out of time at {what}")
        limits: Any = (min(CONNECT_S, left_s), min(ANSWER_S, left_s))
        self._open.timeout = limits
        try:
            return call()
        except ServiceError:
            raise
        except Exception as error:
            raise ServiceError(self.address, f"{what}: {_reason(error)}") from error


def question_name(question: dict[str, Any]) -> str:
    """Return the name of a question: equal ones have the same."""
    return f"q-{hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:16]}"


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if text.rpartition(":")[2].isdigit() else (text, "", "")
    if not host.strip("[]"):
        raise InputError(f"--batfish {text!r} names no service; write HOST or HOST:PORT")
    return host, int(port or PORT)


def _session(host: str, port: int) -> Session:
    """Return a session that gives up soon, and that asks no proxy about this machine."""
    try:
        from pybatfish.client import restv2helper
        from pybatfish.client.session import Session
    except ImportError as error:
        message = "pybatfish is not installed: pip install 'rocefab[batfish]', or --engine own"
        raise InputError(message) from error
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    # pybatfish asks a service that is away, or that answers 500, for minutes
    once = HTTPAdapter(max_retries=Retry(total=0, raise_on_status=False))
    http = restv2helper._requests_session  # noqa: SLF001 - it has no other door
    http.mount("http://", once)
    http.trust_env = not _is_loopback(host)
    return Session(host, port, load_questions=False)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _check_version(address: str, version: dict[str, Any]) -> None:
    api = str(version.get("api_version", ""))
    parts = tuple(int(part) for part in api.split(".") if part.isdigit())
    if parts < OLDEST_API:
        oldest = ".".join(str(part) for part in OLDEST_API)
        has = f"version {api}" if api else "no version"
        raise ServiceError(address, f"the service has {has} of its interface, needed is {oldest}")


def _put(session: Session, name: str, text: str) -> None:
    from pybatfish.client import restv2helper

    restv2helper.upload_question(session, name, text)


def _words(question: dict[str, Any]) -> str:
    return short_name(question).removesuffix("Question")


def _batch(status: dict[str, Any]) -> str:
    """Return what a work is doing, as the service says it."""
    task = parse_json(status.get("taskstatus") or "null") or {}
    for batch in task.get("batches") or ():
        if batch["completed"] < batch["size"]:
            return f": {batch['description']} {batch['completed']} of {batch['size']}"
    return ""


def _rows(address: str, answer: Any, columns: Sequence[str]) -> Rows:
    """Return the rows of an answer that has some columns.

    Raises
    ------
    ServiceError
        When it has none: an unreadable answer is not an empty one.
    """
    try:
        if answer["status"] != "SUCCESS":
            raise ServiceError(address, f"a question was answered with {answer['status']}")
        table = answer["answerElements"][0]
        rows, named = table["rows"], table["metadata"]["columnMetadata"]
        missing = set(columns) - {column["name"] for column in named}
    except (KeyError, IndexError, TypeError) as error:
        raise ServiceError(address, "an answer cannot be read: it has no rows") from error
    if missing:
        words = ", ".join(sorted(missing))
        raise ServiceError(address, f"an answer cannot be read: it has no column {words}")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ServiceError(address, "an answer cannot be read: its rows are not objects")
    return rows


def _reason(error: BaseException) -> str:
    """Return the first line of an error, without the addresses of objects."""
    text = " ".join(str(error).split()) or type(error).__name__
    cause = getattr(error, "args", ("",))[0]
    inner = getattr(cause, "reason", None)
    return (str(inner).rpartition(": ")[2] if inner else text)[:_MOST_REASON]
