// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The stores of one sink id under one path, and the files of a query's checkpoint.
  *
  * Here a path, options of durability and a Hadoop configuration become the stores that `commit` drives.
  */
package object place
