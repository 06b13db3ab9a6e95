# SPDX-License-Identifier: Apache-2.0
"""The report of `stoplog report`: figures from a log and a listing, and the HTML page."""
