# SPDX-License-Identifier: Apache-2.0
"""Functions that another process finds again, and those that it would not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stoplog.testing._process import FunctionName


def top(*arguments: Any) -> Any:
    return arguments


class Holder:
    def method(self) -> None: ...


def made() -> Callable[..., Any]:
    def inner() -> None: ...

    return inner


def test_a_function_at_the_top_of_a_module_is_found_again() -> None:
    name = FunctionName.of(top)
    assert Path(name.file) == Path(__file__).resolve()
    assert name.find()(1) == (1,)


@pytest.mark.parametrize("function", [lambda: None, made(), Holder().method, Holder.method, Holder(), len])
def test_a_function_that_is_not_at_the_top_of_a_module_is_rejected(function: Any) -> None:
    with pytest.raises(TypeError, match=r"not a top-level function(?s:.*)arguments=\{…\}"):
        FunctionName.of(function)


def test_a_module_with_an_ambiguous_name_is_found_by_file(tmp_path: Path) -> None:
    file = tmp_path / "json.py"
    file.write_text("def build():\n    return 'mine'\n")
    assert FunctionName("json_of_mine", str(file), "build").find()() == "mine"
    # The name of a module of Python's own, in a process of its own, which it would spoil.
    code = (
        "from stoplog.testing._process import FunctionName as F;"
        f"print(F('__main__', {str(file)!r}, 'build').find()())"
    )
    path = str(Path(sys.modules["stoplog"].__path__[0]).parent)
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": path}, text=True)
    assert said == "mine\n"
