// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.IOException
import java.util.UUID
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.util.{Try, Using}

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.{FileStore, Growth, SinkDirectory}

/** Detects the capabilities of a file system by trials, because a file system often declares missing
  * capabilities.
  *
  * The probe works in the sink's directory of unfinished files and deletes the trial files. After a crash,
  * the orphan cleaner deletes the remaining trial files.
  */
private[stoplog] object CapabilityProbe {

  /** Errors: `STOPLOG_PATH_NOT_WRITABLE`, `STOPLOG_STORE_NOT_EXCLUSIVE`. */
  def of(files: HadoopFiles, sinkId: String): Capabilities =
    new CapabilityProbe(files, SinkDirectory(sinkId).open).capabilities()

  /** Detects the exclusion of a directory that contains only state, where no file is appended to. */
  def exclusion(files: HadoopFiles): Exclusion = new CapabilityProbe(files, "").exclusionAlone()

  private val Racers = 4
  private val Rounds = 3

  private def inParallel[A](actions: Seq[() => A]): Seq[A] = {
    val pool    = Executors.newFixedThreadPool(actions.size)
    val barrier = new CyclicBarrier(actions.size)
    try
      actions
        .map(action => pool.submit((() => { barrier.await(); action() }): Callable[A]))
        .map(_.get())
    finally {
      pool.shutdownNow()
      ()
    }
  }

  /** The operation that succeeds for at most one of many callers. The commit log depends on it. */
  sealed trait Exclusion extends Product with Serializable

  object Exclusion {

    /** Renames a file. If the name exists, the file system rejects the rename. */
    case object ByRename extends Exclusion

    /** Creates a file that is invisible until complete. If the file exists, the file system rejects the call.
      */
    case object ByCreate extends Exclusion
  }

  /** The detected capabilities of a file system. Serialized to the executors with the store. */
  final case class Capabilities(growth: Growth, exclusion: CapabilityProbe.Exclusion)
}

private final class CapabilityProbe(files: HadoopFiles, directory: String) {
  import CapabilityProbe._

  private val mark = UUID.randomUUID()
  private var made = Vector.empty[Path]

  private def system = files.fileSystem

  def capabilities(): Capabilities = trying {
    val first = written("f")
    if (!system.rename(first, fresh())) throw new IOException("its file system cannot rename files")
    Capabilities(growthOf(written("f")), exclusion())
  }

  def exclusionAlone(): Exclusion = trying(exclusion())

  private def trying[A](trial: => A): A =
    try trial
    catch {
      case e: IOException                   => throw Errors.pathNotWritable(files.root, HadoopFiles.reason(e))
      case e: UnsupportedOperationException =>
        throw Errors.pathNotWritable(files.root, String.valueOf(e.getMessage))
    } finally made.foreach(path => Try(system.delete(path, false)))

  private def growthOf(file: Path): Growth =
    if (!works(append(file)) || length(file) != 2) Growth.CreateOnly
    // A truncation that continues in the background counts as failed: only leases report its end.
    else if (!works(if (!system.truncate(file, 1)) throw new IOException()) || length(file) != 1)
      Growth.AppendOnly
    else Growth.AppendAndTruncate

  /** Tries renaming first: unlike creating, renaming never shows an incomplete file. */
  private def exclusion(): Exclusion =
    if (renameExcludes()) Exclusion.ByRename
    else if (createExcludes()) Exclusion.ByCreate
    else throw Errors.storeNotExclusive(files.root, system.getUri.getScheme)

  /** Tries sequential, then concurrent renames: some file systems first check the target, then rename. */
  private def renameExcludes(): Boolean = {
    val (one, two) = (written("1"), written("2"))
    val refused    = !renames(one, two) && content(two).contains("2") && content(one).contains("1")
    refused && (1 to Rounds).forall { _ =>
      val target  = fresh()
      val sources = (1 to Racers).map(number => number.toString -> written(number.toString))
      val winners = inParallel(sources.map { case (number, from) =>
        () => if (renames(from, target)) Some(number) else None
      }).flatten
      winners.sizeIs == 1 && content(target) == winners.headOption
    }
  }

  /** Opens two streams for one file concurrently, because a check only at the creation is not sufficient. */
  private def createExcludes(): Boolean = {
    val path  = fresh()
    val two   = Vector("1", "2").flatMap(text => Try(files.createAlone(path)).toOption.map(text -> _))
    val early = two.nonEmpty && files.status(path).isDefined
    two.foreach { case (text, out) => Try(out.write(text.getBytes("utf8"))) }
    val done = two.filter { case (_, out) => Try(out.close()).isSuccess }.map(_._1)
    !early && done.sizeIs == 1 && content(path) == done.headOption && Try(
      files.createAlone(path).close()
    ).isFailure
  }

  private def renames(from: Path, to: Path): Boolean = Try(system.rename(from, to)).getOrElse(false)

  private def append(file: Path): Unit = Using.resource(system.append(file))(_.write('x'))

  private def written(text: String): Path = {
    val path = fresh()
    Using.resource(system.create(path, false))(_.write(text.getBytes("utf8")))
    path
  }

  private def fresh(): Path = {
    val name = s".trial.$mark-${made.size}"
    val path = files.at(FileStore.path(directory, name))
    made :+= path
    path
  }

  private def content(path: Path): Option[String] = files.read(path).map(new String(_, "utf8"))

  private def length(path: Path): Long = system.getFileStatus(path).getLen

  /** Treats any failure as a missing capability: the alternative is always correct. */
  private def works(action: => Unit): Boolean = Try(action).isSuccess
}
