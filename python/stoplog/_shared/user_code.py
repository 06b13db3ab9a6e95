# SPDX-License-Identifier: Apache-2.0
"""Failures of user code in tasks.

The module travels to the tasks, whose Python may lack this package, and imports nothing else of the package.
"""

from __future__ import annotations

import traceback


class PythonFailed(RuntimeError):
    """User code raised an exception in a task. The text has the condition and the user's traceback.

    Spark sends only the text of a worker's exception to the driver.

    >>> print(PythonFailed("The Python method write of Shop", ValueError("no amount"), task_clause(7, 3)))
    [STOPLOG_PYTHON_FAILED] The Python method write of Shop failed in epoch 7, partition 3: ValueError: no \
amount. Correct the code, or the cause outside of the code. Restart the query.
    ValueError: no amount

    Args:
        owner: the subject of the sentence.
        where: the result of `task_clause`; empty outside of a task.
    """

    def __init__(self, owner: str, error: BaseException, where: str) -> None:
        why = f"{type(error).__name__}: {text_of(error)}".rstrip(".")
        super().__init__(
            f"[STOPLOG_PYTHON_FAILED] {owner} failed{where}: {why}. Correct the code, or the cause outside "
            f"of the code. Restart the query.\n{''.join(traceback.format_exception(error)).rstrip()}"
        )


def text_of(error: BaseException) -> str:
    """Returns the text of an error of user code, whose `__str__` may fail as well.

    >>> text_of(ValueError("no amount"))
    'no amount'
    """
    try:
        return str(error)
    except Exception as failure:
        return f"its __str__ raised {type(failure).__name__}"


def task_clause(epoch: int | str | None, partition: int) -> str:
    """Returns a task as a clause that follows a verb. The epoch is `None` in a batch query.

    >>> task_clause(None, 3)
    ' in a batch query, partition 3'
    """
    return f" in {'a batch query' if epoch is None else f'epoch {epoch}'}, partition {partition}"


def described(value: object) -> str:
    """Returns the type of a value for a message.

    >>> described(None), described([1]), described(1.5), described(3)
    ('None', 'a list', 'a float', 'an int')
    """
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"
