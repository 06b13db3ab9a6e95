// SPDX-License-Identifier: Apache-2.0
package users

import java.io.{InputStream, OutputStream}
import java.net.URI

import stoplog.source._
import stoplog.source.file._
import stoplog.source.StateFiles
import stoplog.storage.{Found, PutOutcome, SourceFile, SourceFiles}

/** How files are found and cut, and where a source keeps its state. Nothing here does anything: whoever can compile it can write one. */
object OwnFiles {
  class OwnBlockIndex extends BlockIndex {
    override def of(files: SourceFiles, file: SourceFile): Vector[Block] = ???
  }

  class OwnDecoding extends Decoding {
    override def of(file: SourceFile): Option[InputStream => InputStream] = ???
  }

  class OwnFileFinder extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = ???
  }

  class OwnFileFormat[R, T] extends FileFormat[R, T] {
    override def framing(files: SourceFiles): FileSplitter = ???
    override def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, R] = ???
    override def emitter(): RecordEmitter[R, T] = ???
  }

  class OwnFileClock extends FileClock {
    override def millis(): Long = ???
  }

  class OwnFormatRecord[R] extends OwnLocated with FormatRecord[R] {
    override def value: R = ???
  }

  class OwnFraming extends FileSplitter {
    override def whole(file: SourceFile): FileSplit = ???
    override def fit(split: FileSplit, room: Room): Fit[FileSplit] = ???
    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = ???
  }

  class OwnLine extends OwnLocated with Line {
    override def bytes: Array[Byte] = ???
    override def offset: Int = ???
    override def length: Int = ???
  }

  class OwnLocated extends Located {
    override def location: java.net.URI = ???
    override def split: FileSplit = ???
    override def fileName: String = ???
    override def position: Option[Long] = ???
  }

  class OwnSomeFilesRule extends SomeFiles.Rule {
    override def enters(directory: String): Boolean = ???
    override def check(file: SourceFile, fileName: String): Unit = ???
  }

  class OwnSourceFiles extends SourceFiles {
    override def list(directory: String)(each: Found => Unit): Unit = ???
    override def find(path: String): Option[Found] = ???
    override def open(file: SourceFile, from: Long): InputStream = ???
    override def delete(path: String): Unit = ???
    override def move(path: String, to: String): Unit = ???
    override def describe(path: String): String = ???
    override def locate(path: String): URI = ???
  }
}
