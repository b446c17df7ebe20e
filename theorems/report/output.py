"""Files that are written whole or not at all, and are known to be writable before a run starts."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from theorems.report.arguments import UsageError


def check_writable(name: str) -> None:
    """Refuse a file that could not be written later.

    Raises:
        UsageError: with the reason.
    """
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"cannot write {name}: it is a directory")
    if path.exists() and not os.access(path, os.W_OK):
        raise UsageError(f"cannot write {name}: no permission")
    if _special(path):
        return
    try:
        handle, trial = tempfile.mkstemp(dir=_target(path).parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror}") from None
    os.close(handle)
    os.unlink(trial)


def check_folder(name: str) -> None:
    """Make a folder (its parent must exist) and refuse one that cannot be written into.

    Raises:
        UsageError: with the reason.
    """
    try:
        Path(name).mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {name}: {error.strerror}") from None
    check_writable(os.path.join(name, "certificate.json"))


def write_whole(name: str, text: str) -> None:
    """Write a file by renaming a finished one onto it, so that no reader ever sees half of it.

    Raises:
        UsageError: when the file system refuses.
    """
    path = Path(name)
    try:
        if _special(path):
            path.write_text(text, encoding="utf-8")
            return
        target = _target(path)
        handle, trial = tempfile.mkstemp(dir=target.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(trial, _mode(target))
            os.replace(trial, target)
        except BaseException:
            os.unlink(trial)
            raise
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror}") from None


def _target(path: Path) -> Path:
    """The file itself where the name is a symbolic link, so that the link stays."""
    return Path(os.path.realpath(path))


def _special(path: Path) -> bool:
    """Devices and pipes are written to, never replaced."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


def _mode(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
