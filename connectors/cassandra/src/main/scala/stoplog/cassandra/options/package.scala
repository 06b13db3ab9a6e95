// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** The options of a read or a write, and the values that they are read as. */
package object options
