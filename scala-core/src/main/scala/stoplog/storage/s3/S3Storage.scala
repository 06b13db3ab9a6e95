// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.IOException
import java.net.URI

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.storage._
import stoplog.storage.hadoop.HadoopFiles

/** S3, or another store with uploads and conditional writes. Unfinished parts are uploads, whose names no layout chooses,
  * and which are durable as soon as the store has acknowledged them.
  */
private[stoplog] final class S3Storage(path: String, files: HadoopFiles, faults: Faults) extends Storage {

  override def files(sinkId: String): FileStore = new S3FileStore(files)

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new S3PartStore(files, sinkId, S3Settings(), faults)

  override def uri(relative: String): URI = files.at(relative).toUri

  /** By copies of the tail, within an upload. */
  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    S3Probe.probe(files, sinkId)
    "S3: an object was written, not written where there is one, and deleted; an upload was begun and ended."
  }

  /** Looks at the path alone: above it, the user may have no rights. */
  override def refuseUnfit(): Unit =
    try
      if (files.status(files.at("")).exists(_.isFile))
        throw Errors.pathNotWritable(path, s"${files.root} is not a directory")
    catch { case e: IOException => throw Errors.pathNotWritable(path, HadoopFiles.reason(e)) }

  override def finishesAnywhere: Boolean = false
}
