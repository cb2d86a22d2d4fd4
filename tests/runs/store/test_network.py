"""Network file systems are told by the list of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.runs.store.network import network_file_system

MOUNTS = """\
overlay / overlay rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sda /home/local ext4 rw 0 0
share /mnt/my\\040share cifs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp/a.db", ""),
        ("/home/me/a.db", "nfs4"),
        ("/home/local/a.db", ""),
        ("/homes/a.db", ""),
        ("/mnt/my share/x/a.db", "cifs"),
    ],
)
def test_the_innermost_mount_counts(tmp_path: Path, path: str, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert network_file_system(Path(path), mounts) == kind


def test_a_system_without_such_a_list(tmp_path: Path) -> None:
    assert network_file_system(tmp_path / "a.db", tmp_path / "none") == ""
    assert network_file_system(tmp_path / "a.db") == ""
