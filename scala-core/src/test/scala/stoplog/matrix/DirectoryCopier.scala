// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.file.{Files, Path, Paths}

import stoplog.storage.local.LocalUnderTest

/** Who copies the directory while no process is at work in it. */
sealed trait DirectoryCopier extends Product with Serializable {
  def come(place: Place): DirectoryCopier.Copies
}

object DirectoryCopier {

  /** What was copied must stay what it was. */
  trait Copies {
    def problems(): Vector[String]
  }

  case object Nobody extends DirectoryCopier {
    override def come(place: Place): Copies = () => Vector.empty
  }

  /** As `cp -al` does it, and `rsync --link-dest`: every file gets another name outside of the directory. */
  case object HardLinks extends DirectoryCopier {
    override def come(place: Place): Copies = {
      val copy  = Files.createTempDirectory("stoplog-copied")
      val bytes = place.files().map { file =>
        val link = copy.resolve(file)
        Files.createDirectories(link.getParent)
        Files.createLink(link, Paths.get(place.root).resolve(file))
        file -> place.read(file).toSeq
      }
      () => problems(copy, bytes)
    }

    private def problems(copy: Path, bytes: Vector[(String, Seq[Byte])]): Vector[String] = {
      val changed = bytes.collect {
        case (file, was) if Files.readAllBytes(copy.resolve(file)).toSeq != was =>
          s"the copy of $file changed"
      }
      LocalUnderTest.remove(copy)
      changed
    }
  }
}
