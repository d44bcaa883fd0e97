"""State by gNMI: one subscription of mode ONCE for each subject, over TLS.

Protocol: https://github.com/openconfig/reference/blob/master/rpc/gnmi/gnmi-specification.md, with
the messages that pygnmi generated from gnmi.proto 0.8.0. Credentials travel as the metadata
``username`` and ``password`` (gnmi-authentication.md, same folder), and only over TLS.

A subject is a path, or a name and several paths with spaces between them. ``TARGET:`` before a
path is the target of the prefix, the database of SONiC. A server of several devices demands one too
(openconfig/gnmi subscribe/subscribe.go, ``Subscribe``): it gets the name of the device. SONiC drops
an answer when the client ends its side of the subscription early (sonic-net/sonic-gnmi
gnmi_server/client_subscribe.go, ``recv``), so that it stays open until the answer is there.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, InputError
from fabric.core.json_text import parse_json
from fabric.devices import limits
from fabric.devices.answers import LONGEST_READING_CHARACTERS, AnswerTooLongError, allowance
from fabric.devices.base import BaseDriver
from fabric.devices.https import in_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.devices.driver import Connection

#: How long a target may need for one subject, in seconds. Ours.
_SUBJECT_S = 60.0
#: How many values one subject may have: 1,024 ports with 30 leaves each, and ten times that. Ours.
_MOST_VALUES = 300_000
#: Keys of lists that come as JSON, in the order in which they are looked for: those of
#: openconfig-interfaces, openconfig-lldp and openconfig-bgp-neighbor.
_LIST_KEYS = ("name", "neighbor-address", "id", "identifier")
_ELEMENT = re.compile(r"/([^/\[\]]+)((?:\[[^=\]]+=[^\]]*\])*)")
_KEY = re.compile(r"\[([^=\]]+)=([^\]]*)\]")
#: By preference, as names of ``Encoding`` in gnmi.proto.
_ENCODINGS = ("PROTO", "JSON_IETF", "JSON")


def _libraries() -> tuple[Any, Any, Any]:
    """Return grpc, the messages and the stubs.

    Raises
    ------
    InputError
        When they are not installed: they are an extra of the distribution.
    """
    if find_spec("pygnmi") is None or find_spec("grpc") is None:
        raise InputError("gNMI needs pygnmi; install it with: pip install 'rocefab[telemetry]'")
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # it prints each failed handshake
    import grpc
    from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

    return grpc, gnmi_pb2, gnmi_pb2_grpc


class GnmiDriver(BaseDriver):
    """A target that is read, and never written.

    Parameters
    ----------
    connection : Connection
        With ``gnmi_port``, and ``gnmi_trust``: authorities or the certificate itself as PEM; empty
        for those that grpc knows.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._grpc, self._messages, self._stubs = _libraries()
        self._lock = threading.Lock()
        self._channel: Any = None
        self._call: Any = None
        self._encoding = 0
        self._target = ""
        self._is_cut = False

    def open(self) -> None:
        """Connect, and ask which encodings the target has."""
        connection = self.connection
        if not connection.password:
            raise ConnectionLostError(
                connection.device, "gNMI takes a password, not SSH keys; set ROCEFAB_PASSWORD"
            )
        options: list[tuple[str, int | str]] = [
            ("grpc.max_receive_message_length", LONGEST_READING_CHARACTERS)
        ]
        if connection.gnmi_name:
            options.append(("grpc.ssl_target_name_override", connection.gnmi_name))
        credentials = self._grpc.ssl_channel_credentials(connection.gnmi_trust.encode() or None)
        target = f"{in_url(connection.address)}:{connection.gnmi_port}"
        self._channel = self._grpc.secure_channel(target, credentials, options)
        with self._translated("log in"):
            try:
                self._grpc.channel_ready_future(self._channel).result(limits.LOGIN_S)
            except self._grpc.FutureTimeoutError:
                raise TimeoutError(
                    "no TLS connection; see that gNMI listens there and that 'trust' of gnmi is "
                    "its certificate or authority"
                ) from None
            names = self._encodings()
        wanted = next((name for name in _ENCODINGS if name in names), "JSON")
        self._encoding = self._messages.Encoding.Value(wanted)

    def _encodings(self) -> set[str]:
        """Return the encodings that the target tells; none where it does not know the call."""
        try:
            said = self._stub().Capabilities(
                self._messages.CapabilityRequest(),
                metadata=self._metadata(),
                timeout=limits.LOGIN_S,
            )
        except self._grpc.RpcError as error:
            if error.code() is not self._grpc.StatusCode.UNIMPLEMENTED:
                raise
            return set()
        return {self._messages.Encoding.Name(one) for one in said.supported_encodings}

    def _stub(self) -> Any:
        return self._stubs.gNMIStub(self._channel)

    def _metadata(self) -> list[tuple[str, str]]:
        return [("username", self.connection.username), ("password", self.connection.password)]

    def close(self) -> None:
        """Close the channel."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def cut(self) -> None:
        """Break the call off that is under way."""
        self._is_cut = True
        with self._lock:
            call = self._call
        if call is not None:
            call.cancel()
        self.close()

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return, for each subject, its leaves as the JSON of ``[[path, value], ...]``.

        A subject with a path that the target does not have is absent. A path of several subjects is
        read once.
        """
        read: dict[str, list[tuple[str, Any]]] = {}
        texts = {}
        for subject in subjects:
            paths = [word for word in subject.split() if "/" in word]
            with self._translated(f"read {subject}"):
                try:
                    read |= {path: self._leaves(path) for path in paths if path not in read}
                except self._grpc.RpcError as error:
                    if self._is_absent(error):
                        continue
                    raise
            texts[subject] = json.dumps([leaf for path in paths for leaf in read[path]])
        return texts

    def _is_absent(self, error: Any) -> bool:
        status = self._grpc.StatusCode
        return error.code() in {status.NOT_FOUND, status.INVALID_ARGUMENT, status.UNIMPLEMENTED}

    def _leaves(self, text: str) -> list[tuple[str, Any]]:
        """Return the leaves below a path; a server that demands a target is told the device."""
        status = self._grpc.StatusCode
        database = text.partition("/")[0].removesuffix(":")
        try:
            return self._asked(text, database)
        except self._grpc.RpcError as error:
            refused: Any = error
            if database or self._target or refused.code() is not status.INVALID_ARGUMENT:
                raise
        self._target = name = self.connection.device
        try:
            return self._asked(text, database)
        except self._grpc.RpcError as error:
            refused, self._target = error, ""
            if refused.code() is status.NOT_FOUND and name in refused.details():
                fix = "give the device the same name there as in the inventory"
                raise ConnectionError(f"{self._cause(error, '')}; {fix}") from None
            raise

    def _asked(self, text: str, database: str) -> list[tuple[str, Any]]:
        if self._channel is None:
            raise ConnectionError("there is no session with it")
        messages = self._messages
        target = database or self._target
        path = messages.Path(
            elem=[
                messages.PathElem(name=name, key=dict(_KEY.findall(keys)))
                for name, keys in _ELEMENT.findall(text.removeprefix(f"{database}:"))
            ]
        )
        once = messages.SubscribeRequest(
            subscribe=messages.SubscriptionList(
                prefix=messages.Path(target=target) if target else None,
                subscription=[messages.Subscription(path=path)],
                mode=messages.SubscriptionList.ONCE,
                encoding=self._encoding,
            )
        )
        answered = threading.Event()
        requests = _open_until(answered, once)
        call = self._stub().Subscribe(requests, metadata=self._metadata(), timeout=_SUBJECT_S)
        with self._lock:
            self._call = call
        try:
            return self._gathered(call, database)
        finally:
            answered.set()
            call.cancel()

    def _gathered(self, call: Any, database: str) -> list[tuple[str, Any]]:
        leaves: list[tuple[str, Any]] = []
        can_say, end_s = allowance(), time.monotonic() + _SUBJECT_S
        for response in call:
            can_say.take(response.ByteSize())
            if len(leaves) > _MOST_VALUES:
                raise AnswerTooLongError(can_say.most)
            if response.sync_response:
                return leaves
            if time.monotonic() > end_s:
                break
            before = f"{database}:" if database else ""
            before += _text_of(response.update.prefix.elem)
            for update in response.update.update:
                place = before + _text_of(update.path.elem)
                leaves += _flat(place, _value(update.val), is_modelled=not database)
        raise ConnectionError("the answer has no end")

    def _cause(self, error: Exception, doing: str) -> str:  # noqa: ARG002
        if isinstance(error, self._grpc.RpcError):
            told: Any = error
            details = str(told.details()).replace(self.connection.password, "(password)")
            shown = "".join(one if one.isprintable() else " " for one in details)
            return f"{told.code().name}: {shown}"
        return str(error)

    def _is_refusal(self, error: Exception) -> bool:
        if not isinstance(error, self._grpc.RpcError):
            return False
        told: Any = error
        status = self._grpc.StatusCode
        return told.code() in {status.PERMISSION_DENIED, status.UNAUTHENTICATED}


