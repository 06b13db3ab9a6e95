# SPDX-License-Identifier: Apache-2.0
"""`python -m stoplog`, where the script is not on the path."""

from __future__ import annotations

from stoplog.cli.main import run

if __name__ == "__main__":
    run()
