"""Tells whether a file lies on a network file system."""

from __future__ import annotations

from pathlib import Path
from typing import Final

KINDS: Final = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.ceph-fuse",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.juicefs",
        "fuse.mountpoint-s3",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "orangefs",
        "panfs",
        "pvfs2",
        "smb3",
        "smbfs",
        "wekafs",
    }
)
"""File systems, as Linux names them, that several machines may write to."""
MOUNTS: Final = Path("/proc/mounts")


def network_file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the kind of the network file system that a file lies on, or would lie on.

    Parameters
    ----------
    path : Path
        It need not exist.
    mounts : Path
        Where Linux lists its file systems.

    Returns
    -------
    str
        Such as "nfs4"; "" for a local file system, and where the system does not tell.
    """
    try:
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    place = path.resolve()
    found = [
        (Path(fields[1].replace("\\040", " ")), fields[2])
        for line in lines
        if len(fields := line.split()) > 2
    ]
    above = [(len(mount.parts), kind) for mount, kind in found if place.is_relative_to(mount)]
    kind = max(above, key=lambda pair: pair[0], default=(0, ""))[1]
    return kind if kind in KINDS else ""
