// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import stoplog.storage.local.LocalForcing
import stoplog.storage.local.LocalFileStore
import stoplog.fault.Faults
import stoplog.source.StateFiles
import stoplog.storage.SourceFiles
import stoplog.storage.local.{LocalSourceFiles, LocalUnderTest}

/** A temporary directory, looked at with java.nio. */
final class LocalSourcePlace extends SourcePlace {
  private val root  = Files.createTempDirectory("stoplog-source")
  private val input = Files.createDirectories(root.resolve("in"))

  override def files(faults: Faults): SourceFiles = new LocalSourceFiles(input.toString, faults)

  override def state(faults: Faults): StateFiles =
    new StateFiles(
      new LocalFileStore(root.resolve("checkpoint/sources/0").toString, None, LocalForcing.Disk),
      faults = faults
    )

  override def archive: String = root.resolve("away").toString

  override def arrive(name: String, content: String, modifiedMillis: Long): Unit = {
    val file   = input.resolve(name)
    val hidden = Files.writeString(root.resolve("arriving"), content)
    Files.setLastModifiedTime(hidden, FileTime.fromMillis(modifiedMillis))
    Files.createDirectories(file.getParent)
    Files.move(hidden, file)
    ()
  }

  override def delete(name: String): Unit = Files.delete(input.resolve(name))

  override def unread(): Map[String, String] = contents(input)

  override def archived(): Map[String, String] = contents(root.resolve("away"))

  override def remove(): Unit = LocalUnderTest.remove(root)

  private def contents(directory: Path): Map[String, String] =
    if (!Files.exists(directory)) Map.empty
    else
      LocalUnderTest
        .files(directory)
        .map(file => directory.relativize(file).toString -> Files.readString(file))
        .toMap
}
