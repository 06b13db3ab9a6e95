// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{Ending, FileStore, SourceFile, SourceFiles}

/** Finds a listed file that a program has renamed since the listing, as a rotation of logs does. */
private[file] object RenamedFile {

  /** Returns the listed state of the file under the present path. `None` if no file in the directory has the
    * id and the listed bytes.
    */
  def find(files: SourceFiles, file: SourceFile): Option[SourceFile] =
    ofSameId(files, file)
      .filter(hasListedBytes(files, file, _))
      .map(now => file.copy(path = now.path))
      .headOption

  /** Returns the files in the directory of the file that have the id of the file. Lists the directory. */
  def ofSameId(files: SourceFiles, file: SourceFile): Vector[SourceFile] =
    if (!file.id.isKnown || file.path.isEmpty) Vector.empty
    else {
      val directory = DirectoryNames.of(file)
      val same      = Vector.newBuilder[SourceFile]
      files.list(directory) { entry =>
        same ++= entry.file(FileStore.path(directory, entry.name)).filter(_.id == file.id)
      }
      same.result()
    }

  /** A storage may give the id of a deleted file to a new file, so the bytes decide. */
  private def hasListedBytes(files: SourceFiles, file: SourceFile, now: SourceFile): Boolean =
    if (!file.ending.isKnown) now.isStill(file)
    else now.bytes >= file.bytes && Ending.read(files, file.copy(path = now.path)) == file.ending
}
