// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.IOException
import java.nio.file.{Files, Path, Paths}
import java.nio.file.LinkOption.NOFOLLOW_LINKS

import stoplog.fault.{Faults, Step}
import stoplog.store.{FinishedStore, JobStore, VisibleFile}

/** A batch job's own directory `_stoplog/<job>` under a local path. */
final class LocalJobStore(root: String, job: String, durability: Durability) extends JobStore {
  private val base      = Paths.get(root)
  private val directory = base.resolve("_stoplog").resolve(job)

  override val finished: FinishedStore = new LocalFinished(root, job, durability)

  override def visible(): Vector[VisibleFile] = LocalFiles.writing(base) {
    LocalFiles
      .list(base)
      .filter(entry => JobStore.isVisible(entry.getFileName.toString))
      .flatMap(deepestFirst)
      .flatMap(seen)
  }

  override def removeEmptied(directories: Seq[String]): Unit =
    directories.distinct.foreach { name =>
      Iterator
        .iterate(LocalFiles.below(root, name))(_.getParent)
        .takeWhile(_ != base)
        .takeWhile(isRemovedAsEmpty)
        .foreach(_ => ())
    }

  /** By name, and not in the order of the directory, which on some file systems is newest first. */
  override def remove(faults: Faults): Unit = LocalFiles.writing(directory) {
    val records       = directory.resolve("log")
    val (log, others) =
      deepestFirst(directory).filterNot(Set(directory, records)).partition(_.startsWith(records))
    (others ++ log.sortBy(_.getFileName.toString) :+ records :+ directory).foreach { path =>
      Files.deleteIfExists(path)
      faults.at(Step.MidRemove)
    }
  }

  override def untouchedSince(millis: Long): Boolean =
    deepestFirst(directory).forall(file => LocalFiles.modifiedMillis(file).forall(_ < millis))

  /** `None` for a directory, and for what its reader has taken. */
  private def seen(path: Path): Option[VisibleFile] =
    LocalFiles.attributes(path, NOFOLLOW_LINKS).filterNot(_.isDirectory).map { found =>
      VisibleFile(base.relativize(path).toString, found.size, found.lastModifiedTime.toMillis)
    }

  private def isRemovedAsEmpty(path: Path): Boolean =
    try Files.deleteIfExists(path)
    catch { case _: IOException => false }

  private def deepestFirst(top: Path): Vector[Path] = LocalFiles.deepestFirst(top)(_ => true)
}

object LocalJobStore {

  /** The directories of batch jobs that are under the path, whose names begin with `prefix`. */
  def jobs(root: String, prefix: String): Vector[String] = {
    val own = Paths.get(root, "_stoplog")
    LocalFiles.writing(own)(LocalFiles.list(own)).map(_.getFileName.toString).filter(_.startsWith(prefix))
  }
}
