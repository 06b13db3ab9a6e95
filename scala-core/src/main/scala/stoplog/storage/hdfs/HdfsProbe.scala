// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException
import java.util.UUID

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.PartLayout
import stoplog.storage.hadoop.{HadoopFiles, Renamed, Trimming}

/** Does with tiny files what the sink will do with full ones, so that a start fails and not the first epoch, or worse,
  * the first recovery.
  */
private[hdfs] final class HdfsProbe(
    files: HadoopFiles,
    streams: HdfsStreams,
    leases: HdfsLeases,
    trimming: Trimming
) {

  /** Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(sinkId: String, layout: PartLayout): Unit = {
    val name     = s".probe.${UUID.randomUUID()}"
    val finished = files.at(name)
    tried(files.at(s"_stoplog/$sinkId/open/$name"), finished)
    if (layout.root.isEmpty) tried(files.at(s"$name.open"), finished) // parts begin beside the finished ones
  }

  /** From where parts lie to where they are published, which may be in another encryption zone, or mounted. */
  private def tried(staged: Path, finished: Path): Unit =
    try {
      write(staged)
      if (trimming != Trimming.ValidLength) cut(staged)
      if (files.rename(staged, finished) != Renamed.Done)
        throw new IOException(s"$staged could not be renamed to $finished")
      streams.create(staged).end()
      if (files.rename(staged, finished) != Renamed.TargetThere)
        throw new IOException("renaming a file replaces what is there")
    } catch { case NonFatal(e) => throw Errors.pathNotWritable(files.root, reason(e)) }
    finally Seq(staged, finished).foreach(path => Try(files.delete(path)))

  private def write(path: Path): Unit = Seq(streams.create _, streams.append _).foreach { open =>
    val stream = open(path)
    try stream.out.write('x')
    finally stream.end()
  }

  private def cut(path: Path): Unit = {
    leases.end(path)
    // To nothing: cutting a block in two takes DataNodes until their next heartbeat.
    if (!files.fileSystem.truncate(path, 0)) leases.awaitClosed(path)
    val left = files.fileSystem.getFileStatus(path).getLen
    if (left != 0) throw new IOException(s"a file of 2 bytes has $left after it was cut to none")
  }

  private def reason(e: Throwable): String = e match {
    case io: IOException                       => HadoopFiles.reason(io)
    case unable: UnsupportedOperationException => s"its file system cannot do it (${unable.getMessage})"
    case other                                 => other.toString
  }
}
