# SPDX-License-Identifier: Apache-2.0
"""What `make test-pythons` runs in an environment that has only the wheel.

Every module is imported, builders describe a sink, a directory is read, and the command line answers.
"""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path
from tempfile import TemporaryDirectory

import made_sink
import user_script

import stoplog


def main() -> None:
    assert "site-packages" in stoplog.__file__, f"{stoplog.__file__} is not that of the wheel"
    import_everything()
    assert Path(stoplog.jar()).is_file()
    with TemporaryDirectory() as folder:
        made_sink.healthy(Path(folder))
        assert "main" in user_script.look(folder)
        command = Path(sys.executable).with_name("stoplog")
        for arguments in (["--version"], ["--help"], ["ls", folder], ["status", folder], ["check", folder]):
            subprocess.run([str(command), *arguments], check=True, stdout=subprocess.DEVNULL)


def import_everything() -> None:
    for module in pkgutil.walk_packages(stoplog.__path__, "stoplog."):
        # Importing a program runs it.
        if not module.name.endswith("__main__"):
            with suppress(NotInstalled):
                imported(module.name)


class NotInstalled(Exception):
    """A module needs a package that the user chooses to have."""


def imported(name: str) -> None:
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in optional():
            raise
        raise NotInstalled from error


def optional() -> set[str]:
    """The modules of the packages that the wheel names with its extras; PySpark brings Py4J."""
    named = (
        re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in requires("stoplog") or [] if "extra ==" in each
    )
    return {name.replace("-", "_") for name in named} | {"py4j"}


if __name__ == "__main__":
    main()
