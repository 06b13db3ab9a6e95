# SPDX-License-Identifier: Apache-2.0
"""Objects of user code with connections, which they open again after a failure."""

from __future__ import annotations

import sys
import traceback
from typing import Any


class Reopening:
    """A block that opens an object of the user: the first block, and the first block after an exception.

    A connection that has failed may fail all later calls: its server has restarted, or its transaction is
    aborted. The callers repeat calls with the same object.
    """

    def __init__(self, user: Any) -> None:
        self._user = user
        self._is_open = False

    def __enter__(self) -> Any:
        """Returns the object, which is open within the block."""
        if not self._is_open:
            called(self._user, "open")
            self._is_open = True
        return self._user

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Closes the object after an exception in the block, also after `SystemExit`."""
        if kind is None:
            return
        try:
            self.close()
        except (Exception, SystemExit):
            traceback.print_exc(file=sys.stderr)  # the caller reports the first failure

    def close(self) -> None:
        """Closes the object, if it is open and can be closed."""
        if self._is_open:
            self._is_open = False
            called(self._user, "close")


def called(user: Any, method: str, *arguments: Any) -> None:
    """Calls a method, if the object has the method."""
    found = getattr(user, method, None)
    if found is not None:
        found(*arguments)
