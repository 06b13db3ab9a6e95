# SPDX-License-Identifier: Apache-2.0
"""HTML and SVG from Python strings: escaped, static, without external resources."""