def _open_until(answered: threading.Event, request: Any) -> Iterator[Any]:
    """Yield the request, and end when it is answered."""
    yield request
    answered.wait(_SUBJECT_S)


def _text_of(elements: Any) -> str:
    """Return a path as text; names lose the prefix of their module, as RFC 7951 writes it."""
    return "".join(
        f"/{one.name.rpartition(':')[2]}"
        + "".join(f"[{key}={one.key[key]}]" for key in sorted(one.key))
        for one in elements
    )


def _value(value: Any) -> Any:
    """Return a value as plain data; None for one that is no text, number or tree.

    Raises
    ------
    ValueError
        When what says that it is JSON is not.
    """
    kind = value.WhichOneof("value")
    if kind in {"json_val", "json_ietf_val"}:
        return parse_json(getattr(value, kind))
    if kind in {"string_val", "ascii_val", "int_val", "uint_val", "bool_val", "double_val"}:
        return getattr(value, kind)
    return None


def _flat(path: str, value: Any, *, is_modelled: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a tree; an entry of a list is named by its key.

    The names of a model lose the prefix of their module; others, such as ``Ethernet0:3``, are kept.
    """
    todo = [(path, value)]
    while todo:
        place, item = todo.pop()
        if isinstance(item, Mapping):
            todo += [
                (f"{place}/{name.rpartition(':')[2] if is_modelled else name}", part)
                for name, part in item.items()
            ]
        elif isinstance(item, list):
            for part in item:
                keys = [key for key in _LIST_KEYS if isinstance(part, Mapping) and key in part]
                todo += [(f"{place}[{key}={part[key]}]", part) for key in keys[:1]]
        elif item is not None:
            yield place, item
