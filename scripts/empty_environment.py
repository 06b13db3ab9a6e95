# SPDX-License-Identifier: Apache-2.0
"""A Python environment with nothing in it, outside of the checkout, and a shell that sees nothing else."""

from __future__ import annotations

import os
import subprocess
import venv
from dataclasses import dataclass
from pathlib import Path

# What would lead from an empty environment back into this machine's own.
_OF_THE_MACHINE = ("PYTHON", "SPARK_", "PYSPARK_", "STOPLOG_", "VIRTUAL_ENV", "CONDA_")
_GIVE_UP_SECONDS = 600
_LAST_LINES = 12


class CommandFailed(Exception):
    """A command ended with another exit code than 0; its message ends with what the command said last."""


@dataclass(frozen=True, slots=True)
class EmptyEnvironment:
    """An environment in a folder of its own; its `bin` comes first on the path."""

    folder: Path

    @classmethod
    def made_in(cls, folder: Path) -> EmptyEnvironment:
        """With pip, and without any other package."""
        venv.create(folder, with_pip=True)
        return cls(folder)

    def install(self, *packages: str) -> None:
        """By pip, from wherever the user's pip takes packages."""
        self.shell(
            self.folder, " ".join(["python -m pip install --quiet", *(f"'{each}'" for each in packages)])
        )

    def shell(self, directory: Path, command: str, **variables: str) -> str:
        """What a command prints that is run in a directory as a user would type it.

        Raises:
            CommandFailed: it ended otherwise than well.
        """
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=directory,
            env=self.variables() | variables,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_GIVE_UP_SECONDS,
        )
        if done.returncode != 0:
            raise CommandFailed(f"{command.strip()} ended with {done.returncode}: {last_words(done.stderr)}")
        return done.stdout

    def variables(self) -> dict[str, str]:
        """The environment variables of its programs, on loopback and in UTC."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_MACHINE)}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return kept | {"PATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "TZ": "UTC"}


def last_words(said: str) -> str:
    """The last lines of what a program said."""
    return "\n".join(line for line in said.splitlines()[-_LAST_LINES:] if line.strip())
