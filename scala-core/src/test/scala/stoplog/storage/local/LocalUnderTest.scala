// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.RandomAccessFile
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.util.Comparator

import scala.jdk.CollectionConverters._

import stoplog.fault.Faults
import stoplog.laws.StorageUnderTest
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartLayout, PartStore}

/** A temporary directory, looked at with java.nio alone. */
final class LocalUnderTest(
    path: String,
    layout: String => PartLayout,
    durability: LocalForcing,
    override val sinkId: String = "main"
) extends StorageUnderTest {
  private[local] def root: Path = Paths.get(path)

  override def partStore(): PartStore =
    new LocalPartStore(path, sinkId, layout(sinkId), durability, Faults.none)

  override def files(): FileStore = LocalFileStore.ofSink(path, sinkId, durability)

  override def neighbour(): StorageUnderTest = new LocalUnderTest(path, layout, durability, "neighbour")

  override def visible(): Set[String] = LocalUnderTest.visible(root)

  override def bytes(file: String): Array[Byte] = Files.readAllBytes(root.resolve(file))

  override def plant(file: String, content: Array[Byte]): Unit = {
    Files.createDirectories(root.resolve(file).getParent)
    Files.write(root.resolve(file), content)
    ()
  }

  override def appendJunk(open: Resume, junk: Array[Byte]): Unit = {
    Files.write(root.resolve(open.token), junk, StandardOpenOption.APPEND)
    ()
  }

  override def cutShort(open: Resume, left: Long): Unit = {
    val file = new RandomAccessFile(root.resolve(open.token).toFile, "rw")
    try file.setLength(left)
    finally file.close()
  }

  override def lose(open: Resume): Unit = Files.delete(root.resolve(open.token))

  override def close(): Unit = LocalUnderTest.remove(root)
}

object LocalUnderTest {

  def create(layout: String => PartLayout, durability: LocalForcing): LocalUnderTest =
    new LocalUnderTest(Files.createTempDirectory("stoplog-laws").toString, layout, durability)

  val inBucket: String => PartLayout = PartLayout.InBucket(_, "_", ".in-progress", "_", ".pending")
  val staging: String => PartLayout  = PartLayout.Staging(_)

  /** What Spark, pyarrow and their like would read: no name on the way may begin with `_` or `.`. */
  def visible(root: Path): Set[String] =
    files(root).map(file => root.relativize(file)).filterNot(_.asScala.exists(hidden)).map(_.toString).toSet

  def files(root: Path): Vector[Path] =
    if (!Files.exists(root)) Vector.empty
    else {
      val walk = Files.walk(root)
      try walk.iterator().asScala.filter(Files.isRegularFile(_)).toVector
      finally walk.close()
    }

  def remove(root: Path): Unit = {
    val walk = Files.walk(root)
    try walk.sorted(Comparator.reverseOrder[Path]()).forEach(file => Files.delete(file))
    finally walk.close()
  }

  private def hidden(name: Path): Boolean = name.toString.startsWith("_") || name.toString.startsWith(".")
}
