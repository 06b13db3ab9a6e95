# SPDX-License-Identifier: Apache-2.0
"""Checks of an environment: the facts, the rules over the facts, and the code that gathers the facts."""

from __future__ import annotations
