# SPDX-License-Identifier: Apache-2.0
"""The names of finished parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stoplog._text.values import present


@dataclass(frozen=True, slots=True)
class OutputFileConfig:
    """The prefix and the suffix of a finished part's name, `<prefix>-<uid>-<n><suffix>`.

    Args:
        part_prefix: `part` by default.
        part_suffix: with its dot; derived from format and compression by default, such as `.json.gz`.

    >>> OutputFileConfig(part_prefix="events").options()
    {'partPrefix': 'events'}
    """

    part_prefix: str | None = None
    part_suffix: str | None = None

    def __post_init__(self) -> None:
        # An invalid value fails at the construction.
        self.options()

    @staticmethod
    def builder() -> OutputFileConfigBuilder:
        """Creates a builder, as in PyFlink and Flink.

        >>> OutputFileConfig.builder().with_part_prefix("pre").with_part_suffix(".ext").build()
        OutputFileConfig(part_prefix='pre', part_suffix='.ext')
        """
        return OutputFileConfigBuilder()

    def options(self) -> dict[str, str]:
        """Returns the options of these names."""
        return present({"partPrefix": self.part_prefix, "partSuffix": self.part_suffix})


@dataclass(frozen=True, slots=True)
class OutputFileConfigBuilder:
    """Builds an `OutputFileConfig`. Immutable: each method returns a new builder.

    >>> OutputFileConfigBuilder().with_part_suffix(".log").build().options()
    {'partSuffix': '.log'}
    """

    _config: OutputFileConfig = field(default_factory=OutputFileConfig)

    def with_part_prefix(self, prefix: str) -> OutputFileConfigBuilder:
        """Sets the prefix of every part's name; `part` by default."""
        return OutputFileConfigBuilder(replace(self._config, part_prefix=prefix))

    def with_part_suffix(self, suffix: str) -> OutputFileConfigBuilder:
        """Sets the suffix of each part's name, with its dot; by default from format and compression."""
        return OutputFileConfigBuilder(replace(self._config, part_suffix=suffix))

    def build(self) -> OutputFileConfig:
        """Returns the names."""
        return self._config
