// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Writes several finished files of one format as one file, block by block if the format allows this.
  *
  * `commit` decides about the small parts of a query, `compact.job` about the files of a batch command.
  */
package object compact
