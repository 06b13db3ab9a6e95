// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.options.Truncation
import stoplog.preflight.Finding
import stoplog.rolling.RollingPolicy
import stoplog.storage.{FileStore, PartLayout, PartStore}
import stoplog.storage.hadoop._
import stoplog.storage.hdfs.{HdfsFileStore, HdfsPartStore}

/** HDFS, or whatever has its abilities. */
private[stoplog] final case class OnHdfs(
    path: String,
    files: HadoopFiles,
    truncation: Truncation
) extends SinkPlace {

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def files(sinkId: String): FileStore = HdfsFileStore.ofSink(files, sinkId)

  override def pathOf(relative: String): HadoopPath = files.at(relative)

  override def probe(sinkId: String, layout: PartLayout): Unit = store(sinkId, layout).probe()

  override def shown(sinkId: String, policy: RollingPolicy): Vector[Finding] = {
    val cut = if (truncation == Truncation.Allowed) "cut, " else ""
    Vector(
      Finding.Ok(
        "storage",
        s"HDFS: a file was created, appended to, ${cut}renamed, not renamed over another one, and deleted."
      )
    )
  }

  override def refuseIfHopeless(): Unit = files.writing(files.at("")) {
    files.obstacle().foreach(there => throw Errors.pathNotWritable(path, s"$there is not a directory"))
  }

  private def store(sinkId: String, layout: PartLayout): HdfsPartStore = new HdfsPartStore(
    files,
    sinkId,
    layout,
    HadoopChoices.trimming(truncation, Growth.AppendAndTruncate),
    HadoopChoices.lengths(files, sinkId, truncation),
    Faults.ofThisJvm
  )
}
