// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The stores of a sink id under a path.
  *
  * The package creates the stores for `commit` from a path, durability options and a Hadoop configuration.
  */
package object stores
