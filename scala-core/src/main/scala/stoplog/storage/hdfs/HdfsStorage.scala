// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{IOException, OutputStream}
import java.net.URI
import java.util.UUID

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.storage._
import stoplog.storage.hadoop.{HadoopFileStore, HadoopFiles, Trimming, ValidLengths}
import stoplog.storage.hadoop.HadoopFiles.Renamed

/** HDFS, or another file system with the same capabilities. */
private[stoplog] final class HdfsStorage(
    path: String,
    files: HadoopFiles,
    truncation: Truncation,
    faults: Faults
) extends Storage {
  import HdfsStorage.HdfsFileStore

  override def files(sinkId: String): FileStore = HdfsFileStore.ofSink(files, sinkId)

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def uri(relative: String): URI = files.at(relative).toUri

  override def growth(sinkId: String): Growth = Growth.AppendAndTruncate

  override def probe(sinkId: String, layout: PartLayout): String = {
    store(sinkId, layout).probe()
    val cut = if (truncation == Truncation.Allowed) "cut, " else ""
    s"HDFS: a file was created, appended to, ${cut}renamed, not renamed over another file, and deleted."
  }

  override def refuseUnfit(): Unit = files.refuseUnfit(path)

  override def pathProblem(path: String): Option[String] = HdfsStorage.pathProblem(files, path)

  private def store(sinkId: String, layout: PartLayout): HdfsPartStore = new HdfsPartStore(
    files,
    sinkId,
    layout,
    Trimming.of(truncation, Growth.AppendAndTruncate),
    ValidLengths.of(files, sinkId, truncation),
    faults
  )
}

private[stoplog] object HdfsStorage {

  /** Applies the rules of the HDFS client and the NameNode. */
  private def pathProblem(files: HadoopFiles, path: String): Option[String] =
    if (path.contains(':')) Some("HDFS does not accept ':' in a name")
    else Storage.tooLong(files.at(path).toUri.getPath, MostPathBytes, "HDFS")

  private final val MostPathBytes = 8000

  /** Files on HDFS, durable after the close. The server reports whether a file is open for writing. */
  final class HdfsFileStore(files: HadoopFiles, drafts: Option[String])
      extends HadoopFileStore(files, drafts) {
    @transient private lazy val streams = new HdfsStreams(files)
    @transient private lazy val leases  = new HdfsLeases(files)

    override def isClosed(path: String): Option[Boolean] = io(path)(Some(leases.isClosed(files.at(path))))

    protected override def write(path: Path)(content: OutputStream => Unit): Unit = {
      val stream = streams.create(path)
      try content(stream.out)
      catch { case e: Throwable => stream.out.close(); throw e }
      stream.end()
    }
  }

  object HdfsFileStore {

    /** Returns the files under a sink's path. */
    def ofSink(files: HadoopFiles, sinkId: String): HdfsFileStore =
      new HdfsFileStore(files, Some(SinkDirectory(sinkId).open))
  }

  /** Tries all calls of the sink with tiny files: the start fails, not a later epoch or recovery. */
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
      tried(files.at(s"${SinkDirectory(sinkId).open}/$name"), finished)
      if (layout.root.isEmpty)
        tried(files.at(s"$name.open"), finished) // unfinished parts are next to the finished parts
    }

    /** Tries the way from the directory of unfinished parts to the directory of finished parts, which may be
      * in another encryption zone, or mounted.
      */
    private def tried(staged: Path, finished: Path): Unit =
      try {
        write(staged)
        if (trimming != Trimming.ValidLength) cut(staged)
        if (files.rename(staged, finished) != Renamed.Done)
          throw new IOException(s"$staged could not be renamed to $finished")
        (staged +: others(staged)).foreach(refuseReplacing(_, finished))
      } catch { case NonFatal(e) => throw Errors.pathNotWritable(files.root, reason(e)) }
      finally Seq(staged, finished).foreach(path => Try(files.delete(path)))

    /** A router with a mount of several clusters selects the cluster by the name of the source, and looks for
      * the target in this cluster only.
      */
    private def others(staged: Path): Seq[Path] =
      Seq.fill(OtherNames)(new Path(staged.getParent, s".probe.${UUID.randomUUID()}"))

    private def refuseReplacing(source: Path, finished: Path): Unit =
      try {
        streams.create(source).end()
        if (files.rename(source, finished) != Renamed.TargetThere)
          throw new IOException("renaming a file replaces a file that has the name already")
      } finally Try(files.delete(source)): Unit

    private def write(path: Path): Unit = Seq(streams.create _, streams.append _).foreach { open =>
      val stream = open(path)
      try stream.out.write('x')
      finally stream.end()
    }

    private def cut(path: Path): Unit = {
      leases.end(path)
      // To length 0: if a block is split, the DataNodes need until their next heartbeat.
      if (!files.fileSystem.truncate(path, 0)) leases.awaitClosed(path)
      val left = files.fileSystem.getFileStatus(path).getLen
      if (left != 0) throw new IOException(s"a file of 2 bytes has $left after a cut to 0")
    }

    /** Of two clusters, all names select the same one with a probability of 1/256. */
    private final val OtherNames = 8

    private def reason(e: Throwable): String = e match {
      case io: IOException                       => HadoopFiles.reason(io)
      case unable: UnsupportedOperationException => s"its file system cannot do it (${unable.getMessage})"
      case other                                 => other.toString
    }
  }
}
