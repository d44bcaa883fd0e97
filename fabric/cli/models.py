"""models: switch models of an inventory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabric.cli import output
from fabric.cli.options import inventory_folder, option, renamed

models_app = typer.Typer(
    help="Switch models of an inventory.", no_args_is_help=True, rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(models_app, name="models")


@models_app.command(
    context_settings=renamed(output="out"),
    epilog="Example: rocefab models add --from saved/leaf1.txt --out my-fabric",
)
def add(
    source: Annotated[
        Path,
        option(
            "File with saved outputs, or folder with outputs or with the files of a SONiC image.",
            "MODELS_FROM",
            "--from",
        ),
    ],
    folder: Annotated[
        Path,
        option(
            "Inventory folder that the model is written to.",
            "MODELS_OUTPUT",
            "--out",
            callback=inventory_folder,
        ),
    ] = Path(),
    name: Annotated[
        str, option("Name of the model, if not the one in the source.", "MODELS_NAME")
    ] = "",
    asic: Annotated[
        str,
        option(
            "ASIC family, if the source does not tell it; `rocefab show platforms --asics` lists "
            "them.",
            "MODELS_ASIC",
        ),
    ] = "",
) -> None:
    """Add a switch model that rocefab does not have.

    Reads port_config.ini, platform.json, hwsku.json and pg_profile_lookup.ini of SONiC; show
    version, show inventory and show interfaces hardware of EOS; show module and show interface
    capabilities of NX-OS; show chassis hardware of Junos. Writes platforms/NAME.yaml; a comment
    marks each value that is assumed or unknown. Nothing is written unless the model can be loaded.

    Exit codes: 0, 2.
    """
    from fabric.workflow.models import add as workflow

    added = workflow(source, folder, name, asic)
    for item in added.notes:
        output.note(str(item))
    output.note(f"wrote {added.file}; use it as sku: {added.name}")
