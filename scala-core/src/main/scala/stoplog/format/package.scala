// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The formats of files, written and read. Row formats by their names, their merging and rejected rows are here.
  *
  * A format turns rows into bytes that stand on their own at the end of each epoch. It knows the output of a part, and neither options nor
  * the commit log. Each library has a package of its own below.
  */
package object format
