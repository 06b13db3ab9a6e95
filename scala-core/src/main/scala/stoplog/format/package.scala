// SPDX-License-Identifier: Apache-2.0
package stoplog

/** File formats for reading and writing. Here are the row formats by name, their compaction, and rejected
  * rows.
  *
  * A format encodes rows as bytes that are self-contained at the end of each epoch. A format depends on the
  * output of a part, but on neither options nor the commit log. Each library has its own subpackage.
  */
package object format
