// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Several finished files of one format as one file, block by block where the format allows it.
  *
  * Which files are merged is decided in `commit` (small parts of a query) and `merge` (a batch command).
  */
package object compact
