# SPDX-License-Identifier: Apache-2.0
"""The names of finished parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stoplog._values import present


@dataclass(frozen=True, slots=True)
class OutputFileConfig:
    """The start and the end of a finished part's name, `<prefix>-<uid>-<n><suffix>`.

    Args:
        part_prefix: `part` by default.
        part_suffix: with its dot; by default it follows from format and compression,
            such as `.json.gz`.

    >>> OutputFileConfig(part_prefix="events").options()
    {'partPrefix': 'events'}
    """

    part_prefix: str | None = None
    part_suffix: str | None = None

    def __post_init__(self) -> None:
        # A wrong value fails here, in the line that gave it.
        self.options()

    @staticmethod
    def builder() -> OutputFileConfigBuilder:
        """PyFlink's and Flink's way to make one, step by step.

        >>> OutputFileConfig.builder().with_part_prefix("pre").with_part_suffix(".ext").build()
        OutputFileConfig(part_prefix='pre', part_suffix='.ext')
        """
        return OutputFileConfigBuilder()

    def options(self) -> dict[str, str]:
        """The options that these names stand for."""
        return present({"partPrefix": self.part_prefix, "partSuffix": self.part_suffix})


@dataclass(frozen=True, slots=True)
class OutputFileConfigBuilder:
    """Builds an `OutputFileConfig`. Immutable: each method returns a new builder.

    >>> OutputFileConfigBuilder().with_part_suffix(".log").build().options()
    {'partSuffix': '.log'}
    """

    _config: OutputFileConfig = field(default_factory=OutputFileConfig)

    def with_part_prefix(self, prefix: str) -> OutputFileConfigBuilder:
        """The start of every part's name; `part` by default."""
        return OutputFileConfigBuilder(replace(self._config, part_prefix=prefix))

    def with_part_suffix(self, suffix: str) -> OutputFileConfigBuilder:
        """The end of every part's name, with its dot; by default from format and compression."""
        return OutputFileConfigBuilder(replace(self._config, part_suffix=suffix))

    def build(self) -> OutputFileConfig:
        """The names as set so far."""
        return self._config
