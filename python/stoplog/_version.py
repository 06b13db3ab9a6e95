"""The one place where the version is written: sbt and the wheel read this line."""

from __future__ import annotations

__version__ = "0.1.0"
