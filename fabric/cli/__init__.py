"""The command line: arguments, output and exit codes. Everything else is in ``workflow``."""

from __future__ import annotations

import io
import logging
import sys
import time

from fabric.cli import output
from fabric.cli.exits import Exit, exit_code_of, second_one_ends
from fabric.core.garbage import collect_no_more, collect_rarely
from fabric.core.steps import timed, watched

__all__ = ["Exit", "main", "process"]


def process() -> int:
    """Run the one command of this process and return its exit code."""
    collect_rarely()
    if isinstance(sys.stdout, io.TextIOWrapper):  # half a surrogate is no UTF-8
        sys.stdout.reconfigure(errors="backslashreplace")
    code = main()
    collect_no_more()
    return code


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if not logging.root.handlers:
        # Libraries such as paramiko log tracebacks of what we report as an error of a device.
        logging.root.addHandler(logging.NullHandler())
    output.configure()
    started_s = time.monotonic()
    with timed() as stages_s:
        try:
            with second_one_ends() as received, watched(output.Meter().step):
                result = _run(arguments)
            sys.stdout.flush()
        except BaseException as error:  # noqa: BLE001 - the one place that turns errors into codes
            output.end_line()
            return exit_code_of(error)
        finally:
            for name, seconds in stages_s.items():
                output.detail(f"{name}: {seconds:.2f} s")
            output.detail(f"took {time.monotonic() - started_s:.2f} s")
    if result == Exit.INTERRUPTED:  # what typer makes of Ctrl-C, without a word
        return exit_code_of(KeyboardInterrupt(*received))
    return result if isinstance(result, int) else Exit.OK


def _run(arguments: list[str] | None) -> object:
    from fabric.cli import completion
    from fabric.cli.app import tree
    from fabric.cli.config import counts_project, default_map, files, settings

    words = sys.argv[1:] if arguments is None else arguments
    defaults, project = None, counts_project(words)
    if completion.asked():
        completion.prepare()
        command = tree()
    elif files(project=project):
        command = tree()
        defaults = default_map(settings(command, project=project))
    else:
        command = tree(*words[:1])
    context = {"default_map": defaults, "obj": tree}
    return command(args=arguments, standalone_mode=False, prog_name="rocefab", **context)
