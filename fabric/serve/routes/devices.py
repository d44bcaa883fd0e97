"""One device: planned, running, and what differs."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from fabric.report.device import budget_rows, planned
from fabric.report.events import document_of
from fabric.report.lossless import cable_at
from fabric.serve.problem import refused
from fabric.serve.replies_map import BudgetReply, CableReply, DeviceReply, DriftReply
from fabric.serve.routes.described import as_json, caller_of, responses, service_of
from fabric.validate.cable import VERDICTS

if TYPE_CHECKING:
    from fabric.core.events import Event
    from fabric.report.events import EventDocument
    from fabric.serve.service import Service
    from fabric.workflow.project import Project

router = APIRouter()
_DEVICES = "check its name, or choose it on the map; in HTTP, GET /v1/map lists the devices"
#: Most events of one answer; our choice.
_MOST_EVENTS = 10_000
_Name = Annotated[str, Path(min_length=1, max_length=128, description="Switch or host.")]
_Port = Annotated[str, Query(min_length=1, max_length=64, description="Port with a cable.")]


@router.get(
    "/v1/devices/{name}",
    summary="A switch or host: planned, running, and what differs",
    responses=responses(404, 422, ok="The device.", reply=DeviceReply),
)
async def get_device(request: Request, name: _Name) -> Response:
    """Return what is planned for a device, its newest reading, its rates, and its drift."""
    service = service_of(request)
    return as_json(await service.slow(caller_of(request), lambda: _device(service, name)))


@router.get(
    "/v1/devices/{name}/budget",
    summary="How the headroom of a switch port comes about",
    responses=responses(404, 422, ok="The sum, part by part.", reply=BudgetReply),
)
async def get_budget(request: Request, name: _Name, port: _Port) -> Response:
    """Return what `rocefab explain DEVICE PORT` says of both ends of the cable."""
    service = service_of(request)
    caller, project = caller_of(request), service.loaded.project
    rows = await service.slow(caller, lambda: budget_rows(project, name, port))
    if rows is None:
        raise _unknown("port", "there is no such switch, or no such port with a cable")
    return as_json(BudgetReply(rows=rows).model_dump_json().encode())


@router.get(
    "/v1/devices/{name}/cable",
    summary="The settings of both ends of a NIC cable",
    responses=responses(404, 422, ok="Each setting, with a verdict.", reply=CableReply),
)
async def get_cable(request: Request, name: _Name, port: _Port) -> Response:
    """Return what `rocefab show cable` says of the NIC cable in a port of a host or leaf."""
    service = service_of(request)
    project = service.loaded.project
    return as_json(await service.slow(caller_of(request), lambda: _cable(project, name, port)))


def _cable(project: Project, name: str, port: str) -> bytes:
    cable = cable_at(project, name, port)
    if cable is None:
        raise _unknown("port", "there is no such host or leaf, or no NIC cable in this port")
    reply = CableReply(
        host=cable.host.name,
        interface=cable.nic.interface,
        switch=cable.device.name,
        port=cable.port.name,
        lines=list(cable.lines()),
        verdicts=VERDICTS,
    )
    return reply.model_dump_json().encode()


@router.get(
    "/v1/drift",
    summary="Drift that lasts",
    responses=responses(ok="The events that have not ended.", reply=DriftReply),
)
async def get_drift(request: Request) -> Response:
    """Return what `rocefab drift --watch` reported and what has not ended."""
    service = service_of(request)
    return as_json(await service.slow(caller_of(request), lambda: _drift(service)))


def _drift(service: Service) -> bytes:
    drift = service.drift
    lasting = drift.lasting if drift else []
    reply = DriftReply(
        is_read=drift is not None,
        written_s=drift.written_s if drift else None,
        warning=drift.warning if drift else "",
        total=len(lasting),
        events=_documents(lasting),
    )
    return reply.model_dump_json().encode()


def _documents(events: list[Event]) -> list[EventDocument]:
    return [document_of(event) for event in events[:_MOST_EVENTS]]


def _device(service: Service, name: str) -> bytes:
    of = planned(service.loaded.project, name)
    if of is None:
        raise _unknown("name", f"there is no device {name[:128]!a}")
    readings, drift = service.readings, service.drift
    book = service.book
    lasting = drift.lasting_of(name) if drift else None
    far = {end for port in of.ports for end in (port.peer, f"{port.peer}:{port.peer_port}")}
    reply = DeviceReply(
        planned=of,
        conditions={
            subject: one.model_dump(mode="json")
            for subject, one in book.conditions.items()
            if subject.partition(":")[0] == name or subject in far
        },
        job=next((job for job, one in book.jobs.items() if name in one.hosts), None),
        is_read=readings is not None,
        running=readings.record(name) if readings else None,
        failure=readings.failure(name) if readings else "",
        series=readings.timelines.of(name) if readings else [],
        rated=readings.timelines.rated(name) if readings else [],
        drift=drift.of(name) if drift else None,
        lasting=None if lasting is None else _documents(lasting),
        drift_written_s=drift.written_s if drift else None,
    )
    return reply.model_dump_json(exclude_unset=False).encode()


def _unknown(field: str, message: str) -> Exception:
    return refused(HTTPStatus.NOT_FOUND, "SRV011", field, message, _DEVICES)
