// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

/** Where the sources are, wherever the tests are started. */
object Repository {

  lazy val root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(directory => Files.exists(directory.resolve("build.sbt")))
      .getOrElse(throw new IllegalStateException("run this in the repository"))

  /** The directories of the connectors, in the order of their list. */
  def connectors: Seq[Path] = {
    val directory = root.resolve("connectors")
    read(directory.resolve("list.txt")).linesIterator
      .filterNot(line => line.isEmpty || line.startsWith("#"))
      .map(directory.resolve)
      .toSeq
  }

  def read(file: Path): String = new String(Files.readAllBytes(file), UTF_8)
}
