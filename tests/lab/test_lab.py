"""The end of a lab leaves nothing on the disk."""

from __future__ import annotations

from fabric.lab.shell.rootfs import RootFs


def test_files_that_wait_are_not_written_after_the_end() -> None:
    files = RootFs("/home/admin")
    files.defer(lambda: files.put("/sys/late", "x"))
    files.close()
    assert not files.top.exists()
    files._fill()
    assert not files.top.exists()
