// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** Where the sources are, wherever the tests are started. */
object Repository {

  lazy val root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(directory => Files.exists(directory.resolve("build.sbt")))
      .getOrElse(throw new IllegalStateException("run this in the repository"))

  /** The directories of what goes beyond files. */
  def connectors: Seq[Path] = {
    val directory = root.resolve("connectors")
    if (!Files.isDirectory(directory)) Nil
    else Using.resource(Files.list(directory))(_.iterator.asScala.filter(Files.isDirectory(_)).toSeq.sorted)
  }

  def read(file: Path): String = new String(Files.readAllBytes(file), UTF_8)
}
