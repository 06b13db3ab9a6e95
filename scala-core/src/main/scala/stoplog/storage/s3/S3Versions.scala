// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import scala.util.Try

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

import stoplog.storage.SourceFile
import stoplog.storage.hadoop.ListedVersions

/** Listed objects of S3A, which sends the listed ETag as `If-Match` with each GET. A replaced object is an
  * error, also if the objects have one length. Needs no further request.
  */
private[stoplog] case object S3Versions extends ListedVersions {

  override def status(system: FileSystem, path: Path, file: SourceFile): Option[FileStatus] =
    file.tag.flatMap { tag =>
      val (bytes, time) = (file.storedBytes.getOrElse(file.bytes), file.modifiedMillis)
      val values        = Seq[AnyRef](Long.box(bytes), Long.box(time), path, BlockBytes, "", tag, null)
      // Users add the jar of S3A.
      Try {
        system.getClass.getClassLoader
          .loadClass(StatusClass)
          .getConstructor(number, number, classOf[Path], number, text, text, text)
          .newInstance(values: _*)
          .asInstanceOf[FileStatus]
      }.toOption
    }

  private def number = classOf[Long]
  private def text   = classOf[String]

  private final val StatusClass = "org.apache.hadoop.fs.s3a.S3AFileStatus"
  private val BlockBytes        = Long.box(32L << 20)
}
