# SPDX-License-Identifier: Apache-2.0
"""All rules, in the order in which a user should repair the environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stoplog._doctor import jar_rules, machine_rules, setting_rules, version_rules
from stoplog._doctor.environment import Environment
from stoplog._doctor.finding import Finding

Rule = Callable[[Environment], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    version_rules.java,
    version_rules.spark,
    version_rules.scala,
    version_rules.hadoop,
    version_rules.delta,
    version_rules.driver_python,
    version_rules.python,
    version_rules.pyarrow,
    version_rules.connect,
    jar_rules.own_jar,
    jar_rules.absent_files,
    jar_rules.releases,
    jar_rules.several_cores,
    jar_rules.connectors,
    jar_rules.modules,
    jar_rules.file_systems,
    setting_rules.schemes,
    setting_rules.packages_on_clusters,
    setting_rules.arguments,
    setting_rules.settings,
    machine_rules.locale,
    machine_rules.open_files,
    machine_rules.time_zone,
    machine_rules.clock,
    machine_rules.directories,
)


def examine(environment: Environment) -> tuple[Finding, ...]:
    """Returns the findings of all rules."""
    return tuple(finding for rule in RULES for finding in rule(environment))
