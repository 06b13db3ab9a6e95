# SPDX-License-Identifier: Apache-2.0
"""Archives of classes that JVMs share, so that each of many short lives does not read and verify them anew.

An archive is made once and kept in `.cache/`. A JVM that cannot use it starts without it, only slower.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent.parent / ".cache" / "class-data"
# The JVM would write its warnings to the standard output, where drivers and servers answer.
_SILENT = "-Xlog:cds=off -Xlog:cds+dynamic=off"


@dataclass(frozen=True, slots=True)
class ClassData:
    """The archive of one kind of JVM.

    Args:
        name: of the kind; of each there is one archive, that of the newest key.
        key: of what an archive fits: the JDK, the flags, the files of the class path.
    """

    name: str
    key: str

    @staticmethod
    def of(name: str, flags: str, class_path: Iterable[Path]) -> ClassData:
        """A JVM takes an archive only for files of the same times and sizes, in the same places."""
        files = [_java().parent.parent / "lib" / "modules", *class_path]
        known = "\n".join([flags, *(_identity(file) for file in files)])
        # Environments with other versions of Spark have archives of their own.
        place = hashlib.sha256(str(files[-1].parent).encode()).hexdigest()[:8]
        return ClassData(f"{name}-{place}", hashlib.sha256(known.encode()).hexdigest()[:16])

    @property
    def path(self) -> Path:
        return _FOLDER / f"{self.name}-{self.key}.jsa"

    @property
    def options(self) -> str:
        """For a JVM that reads the archive."""
        if self.path.exists() and self.path.stat().st_size == 0:
            return ""
        return f"-XX:SharedArchiveFile={self.path} -Xshare:auto {_SILENT}"

    @contextlib.contextmanager
    def missing(self) -> Iterator[str]:
        """The options for a JVM that writes the archive when it ends; nothing if it is there.

        Of several processes one gets the options, and the others wait for it. The archive appears whole or
        not at all.
        """
        if self.path.exists():
            yield ""
            return
        _FOLDER.mkdir(parents=True, exist_ok=True)
        with (_FOLDER / f"{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.path.exists():
                yield ""
                return
            growing = self.path.with_suffix(".growing")
            growing.unlink(missing_ok=True)
            yield f"-XX:ArchiveClassesAtExit={growing} {_SILENT}"
            for older in _FOLDER.glob(f"{self.name}-*.jsa"):
                older.unlink()
            growing.touch()  # Where the JVM could write none, an empty one says so: it is not tried again.
            growing.rename(self.path)


def _java() -> Path:
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which(os.environ.get("JAVA", "java"))
    return Path(java or "java").resolve()


def _identity(file: Path) -> str:
    if not file.exists():
        return str(file)
    seen = file.stat()
    return f"{file} {seen.st_size} {seen.st_mtime_ns}"
