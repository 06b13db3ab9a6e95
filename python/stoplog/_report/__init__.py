# SPDX-License-Identifier: Apache-2.0
"""What `stoplog report` shows: what a log and a listing tell, and its page."""
