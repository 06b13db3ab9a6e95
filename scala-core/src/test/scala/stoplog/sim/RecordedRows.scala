// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.format.bulk.LineBlocks
import stoplog.log.LogRecord
import stoplog.part.{Open, SpoolFile}

/** The rows in the files that a record names. The files are there, whole and durable. */
private[sim] object RecordedRows {

  /** Those in the first bytes of a part. Error: a [[Violation]] if these bytes are not there, or not durable. */
  def inPart(record: LogRecord, token: String, bytes: Long, disk: Disk): Vector[String] =
    if (bytes == 0) Vector.empty
    else {
      val inode =
        disk.part(token).getOrElse(violated(s"record ${record.seq} names $token, which is not there"))
      if (inode.durable < bytes) violated(s"$token is recorded with $bytes bytes, not durable")
      inode.rows(bytes.toInt)
    }

  /** Those beside a part. Error: a [[Violation]] if a spool file is not there, or not durable. */
  def beside(part: Open, disk: Disk): Vector[String] =
    part.spooled.files.flatMap(inFile(_, disk)) ++ LineBlocks.beside(part.spooled.inRecord.bytes)

  private def inFile(file: SpoolFile, disk: Disk): Vector[String] = {
    val inode = disk.beside.getOrElse(file.token, violated(s"${file.token} is recorded and not there"))
    if (inode.durable != file.sizeBytes || inode.length != file.sizeBytes)
      violated(
        s"${file.token} is recorded with ${file.sizeBytes} bytes, and has ${inode.durable} durable ones"
      )
    LineBlocks.beside(inode.bytes.take(inode.length))
  }

  private def violated(message: String): Nothing = throw new Violation(message)
}
