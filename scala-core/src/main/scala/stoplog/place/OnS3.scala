// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import java.io.IOException

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.preflight.{Finding, Lifecycle}
import stoplog.rolling.RollingPolicy
import stoplog.storage.{FileStore, PartLayout, PartStore}
import stoplog.storage.hadoop.HadoopFiles
import stoplog.storage.s3._

/** S3, or whatever has uploads and conditional writes. Unfinished parts are uploads, which have no name that a layout
  * could choose, and are durable as soon as they are acknowledged.
  */
private[stoplog] final case class OnS3(path: String, files: HadoopFiles) extends SinkPlace {

  override def finishesAnywhere: Boolean = false

  override def parts(sinkId: String, layout: PartLayout): PartStore =
    new S3PartStore(files, sinkId, S3Settings(), Faults.ofThisJvm)

  override def files(sinkId: String): FileStore = new S3FileStore(files)

  override def pathOf(relative: String): HadoopPath = files.at(relative)

  override def probe(sinkId: String, layout: PartLayout): Unit = S3Probe.probe(files, sinkId)

  override def shown(sinkId: String, policy: RollingPolicy): Vector[Finding] = Vector(
    Finding.Ok(
      "storage",
      "S3: an object was written, not written where there is one, and deleted; an upload was begun and ended."
    ),
    Lifecycle.unknown(policy)
  )

  /** At the path alone: above it, the user may have no rights. */
  override def refuseIfHopeless(): Unit =
    try
      if (files.status(files.at("")).exists(_.isFile))
        throw Errors.pathNotWritable(path, s"${files.root} is not a directory")
    catch { case e: IOException => throw Errors.pathNotWritable(path, HadoopFiles.reason(e)) }
}
