# SPDX-License-Identifier: Apache-2.0
"""A Python process of the JVM. A line of JSON on standard input is a call, a line on output its answer.

A call names an object, a method and the arguments. The object 0 is this program, with the methods of
`Process`. The first line of output describes this Python. Output of user code goes to standard error.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback

CLOSE_SECONDS = 1.0
"""The time for the methods `close` after the end of the input. The driver waits a little longer."""


class Process:
    """The objects that calls can name."""

    def __init__(self):
        self.objects = {0: self}
        self.newest = 0
        self.is_busy = True

    def load(self, pickled):
        """Adds the object that the pickled function returns, and returns the number of the object."""
        made = pickle.loads(base64.b64decode(pickled))()
        self.newest += 1
        self.objects[self.newest] = made
        return self.newest

    def close(self, number):
        """Removes an object, and calls its method `close`, if there is one."""
        made = self.objects.pop(number, None)
        close = getattr(made, "close", None)
        if close is not None:
            close()

    def close_all(self):
        """Closes the objects that the last user of this process has left for a later user."""
        for number in list(self.objects)[1:]:
            try:
                self.close(number)
            except BaseException:
                traceback.print_exc()

    def answer(self, line):
        call = json.loads(line)
        try:
            found = getattr(self.objects[call["on"]], call["method"])(*call["arguments"])
            return json.dumps({"answer": found}, allow_nan=False)
        except BaseException as error:  # also SystemExit: user code must not end the process
            return json.dumps({"error": described(error)})


def described(error):
    """Returns the error as one line, and its traceback without the frames of stoplog above user code."""
    entries = error.__traceback__
    while entries is not None and is_own(entries.tb_frame):
        entries = entries.tb_next
    last = f"{type(error).__name__}: {text_of(error)}".strip()
    shown = "".join(traceback.format_exception(type(error), error, entries)).strip()
    return {
        "type": type(error).__name__,
        "summary": " ".join(last.split()),
        "traceback": shown if entries is not None else "",
    }


def text_of(error):
    try:
        return str(error)
    except Exception as failure:  # this process must answer
        return f"its __str__ raised {type(failure).__name__}"


def is_own(frame):
    name = frame.f_globals.get("__name__", "")
    return frame.f_globals is globals() or name.split(".")[0] == "stoplog"


def read(lines, calls, process):
    for line in lines:
        calls.put(line)
    calls.put(None)
    if not process.is_busy:
        time.sleep(CLOSE_SECONDS)
    end()


def end():
    """Ends this process and the processes that it has started, even during a call."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def main():
    os.setpgid(0, 0)  # the driver decides when this process ends, and not Ctrl-C in its terminal
    # User code gets neither the calls nor the answers: both have descriptors of their own.
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)

    def leave():
        os.dup2(nothing, lines.fileno(), inheritable=False)
        os.dup2(2, answers.fileno(), inheritable=False)

    # A child of a fork would keep both open, and the driver would wait for a process that has ended.
    os.register_at_fork(after_in_child=leave)
    calls = queue.Queue()
    # A thread, so that the process ends with its driver even if a call hangs.
    process = Process()
    threading.Thread(target=read, args=(lines, calls, process), daemon=True).start()

    def tell(line):
        answers.write(line + "\n")
        answers.flush()

    tell(
        json.dumps({"version": f"{sys.version_info[0]}.{sys.version_info[1]}", "executable": sys.executable})
    )
    # Takes most of the start, beside the driver's own work. Without pyspark, the first object reports that.
    with contextlib.suppress(ImportError):
        import pyspark.cloudpickle  # noqa: F401
    process.is_busy = False
    while (line := calls.get()) is not None:
        process.is_busy = True
        answer = process.answer(line)
        process.is_busy = False  # first: the driver may end the input as soon as it has the answer
        tell(answer)
    process.close_all()
    end()


main()
