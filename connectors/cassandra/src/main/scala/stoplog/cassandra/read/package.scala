// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** A table as a source of splits: the plan of splits by tokens or by keys, and the reader of their pages. The
  * package implements [[stoplog.source]].
  */
package object read
