# SPDX-License-Identifier: Apache-2.0
"""The figures of sinks for Prometheus, read from their directories."""
