"""serve: answers schedulers over HTTP, and shows the fabric in a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import output
from fabric.cli.options import (
    BootLogOption,
    Inventory,
    OwnCa,
    TlsCert,
    TlsKey,
    TokenFile,
    option,
    renamed,
    state_folder,
)
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    import typer

    from fabric.serve.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    settings = renamed({"state-dir": "state"})
    epilog = "Example: rocefab serve inventory/demo --check"
    app.command(context_settings=settings, epilog=epilog)(serve)


def serve(
    inventory: Inventory = Path(),
    listen: Annotated[
        str,
        option(
            "Address and port. Beyond loopback, TLS and tokens are required.",
            "LISTEN",
            metavar="ADDRESS:PORT",
        ),
    ] = "127.0.0.1:8780",
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    token_file: TokenFile = None,
    state_dir: Annotated[
        Path | None,
        option(
            "Folder with the state of the service; default: one folder per inventory, in "
            "~/.local/state/rocefab.",
            "STATE_DIR",
            "--state",
        ),
    ] = None,
    readings: Annotated[
        Path | None,
        option(
            "File of records that `rocefab observe --out` appends to; the page shows them.",
            "READINGS",
        ),
    ] = None,
    drift: Annotated[
        Path | None,
        option(
            "Output of `rocefab drift --format json`, which the page shows for each device, or the "
            "events of `rocefab drift --watch`, which /v1/drift lists.",
            "DRIFT",
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        option(
            "State folder of `rocefab apply`, or postgresql://HOST/DATABASE; the page shows its "
            "runs. Default: that of the inventory.",
            "JOURNAL",
            parser=state_folder,
            metavar="<path>",
        ),
    ] = None,
    ztp: Annotated[
        Path | None,
        option(
            "Serve the files of `rocefab export ztp` in this folder, each to its device alone, and "
            "nothing else.",
            "ZTP",
        ),
    ] = None,
    images: Annotated[
        Path | None,
        option("With --ztp: folder with the images of management.images.", "IMAGES"),
    ] = None,
    own_ca: OwnCa = None,
    boot_log: BootLogOption = None,
    rate: Annotated[
        float, option("Requests per second of one client; 0 turns the limit off.", "RATE", min=0.0)
    ] = 1000.0,
    check: Annotated[
        bool,
        option(
            "Check inventory, state and options, then exit, also while the service runs.",
            "SERVE_CHECK",
            "--check",
        ),
    ] = False,
) -> None:
    """Answer schedulers, and show the fabric in a browser.

    The log is written to stdout, one JSON object per line. SIGHUP reloads the inventory, and so
    does a change of its files. SIGTERM stops after the requests in progress.

    Exit codes: 0 (also after SIGTERM), 2.
    """
    if own_ca:
        tls_cert, tls_key = _own_certificate(own_ca, listen, ztp, tls_cert)
    if ztp:
        _serve_boot(inventory, (ztp, images), boot_log, listen, tls_cert, tls_key)
        return
    settings = settings_of(listen, tls_cert, tls_key, token_file, rate)
    settings = replace(settings, readings=readings, drift=drift, journal=journal, boot_log=boot_log)
    from fabric.serve.run import listen as bind
    from fabric.serve.run import prepare, run
    from fabric.serve.service import Service
    from fabric.serve.store import Store, folder_of

    folder = folder_of(inventory, state_dir, output.note)
    with Store(folder, is_alone=not check) as store:
        service = Service(inventory, store, settings)
        server = prepare(service)
        name, hosts = service.loaded.fabric.intent.fabric.name, len(service.loaded.fabric.hosts)
        what = f"{name}, {counted(hosts, 'host')}, state {service.book.version} in {folder}"
        if check:
            output.data(f"ready to serve {what}\n")
            return
        listening = bind(settings.host, settings.port)
        host, port = listening.getsockname()[:2]
        where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        scheme = "https" if settings.tls_cert else "http"
        output.note(f"serving {what} on {scheme}://{where}")
        run(server, listening)


def _serve_boot(
    inventory: Path,
    folders: tuple[Path, Path | None],
    log: Path | None,
    listen: str,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Serve the files of an export; devices have no token, and many no certificate authority."""
    _need_service()
    from fabric.boot.log import BootLog, read_log
    from fabric.serve.boot import BootFiles, boot_files
    from fabric.serve.run import listen as bind
    from fabric.serve.run import run, server_of
    from fabric.serve.settings import Settings, parse_listen
    from fabric.workflow.project import Project

    settings = Settings(*parse_listen(listen), tls_cert, tls_key, None)
    files, devices = boot_files(Project(inventory).fabric, *folders)
    past = read_log(log) if log and log.exists() else []
    app = BootFiles(files, devices, BootLog(log), past, output.progress)
    server = server_of(app, settings)
    listening = bind(settings.host, settings.port)
    output.note(
        f"serving {counted(len(files), 'file')} to {counted(len(devices), 'address')} "
        f"on port {settings.port}"
    )
    if not tls_cert:
        output.note("without TLS: whoever is on this network can read what is sent")
    run(server, listening)


def _own_certificate(
    folder: Path, listen: str, ztp: Path | None, tls_cert: Path | None
) -> tuple[Path, Path]:
    """Return a new certificate for the address, and its key."""
    from fabric.boot.authority import CA, server_files
    from fabric.serve.settings import parse_listen

    if tls_cert or ztp is None:
        message = "--own-ca makes the certificate of --ztp"
        finding = Finding("SRV001", Severity.ERROR, message, "add --ztp, without --tls-cert")
        raise InputError("the service cannot listen", [finding])
    made = server_files(folder, parse_listen(listen)[0])
    output.note(f"the certificate is new; who checks it needs {folder / CA}")
    return made


def _need_service() -> None:
    """Raise InputError where the packages of the service are not installed."""
    try:
        import fastapi  # noqa: F401 - the extra is installed as a whole
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        message = f"the package {error.name} is missing"
        finding = Finding("SRV001", Severity.ERROR, message, "install rocefab[service]")
        raise InputError("the service is not installed", [finding]) from error


def settings_of(
    listen: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    token_file: Path | None,
    rate: float = 1000.0,
) -> Settings:
    """Return how to listen.

    Raises
    ------
    InputError
        When the service is not installed, the address is wrong, or others could reach it without
        TLS and a token.
    """
    _need_service()
    from fabric.serve.settings import Limits, Settings, check, parse_listen
    from fabric.serve.tokens import Tokens

    host, port = parse_listen(listen)
    tokens = Tokens(token_file) if token_file else None
    settings = Settings(host, port, tls_cert, tls_key, tokens, Limits(rate=rate))
    check(settings)
    return settings
