// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{Files, NoSuchFileException, Path, Paths}

import stoplog.store.{JobStore, SetAside}

/** A batch job's own directory `_stoplog/<job>` under a local path. */
final class LocalJobStore(root: String, job: String, durability: Durability) extends JobStore {
  private val base      = Paths.get(root)
  private val directory = base.resolve("_stoplog").resolve(job)
  private val replaced  = directory.resolve("replaced")

  override def visible(): Vector[String] =
    LocalFiles
      .list(base)
      .map(_.getFileName.toString)
      .filter(JobStore.isVisible)

  override def prepare(): Unit = ()

  /** Moving a directory replaces an empty one. */
  override def setsAsideOnce: Boolean = false

  override def setAside(entry: String): SetAside = LocalFiles.writing(at(entry)) {
    Durability.createDirectories(replaced, durability)
    try {
      Files.move(at(entry), replaced.resolve(entry))
      durability.syncDirectory(replaced)
      durability.syncDirectory(base)
    } catch { case _: NoSuchFileException => () }
    SetAside.Done
  }

  /** The newest record goes last of all files: whoever finds an older one would carry that out again. */
  override def remove(): Unit = LocalFiles.writing(directory) {
    val records       = directory.resolve("log")
    val (log, others) =
      deepestFirst(directory).filterNot(Set(directory, records)).partition(_.startsWith(records))
    (others ++ log.reverse :+ records :+ directory).foreach(Files.deleteIfExists(_))
  }

  override def untouchedSince(millis: Long): Boolean =
    deepestFirst(directory).forall(file => LocalFiles.modifiedMillis(file).forall(_ < millis))

  private def at(entry: String): Path = base.resolve(JobStore.checked(root, entry))

  private def deepestFirst(top: Path): Vector[Path] = LocalFiles.deepestFirst(top)(_ => true)
}

object LocalJobStore {

  /** The directories of batch jobs that are under the path, whose names begin with `prefix`. */
  def jobs(root: String, prefix: String): Vector[String] = {
    val own = Paths.get(root, "_stoplog")
    LocalFiles.writing(own)(LocalFiles.list(own)).map(_.getFileName.toString).filter(_.startsWith(prefix))
  }
}
