// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** The options of a read or a write, and their parsed values. */
package object options
