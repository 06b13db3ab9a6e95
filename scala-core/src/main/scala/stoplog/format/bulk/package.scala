// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Formats that encode many rows at once, and their parts across epochs.
  *
  * [[BlockFormat]] has blocks and a tail listing the blocks. Its rows wait in memory, on the local disk, and
  * between epochs in spool files until they fill a block. [[SyncedFormat]] ends a block with each epoch, and
  * no rows wait. The package depends on `commit`'s interfaces for writing parts, and on no format library.
  */
package object bulk
