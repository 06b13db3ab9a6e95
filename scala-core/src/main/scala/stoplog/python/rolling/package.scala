// SPDX-License-Identifier: Apache-2.0
package stoplog.python

/** Rolling policies in Python. */
package object rolling
