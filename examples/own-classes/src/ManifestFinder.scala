// SPDX-License-Identifier: Apache-2.0
package own

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}

import scala.util.Using

import stoplog.source.file.{FileFinder, PathRules}
import stoplog.storage.{Found, SourceFile, SourceFiles}

/** Reads the files that a list names, and no others: `fileEnumerator.list`, `_manifest` by default. */
final class ManifestFinder(parameters: JMap[String, String]) extends FileFinder {
  private val list = parameters.getOrDefault("list", "_manifest")

  /** A file is cut only where there are fewer files than tasks to read them. */
  @volatile private var mayCut = true

  override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = {
    val names = Using.resource(files.open(SourceFile(list, 0, 0), 0)) { in =>
      new String(in.readAllBytes(), UTF_8).linesIterator.toVector
    }
    val found = for {
      path <- names
      file <- files.find(path).map(_.kind).collect { case Found.File(bytes, modified) =>
        SourceFile(path, bytes, modified)
      }
    } yield file
    mayCut = found.size < rules.minDesiredSplits
    found.foreach(each)
  }

  override def isSplittable(file: SourceFile): Boolean = mayCut
}
