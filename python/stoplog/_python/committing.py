# SPDX-License-Identifier: Apache-2.0
"""The driver's half of a two-phase sink, which carries out the jar's calls."""

from __future__ import annotations

import base64
from typing import Any

from stoplog._python import guarding
from stoplog._python.model import CommitOutcome, Prepared, Staged, StagedLost, WrongUse
from stoplog._python.owner import is_of_other


class CommitterSide:
    """Carries out the calls of the jar by a committer of user code, with values that JSON has."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink
        self._made: Any = None

    @property
    def _committer(self) -> Any:
        if self._made is None:
            self._made = self._sink.committer()
            if not callable(getattr(self._made, "commit", None)):
                raise WrongUse("committer returned an object without a method commit. Add the method.")
        return self._made

    def commit(self, parts: list[list[Any]]) -> list[str]:
        """Commits outputs, and returns a word for the outcome of each."""
        requested = [
            Prepared(base64.b64decode(token), rows, size, name, version)
            for name, version, token, rows, size in parts
        ]
        together = getattr(self._committer, "commit_all", None)
        if together is not None:
            found = guarding.outcomes(together(requested), requested, "commit_all")
        else:
            found = [self._one(each) for each in requested]
        return [outcome.value for outcome in found]

    def staged(self, query: str | None = None) -> list[list[Any]]:
        """Returns the tokens of uncommitted output, with the time of the last change in milliseconds.

        Args:
            query: the id of the query that recovers its output. The output of other queries is left out:
                only their own logs name their output.
        """
        found = self._found() or []
        own = [of for of in found if query is None or not is_of_other(of.token, query)]
        return [[base64.b64encode(of.token).decode("ascii"), int(of.modified_at * 1000)] for of in own]

    def refuse_lost(self, tokens: list[str]) -> None:
        """Raises `StagedLost` if prepared output is gone before a record decides to commit the output."""
        found = self._found()
        if found is None:
            return
        present = {of.token for of in found}
        gone = sum(base64.b64decode(token) not in present for token in tokens)
        if gone:
            raise StagedLost(gone)

    def abort(self, token: str, version: int) -> None:
        """Undoes uncommitted output; the version is 0 for output that `staged` has found."""
        undo = getattr(self._committer, "abort", None)
        if undo is not None:
            undo(Prepared(base64.b64decode(token), 0, version=version))

    def close(self) -> None:
        """Closes the committer, if there is one and it can be closed."""
        close = getattr(self._made, "close", None)
        if close is not None:
            close()

    def _found(self) -> list[Staged] | None:
        """Returns the uncommitted output; `None` if the committer does not look for output."""
        find = getattr(self._committer, "staged", None)
        # The default of the base class finds nothing.
        if find is None or getattr(find, "__qualname__", "") == "TwoPhaseCommitter.staged":
            return None
        return guarding.staged(find())

    def _one(self, requested: Prepared) -> CommitOutcome:
        return guarding.outcomes(self._committer.commit(requested), [requested], "commit")[0]
