# SPDX-License-Identifier: Apache-2.0
"""`stoplog init NAME`: writes a small project that runs at once."""

from __future__ import annotations

import json
import re
import shlex
from argparse import ArgumentParser, Namespace
from pathlib import Path

from stoplog._shared.spark_modules import KAFKA, PUBLISHED, newest_line
from stoplog._shared.version import PACKAGE, version
from stoplog.cli.command import Answer, Command, non_empty
from stoplog.errors import StoplogError

TEMPLATES = PACKAGE / "templates"
SUMMARIES = {
    "files": "files of a directory to Parquet",
    "kafka": "a Kafka topic to Parquet by the hour",
    "overwrite": "a nightly job that replaces one partition",
    "postgres": "upserts into a table of PostgreSQL",
    "quarantine": "a landing zone whose bad bytes go to quarantine",
    "sink": "a custom sink in Python",
}
"""The purposes of the templates, by the names of their directories in the package."""

# The line is for the sources of this project: a user's project has its own licence.
_LICENCE = "# SPDX-License-Identifier: Apache-2.0\n"
_NAME = re.compile(r"[\w. -]+")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", type=non_empty, help="the new directory of the project")
    parser.add_argument(
        "--template",
        choices=tuple(SUMMARIES),
        default="files",
        help="; ".join(f"{name}: {summary}" for name, summary in SUMMARIES.items()) + " (default: files)",
    )


def run(given: Namespace) -> Answer:
    project = Path(given.name)
    written = write_project(project, given.template)
    lines = [
        f"Wrote the project {project} ({SUMMARIES[given.template]}):",
        *(f"  {name}" for name in written),
        f"Next: cd {shlex.quote(str(project))}, and follow README.md.",
    ]
    data = {"project": str(project), "template": given.template, "files": written}
    return Answer({"init": data}, lambda: lines)


def write_project(project: Path, template: str) -> list[str]:
    """Writes the files of a template, and returns their names.

    Raises:
        StoplogError: the directory exists and is not empty, its name has other characters than a file in
            Python may contain, or it cannot be written.
    """
    project_name = project.absolute().name  # also of `.`
    if not _NAME.fullmatch(project_name):
        raise _refused(
            project, "the name has characters other than letters, digits, blanks, '_', '-' and '.'"
        )
    try:
        if project.exists() and (not project.is_dir() or any(project.iterdir())):
            raise _refused(project, "the path exists, and is not an empty directory")
        source = TEMPLATES / template
        names = sorted(str(file.relative_to(source)) for file in source.rglob("*") if _is_shipped(file))
        for name in names:
            target = project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_filled((source / name).read_text("utf-8"), project_name), encoding="utf-8")
    except OSError as error:
        raise _refused(project, str(error.strerror)) from None
    return names


def _is_shipped(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts


def _filled(text: str, name: str) -> str:
    values = {
        "PROJECT_NAME": name,
        "RELEASE_OF_STOPLOG": version(),
        '{"LINE_OF_SPARK": "VERSION_OF_KAFKA_MODULE"}': json.dumps(PUBLISHED[KAFKA]),
        "LINE_WITH_KAFKA": newest_line(KAFKA),
    }
    for word, value in values.items():
        text = text.replace(word, value)
    return text.removeprefix(_LICENCE)


def _refused(project: Path, why: str) -> StoplogError:
    return StoplogError(
        "STOPLOG_CANNOT_WRITE",
        f"{project} cannot be written: {why}. Choose a new directory with write permission.",
    )


COMMAND = Command("init", "Create a small, runnable project with a crash test.", arguments, run)
