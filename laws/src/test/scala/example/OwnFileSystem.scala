// SPDX-License-Identifier: Apache-2.0
package example

import java.net.URI
import java.nio.file.{FileSystemException, Files}

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** An example of a custom file system: a directory of this machine whose rename rejects an existing name. */
class OwnFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("own:///")

  override def rename(from: Path, to: Path): Boolean =
    try {
      Files.createLink(pathToFile(to).toPath, pathToFile(from).toPath)
      pathToFile(from).delete()
    } catch { case _: FileSystemException => false }

  /** Unsupported: if several processes publish a part, the slower process must not recreate the file that the
    * faster process has renamed.
    */
  override def truncate(path: Path, bytes: Long): Boolean = throw new UnsupportedOperationException(
    "truncate"
  )
}
