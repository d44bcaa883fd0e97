"""eAPI on a connection of ours: which requests may be repeated, and what an answer means."""

from __future__ import annotations

import json

import pytest
from pyeapi.client import Node
from pyeapi.eapilib import CommandError
from pyeapi.eapilib import ConnectionError as EapiConnectionError

from fabric.devices.https import Answer
from fabric.systems.eos.eapi import KeptEapi


class Switch:
    """Takes requests as a connection does, and answers each in the same way."""

    def __init__(self, status: int = 200, answer: object = None) -> None:
        self.reads: list[bool] = []
        self.headers: dict[str, str] = {}
        self._body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self._status = status

    def post(self, body: bytes, headers: dict[str, str], *, reads: bool) -> Answer:
        assert json.loads(body)["method"] == "runCmds"
        self.reads.append(reads)
        self.headers = headers
        return Answer(self._status, "a reason", self._body)


def node(switch):
    return Node(KeptEapi(switch, "admin", "hunter2"))


@pytest.mark.parametrize(
    ("commands", "reads"),
    [
        (["show version"], True),
        (["show version", "show hostname"], True),
        (["configure session rocefab-x", "commit timer 00:15:00"], False),
        (["show version", "write memory"], False),
        ([{"cmd": "banner motd", "input": "show version"}], False),
        (["showx"], False),
    ],
)
def test_only_what_reads_may_be_repeated(commands, reads):
    switch = Switch(answer={"result": [{}, {}, {}]})
    node(switch).run_commands(commands)
    assert switch.reads == [reads]
    assert switch.headers["Authorization"] == "Basic YWRtaW46aHVudGVyMg=="


def test_a_rejected_command_is_an_error_of_pyeapi():
    error = {"code": 1002, "message": "invalid command", "data": [{}, {"errors": ["no such"]}]}
    with pytest.raises(CommandError, match="invalid command"):
        node(Switch(answer={"error": error})).run_commands(["show nonsense"])


@pytest.mark.parametrize(
    ("switch", "said"),
    [
        (Switch(401, b"who are you"), "a reason. who are you"),
        (Switch(200, b"<html>"), "unable to connect to eAPI"),
    ],
)
def test_no_answer_is_an_error_of_pyeapi(switch, said):
    with pytest.raises(EapiConnectionError) as caught:
        node(switch).run_commands(["show version"])
    assert said in str(caught.value)
