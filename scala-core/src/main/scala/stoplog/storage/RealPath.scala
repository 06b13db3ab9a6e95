// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.File
import java.nio.file.{Files, Path}

import scala.util.Try

/** Local paths without symbolic links, so that all spellings of a directory are equal. */
private[stoplog] object RealPath {

  /** Resolves the links of the directories that exist already. */
  def of(path: String): String = {
    val file = new File(path).toPath.normalize
    Iterator
      .iterate(file)(_.getParent)
      .takeWhile(_ != null)
      .find(Files.exists(_))
      .flatMap(there => Try(resolved(there, file)).toOption)
      .getOrElse(file)
      .toString
  }

  private def resolved(there: Path, file: Path): Path =
    there.toRealPath().resolve(there.relativize(file)).normalize
}
