// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.InputStream
import java.net.URI

import stoplog.storage.{Found, SourceFile, SourceFiles}

/** A storage without some of its directories, which are not even listed, and with a look at each file before it is opened.
  */
final class SomeFiles(files: SourceFiles, rule: SomeFiles.Rule) extends SourceFiles {

  override def list(directory: String)(each: Found => Unit): Unit = {
    val prefix = if (directory.isEmpty) "" else s"$directory/"
    files.list(directory) { found =>
      if (found.kind != Found.Directory || rule.enters(prefix + found.name)) each(found)
    }
  }

  override def open(file: SourceFile, from: Long): InputStream = {
    rule.check(file, describe(file.path))
    files.open(file, from)
  }

  override def changedMillis(directory: String): Option[Long] = files.changedMillis(directory)

  override def find(path: String): Option[Found]    = files.find(path)
  override def delete(path: String): Unit           = files.delete(path)
  override def move(path: String, to: String): Unit = files.move(path, to)
  override def describe(path: String): String       = files.describe(path)
  override def locate(path: String): URI            = files.locate(path)
}

object SomeFiles {
  trait Rule extends Serializable {

    /** Whether anything in a directory may be wanted. */
    def enters(directory: String): Boolean

    /** Throws what is wrong with a file as its path tells it. */
    def check(file: SourceFile, fileName: String): Unit
  }
}
