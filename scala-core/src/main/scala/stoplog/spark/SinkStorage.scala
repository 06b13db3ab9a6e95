package stoplog.spark

import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}
import org.apache.spark.sql.SparkSession

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.{CommitLog, RecordStore}
import stoplog.options.{Durability => AskedDurability, Staging}
import stoplog.store.{JobStore, PartLayout}
import stoplog.store.local.{Durability, LocalJobStore, LocalPartStore, LocalRecords}

/** The two stores of one sink id under one path. Goes to the executors.
  *
  * @param path as the user wrote it, for messages
  * @param root as a plain file path
  */
private[spark] final class SinkStorage private (
    val path: String,
    val root: String,
    val sinkId: String,
    layout: PartLayout,
    durability: Durability
) extends Serializable {
  @transient lazy val parts: LocalPartStore =
    new LocalPartStore(root, sinkId, layout, durability, Faults.ofThisJvm)

  @transient lazy val records: RecordStore = new LocalRecords(root, sinkId, durability, Faults.ofThisJvm)

  /** The directory of this sink id, which for a batch job is its own. */
  def job: JobStore = new LocalJobStore(root, sinkId, durability)

  def log: CommitLog = new CommitLog(records)

  /** Error: `STOPLOG_PATH_NOT_WRITABLE`. */
  def probe(): Unit = parts.probe()

  /** For a task, before its first byte. Error: `STOPLOG_FENCED` when there is a record newer than `seq`. */
  def refuseIfOvertaken(seq: Long): Unit =
    records.list().lastOption.filter(_ > seq).foreach { newest =>
      throw Errors.fenced(path, sinkId, newest, "another run")
    }

  /** The same path under another sink id, parts in the staging directory. */
  def as(otherSinkId: String): SinkStorage =
    new SinkStorage(path, root, otherSinkId, PartLayout.Staging(otherSinkId), durability)
}

private[spark] object SinkStorage {

  /** Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_PATH_NOT_WRITABLE`. */
  def of(path: String, sinkId: String, staging: Staging, durability: AskedDurability): SinkStorage = {
    val root = localRoot(path)
    refuseIfHopeless(path, root)
    new SinkStorage(path, root.toString, sinkId, layout(sinkId, staging), durabilityOf(durability))
  }

  /** For looking at a sink's state, which needs neither layout nor durability. */
  def reading(path: String, sinkId: String): SinkStorage =
    new SinkStorage(path, localRoot(path).toString, sinkId, PartLayout.Staging(sinkId), Durability.Process)

  private def layout(sinkId: String, staging: Staging): PartLayout = staging match {
    case Staging.StagingDirectory                                               => PartLayout.Staging(sinkId)
    case Staging.InBucket(openPrefix, openSuffix, pendingPrefix, pendingSuffix) =>
      PartLayout.InBucket(sinkId, openPrefix, openSuffix, pendingPrefix, pendingSuffix)
  }

  private def durabilityOf(asked: AskedDurability): Durability = asked match {
    case AskedDurability.Disk    => Durability.Disk
    case AskedDurability.Process => Durability.Process
  }

  /** Read as Hadoop reads paths, so that a path means what it means to Spark's own formats. */
  private def localRoot(path: String): Path = {
    val uri =
      try new HadoopPath(path).toUri
      catch { case e: IllegalArgumentException => throw Errors.pathNotWritable(path, e.getMessage) }
    Option(uri.getScheme).getOrElse(defaultScheme) match {
      case "file" => Paths.get(uri.getPath).toAbsolutePath.normalize
      case other  => throw Errors.storeUnsupported(path, other)
    }
  }

  private def defaultScheme: String =
    FileSystem.getDefaultUri(SparkSession.active.sparkContext.hadoopConfiguration).getScheme

  /** What can be known without writing: a start may still be refused, and must then have changed nothing. */
  private def refuseIfHopeless(path: String, root: Path): Unit = {
    val nearest = Iterator.iterate(root)(_.getParent).takeWhile(_ != null).find(Files.exists(_))
    nearest.foreach { there =>
      if (!Files.isDirectory(there)) throw Errors.pathNotWritable(path, s"$there is not a directory")
      if (!Files.isWritable(there))
        throw Errors.pathNotWritable(path, s"there is no right to write to $there")
    }
  }
}
