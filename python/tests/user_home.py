# SPDX-License-Identifier: Apache-2.0
"""A machine of a user, made of a real directory and environment variables."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass, field
from pathlib import Path

from stoplog._shared.version import ARTIFACT, version

PACKAGE = Path(__file__).resolve().parents[1]
CORE = f"{ARTIFACT}-{version()}.jar"


@dataclass
class Home:
    """A machine with Java 17 and Spark 4.2, on which all is well.

    Args:
        root: an empty directory.
    """

    root: Path
    variables: dict[str, str] = field(default_factory=dict)
    files_limit: int = 1 << 16
    arguments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.java("17.0.15")
        self.spark("4.2.0")
        self.pyspark("4.2.0")
        self.variables |= {
            "PATH": os.environ["PATH"],
            "JAVA_HOME": str(self.root / "jdk"),
            "SPARK_HOME": str(self.root / "spark"),
            "SPARK_CONF_DIR": str(self.root / "conf"),
            "STOPLOG_JAR": self.jar(CORE),
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(self.root / "site"), str(PACKAGE)]),
            "LC_ALL": "C.UTF-8",
        }

    def java(self, found: str) -> None:
        program = self.root / "jdk" / "bin" / "java"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            f"#!/bin/sh\necho 'openjdk version \"{found}\" 2026-01-01' >&2\n", encoding="utf-8"
        )
        program.chmod(0o755)

    def spark(self, found: str, scala: str = "2.13.18", hadoop: str = "3.5.0") -> None:
        jars = self.root / "spark" / "jars"
        jars.mkdir(parents=True, exist_ok=True)
        for old in jars.glob("*.jar"):
            old.unlink()
        line = ".".join(scala.split(".")[:2])
        names = (f"spark-core_{line}-{found}", f"scala-library-{scala}", f"hadoop-client-api-{hadoop}")
        for name in names:
            (jars / f"{name}.jar").touch()

    def pyspark(self, found: str) -> None:
        package = self.root / "site" / "pyspark"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text("raise ImportError('a broken pyspark')\n", encoding="utf-8")
        (package / "version.py").write_text(f"__version__: str = '{found}'\n", encoding="utf-8")

    def jar(self, name: str) -> str:
        file = self.root / "more" / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
        return str(file)

    def defaults(self, **settings: str) -> None:
        """Writes `spark-defaults.conf`; a double underscore is a dot."""
        conf = self.root / "conf"
        conf.mkdir(exist_ok=True)
        lines = [f"spark.{key.replace('__', '.')} {value}\n" for key, value in settings.items()]
        (conf / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")

    def limit(self) -> None:
        """Called in the child process, which may not raise the limit of this process."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = min(self.files_limit, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
