// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import stoplog.log.PutOutcome
import stoplog.store.{Note, NoteStore}

/** Small files for readers on a Hadoop file system.
  *
  * @param exclusion how a file is created for one caller alone; not asked for before one is written
  */
final class HadoopNotes(
    files: HadoopFiles,
    sinkId: String,
    durability: HadoopDurability,
    exclusion: => Exclusion = Exclusion.ByRename
) extends NoteStore {
  private val once = new HadoopOnce(files, s"_stoplog/$sinkId/open", durability, exclusion)

  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome =
    once.create(files.at(path), "note", bytes)(())

  override def read(path: String): Option[Array[Byte]] =
    files.writing(files.at(path))(files.read(files.at(path)))

  override def list(directory: String, prefix: String): Vector[Note] = files.writing(files.at(directory)) {
    files.list(files.at(directory)).filter(_.getPath.getName.startsWith(prefix)).map { file =>
      Note(files.relative(file.getPath), file.getModificationTime)
    }
  }

  override def delete(paths: Seq[String]): Unit = paths.foreach { path =>
    files.writing(files.at(path))(files.delete(files.at(path)))
  }
}
