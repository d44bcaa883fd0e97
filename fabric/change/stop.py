"""A request to stop a run, in a file that the run looks at between its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fabric.core.errors import FileError, JournalError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.user_files import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

#: Seconds between two looks while devices work, our choice.
POLL_S = 0.5


class StopRequest(BaseModel):
    """Who asked to stop which run, and when."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: Annotated[int, Field(ge=1)]
    by: Annotated[str, Field(max_length=128)]
    at: Annotated[float, Field(ge=0, allow_inf_nan=False, description="Unix time in seconds.")]

    def __str__(self) -> str:
        return f"stop requested by {self.by or 'a user of the service'}"


class StopRequestedError(KeyboardInterrupt):
    """Somebody asked to stop the run: it ends as it does after Ctrl-C."""


@dataclass(frozen=True)
class Stops:
    """Requests to stop runs of a state folder; the newest one is kept.

    Parameters
    ----------
    folder : Path
        State folder of the journal.
    """

    folder: Path

    @property
    def path(self) -> Path:
        """The file of the request."""
        return self.folder / "stop"

    def ask(self, request: StopRequest) -> None:
        """Write down a request.

        Raises
        ------
        JournalError
            When the file cannot be written.
        """
        try:
            write_whole(self.path, request.model_dump_json().encode(), 0o600)
        except OSError as error:
            raise JournalError(f"{self.path} cannot be written: {error.strerror}") from error

    def asked(self, run: int) -> StopRequest | None:
        """Return the request to stop a run; None without one, or where it is of another run."""
        try:
            content = read_bytes(self.path, FileKind.NOTE, follow=False)
            request = StopRequest.model_validate_json(content)
        except (FileError, ValidationError):
            return None
        return request if request.run == run else None

    def clear(self) -> None:
        """Remove a request, before a run begins or goes on."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise JournalError(f"{self.path} cannot be removed: {error.strerror}") from error
