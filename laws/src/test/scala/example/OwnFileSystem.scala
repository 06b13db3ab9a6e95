// SPDX-License-Identifier: Apache-2.0
package example

import java.net.URI
import java.nio.file.{FileSystemException, Files}

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** Stands for yours: a directory of this machine whose rename refuses a name that is taken. */
class OwnFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("own:///")

  override def rename(from: Path, to: Path): Boolean =
    try {
      Files.createLink(pathToFile(to).toPath, pathToFile(from).toPath)
      pathToFile(from).delete()
    } catch { case _: FileSystemException => false }

  /** Of several who publish one part, the slower must not make the file anew that the faster has renamed. */
  override def truncate(path: Path, bytes: Long): Boolean = throw new UnsupportedOperationException(
    "truncate"
  )
}
