# SPDX-License-Identifier: Apache-2.0
"""Runs the command line by `python -m stoplog.cli`, for environments without the script."""

from __future__ import annotations

from stoplog.cli.main import run

if __name__ == "__main__":
    run()
