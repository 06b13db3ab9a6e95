// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Formats that encode many rows at once, and their parts across epochs.
  *
  * [[BulkFormat]] has blocks and an end that lists them: its rows wait in memory, on the local disk, and between epochs in spool files
  * until they fill a block. [[SyncedFormat]] ends a block with each epoch, and nothing waits. The package knows the seams of `commit`
  * that parts are written through, and no library of a format.
  */
package object bulk
