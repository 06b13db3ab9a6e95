# SPDX-License-Identifier: Apache-2.0
"""A report as an object."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from stoplog._html.markup import text
from stoplog._html.style import page, styled
from stoplog._report.figures import Figures
from stoplog._report.sections import sections


@dataclass(frozen=True, slots=True, repr=False)
class SinkReport:
    """What a sink has done, as a page: one file that needs nothing from elsewhere, light and dark.

    In a notebook it shows itself.

    Attributes:
        figures: the numbers that are on the page.

    Example:
        stoplog.inspect("/data/out").report().save("report.html")
    """

    figures: Figures

    @property
    def html(self) -> str:
        """The whole page."""
        title = text(f"{self.figures.path} ({self.figures.status.sink.sink_id}) – stoplog")
        return page(title, *sections(self.figures))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a local file, over one that is there, and answers where. Raises `OSError`."""
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"SinkReport({self.figures.path!r}, {self.figures.status.sink.sink_id!r})"

    def _repr_html_(self) -> str:
        return styled(*sections(self.figures))
