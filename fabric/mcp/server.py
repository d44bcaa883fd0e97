"""The server: lists the tools, checks arguments, and answers one call after the other on stdio."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, ToolAnnotations
from mcp_types import Tool as ToolEntry
from pydantic import ValidationError

from fabric import __version__
from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.explain_errors import worded
from fabric.mcp.tools import Place, tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.context import ServerRequestContext
    from mcp_types import CallToolRequestParams, PaginatedRequestParams
    from pydantic import BaseModel

    from fabric.mcp.tools import Tool

    Context = ServerRequestContext[dict[str, Any]]

_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
#: Letters of an answer at most, our choice: the designs of 500 switches in the JSON of `diff`.
MOST_LETTERS = 4_000_000


@dataclass(frozen=True)
class Answers:
    """Answers calls about one inventory, one at a time.

    Parameters
    ----------
    place : Place
        Where the tools read.
    turn : anyio.Lock
        Held by the call that runs.
    """

    place: Place
    turn: anyio.Lock

    async def listed(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        """Return the tools with their schemas."""
        return ListToolsResult(tools=[_entry(tool) for tool in tools()])

    async def called(self, _: Context, call: CallToolRequestParams) -> CallToolResult:
        """Return the answer of a tool, or what is wrong with the call."""
        async with self.turn:
            return await anyio.to_thread.run_sync(self._result, call.name, call.arguments or {})

    def _result(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        try:
            answer = answer_of(self.place, name, arguments)
        except FabricError as error:
            return CallToolResult(content=[_text(_said(error))], is_error=True)
        text = json.dumps(answer)
        if len(text) > MOST_LETTERS:
            message = f"the answer has {len(text):,} letters, more than {MOST_LETTERS:,}"
            return CallToolResult(
                content=[_text(f"{message}; run `rocefab {name}` itself")], is_error=True
            )
        return CallToolResult(content=[_text(text)], structured_content=json.loads(text))


def answer_of(place: Place, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool.

    Raises
    ------
    FabricError
        When there is no such tool, an argument is wrong, or the command fails.
    """
    known = {tool.name: tool for tool in tools()}
    tool = known.get(name)
    if tool is None:
        raise _wrong("name", f"unknown tool {name[:64]!a}", f"use {', '.join(known)}")
    return tool.answer(place, _parsed(tool.arguments, arguments))


def _parsed(model: type[BaseModel], arguments: Mapping[str, Any]) -> BaseModel:
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        rule = getattr(model, "fault_rule", "SRV004")
        findings = [
            Finding(rule, Severity.ERROR, words.message, words.fix, field=str(path[0]))
            for path, words in worded(error, model, arguments)
        ]
        raise InputError("the arguments are wrong", findings) from error


def _wrong(field: str, message: str, fix: str) -> InputError:
    finding = Finding("SRV004", Severity.ERROR, message, fix, field=field)
    return InputError("the call is wrong", [finding])


def _said(error: FabricError) -> str:
    findings = error.findings if isinstance(error, InputError) else ()
    return "\n".join([str(error), *map(str, findings)])


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _entry(tool: Tool[Any]) -> ToolEntry:
    return ToolEntry(
        name=tool.name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema={"type": "object", **tool.reply},
        annotations=_READS,
    )


def server_of(place: Place) -> Server[dict[str, Any]]:
    """Return a server of the tools."""
    answers = Answers(place, anyio.Lock())
    return Server(
        "rocefab",
        version=__version__,
        instructions="Answers questions about a lossless RoCEv2 fabric. Nothing here changes it: "
        "a change is made by people, with `rocefab plan` and `rocefab apply`.",
        on_list_tools=answers.listed,
        on_call_tool=answers.called,
    )


def run(place: Place) -> None:
    """Answer on stdin and stdout until stdin ends."""
    anyio.run(_serve, place)


async def _serve(place: Place) -> None:
    server = server_of(place)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())
