# SPDX-License-Identifier: Apache-2.0
"""Runs the command line by `python -m stoplog`, for environments without the script on the path."""

from __future__ import annotations

from stoplog.cli.main import run

if __name__ == "__main__":
    run()
