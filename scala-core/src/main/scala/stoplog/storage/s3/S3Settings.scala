// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

/** How parts are cut into the pieces that S3 takes.
  *
  * @param partBytes         the size of every part of an upload but the last: at least 5 MiB, which S3 demands. One
  *                          object has at most 10,000 of them
  * @param largePartBytes    the same for an upload whose first epoch brings as much: fewer requests for large epochs
  * @param tailInRecordBytes up to how many bytes behind the last full part are kept in the commit record; more of
  *                          them become an object of their own at each epoch
  * @param uploadThreads     how many parts of one process are on their way at once; who has more to send waits
  */
final case class S3Settings(
    partBytes: Int = 8 << 20,
    largePartBytes: Int = 16 << 20,
    tailInRecordBytes: Int = 2 << 10,
    uploadThreads: Int = 4
) {
  require(partBytes >= S3Settings.MinPartBytes, s"partBytes must be at least ${S3Settings.MinPartBytes}")
  require(largePartBytes >= partBytes, "largePartBytes must not be less than partBytes")
  require(tailInRecordBytes >= 0, "tailInRecordBytes must not be negative")
  require(uploadThreads > 0, "uploadThreads must be positive")
}

object S3Settings {

  /** The size that S3 demands of every part of an upload but the last. */
  val MinPartBytes: Int = 5 << 20
}
