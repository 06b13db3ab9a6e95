// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.NonFatal

import stoplog.source.{Fit, Room}
import stoplog.storage.SourceFile

/** A framing that takes all that is left of a file of which it cannot tell where it could be cut: whoever reads it finds
  * out what is wrong with it, and what is to be done.
  */
final class BrokenFraming(framing: FileSplitter) extends FileSplitter {

  override def whole(file: SourceFile): FileSplit = framing.whole(file)

  override def fit(split: FileSplit, room: Room): Fit[FileSplit] =
    try framing.fit(split, room)
    catch {
      case NonFatal(_) =>
        framing.close()
        Fit.All(split, split.size)
    }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = framing.divide(split, bytes)

  override def completeBytes(file: SourceFile, until: Long): Option[Long] =
    framing.completeBytes(file, until)

  override def close(): Unit = framing.close()
}
