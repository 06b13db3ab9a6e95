// SPDX-License-Identifier: Apache-2.0
package users

import java.io.InputStream
import java.net.URI

import stoplog.source.file.{FileFinder, PathRules}
import stoplog.storage.{Found, MoveOutcome, SourceFile, SourceFiles}

/** How files are found, and where they are. Nothing here does anything: it shows that users can compile one. */
object OwnFiles {
  class OwnFileFinder extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = ???
  }

  class OwnSourceFiles extends SourceFiles {
    override def list(directory: String)(each: Found => Unit): Unit = ???
    override def find(path: String): Option[Found] = ???
    override def open(file: SourceFile, from: Long): InputStream = ???
    override def delete(path: String): Boolean = ???
    override def move(path: String, to: String): MoveOutcome = ???
    override def describe(path: String): String = ???
    override def locate(path: String): URI = ???
  }
}
