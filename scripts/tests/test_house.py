# SPDX-License-Identifier: Apache-2.0
"""The figures of the code's shape: definitions are found as the compiler sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

import house

CODE = """// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** Files. No class A extends FileStore. */
trait FileStore
trait PartStore extends Serializable
sealed trait Outcome

private[storage] final class Wide[A <: Any](
    root: String,
    @transient private val name: String = s"a) extends PartStore {",
    then: A => Unit
) extends FileStore
    with Serializable {
  private final class Inner(left: Int) extends PartStore
  private val one = new FileStore {}
}

class Heir private[storage] (root: String)
    extends Wide[String](root, "b", _ => ())

class Plain
object Other extends PartStore { def hand(files: FileStore): Unit = () }
"""


def sources(folder: Path, code: str = CODE) -> list[house.Source]:
    (folder / "Code.scala").write_text(code)
    return house.sources(folder)


def of(figure: house.Figure) -> tuple[str, list[str]]:
    return figure.value, [line.partition(":")[0] for line in figure.findings]


def test_a_class_is_found_after_parameters_nested_and_by_inheritance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "ROOT", tmp_path)
    every, seams = house.storage(sources(tmp_path))
    assert of(every) == of(seams)
    assert of(seams) == (
        "2 / 4",
        [
            "FileStore",
            "PartStore",
            "Heir (FileStore)",
            "Inner (PartStore)",
            "Other (PartStore)",
            "Wide (FileStore)",
        ],
    )


def test_a_definition_without_a_body_has_no_parents_of_the_next_definition(tmp_path: Path) -> None:
    code = (
        "package stoplog.storage\n\ntrait FileStore\n\nclass A(\n    n: Int\n)\n\nclass B extends FileStore\n"
    )
    found = {name: parents for _, name, parents in house._parents(sources(tmp_path, code)[0])}
    assert found == {"FileStore": set(), "A": set(), "B": {"FileStore"}}


PAGE = """# Page

## The path of a thing

| | class | work |
|--:|---|---|
| 1 | `storage.Plain` | works |
| 2 | `storage.Heir.Nested`, its `storage.Other` | works |

## Words

| 3 | `storage.Missing` | is not on a path |
"""


def test_the_classes_of_each_path_are_counted(tmp_path: Path) -> None:
    (figure,) = house.paths(sources(tmp_path), PAGE)
    assert (figure.name, figure.value) == ("classes on the path of a thing", "2")
    assert figure.findings == ("storage.Plain", "storage.Heir.Nested")


def test_a_class_of_a_path_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"storage\.Gone"):
        list(house.paths(sources(tmp_path), PAGE.replace("storage.Plain", "storage.Gone")))


def test_a_row_and_an_epoch_pass_at_most_fourteen_classes() -> None:
    page = house.ARCHITECTURE.read_text(encoding="utf-8")
    found = {figure.name: int(figure.value) for figure in house.paths(house.sources(house.CORE), page)}
    assert len(found) == 3
    assert max(found.values()) <= 14
