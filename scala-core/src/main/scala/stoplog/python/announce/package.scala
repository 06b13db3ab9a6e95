// SPDX-License-Identifier: Apache-2.0
package stoplog.python

/** Functions and classes of the user in Python as targets of announcements. */
package object announce
