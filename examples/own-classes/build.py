# SPDX-License-Identifier: Apache-2.0
"""Makes a jar of the Scala files in src, with the compiler that comes with PySpark.

Nothing else has to be installed:

python build.py own-classes.jar
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark

import stoplog

SOURCES = Path(__file__).parent / "src"


def command(jar: str) -> list[str]:
    """The call of the compiler, which writes the jar itself."""
    spark = Path(pyspark.__file__).parent / "jars"
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    classes = os.pathsep.join([str(spark / "*"), stoplog.jar()])
    compiler = [java, "-Dscala.usejavacp=true", "-cp", classes, "scala.tools.nsc.Main"]
    return [*compiler, "-deprecation", "-d", jar, *map(str, sorted(SOURCES.glob("**/*.scala")))]


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".jar"):
        sys.exit("usage: python build.py own-classes.jar")
    sys.exit(subprocess.run(command(sys.argv[1]), check=False).returncode)
