// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.net.URI

import stoplog.fault.Faults
import stoplog.storage._
import stoplog.storage.hadoop.{HadoopFiles, Trimming, ValidLengths}

/** HDFS, or another file system with its capabilities. */
private[stoplog] final class HdfsStorage(
    path: String,
    files: HadoopFiles,
    truncation: Truncation,
    faults: Faults
) extends Storage {

  override def files(sinkId: String): FileStore = HdfsFileStore.ofSink(files, sinkId)

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def uri(relative: String): URI = files.at(relative).toUri

  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    store(sinkId, layout).probe()
    val cut = if (truncation == Truncation.Allowed) "cut, " else ""
    s"HDFS: a file was created, appended to, ${cut}renamed, not renamed over another one, and deleted."
  }

  override def refuseUnfit(): Unit = files.refuseUnfit(path)

  private[stoplog] def root: String = files.root

  private def store(sinkId: String, layout: PartLayout): HdfsPartStore = new HdfsPartStore(
    files,
    sinkId,
    layout,
    Trimming.of(truncation, Growth.AppendAndTruncate),
    ValidLengths.of(files, sinkId, truncation),
    faults
  )
}
