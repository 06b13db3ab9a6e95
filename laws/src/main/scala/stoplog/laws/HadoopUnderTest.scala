// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.fault.Faults
import stoplog.part.Resume
import stoplog.storage.{FileStore, Growth, PartLayout, PartStore, ValidLengthNames}
import stoplog.storage.hadoop._
import stoplog.storage.hadoop.CapabilityProbe.Capabilities

/** A directory in any Hadoop file system, with the stores that match the file system's capabilities. The
  * tests inspect the directory only by creating, reading, listing and deleting files.
  */
final class HadoopUnderTest private (
    val root: String,
    settings: HadoopSettings,
    layout: String => PartLayout,
    requestedTrimming: Option[Trimming],
    val abilities: Capabilities,
    override val sinkId: String
) extends StorageUnderTest {
  private def hadoop             = new HadoopFiles(root, settings, Renaming.Checked)
  private def system: FileSystem = hadoop.fileSystem
  private def lengths            = new ValidLengths(hadoop, sinkId, ValidLengthNames.standard)

  override def partStore(): PartStore = new HadoopPartStore(
    hadoop,
    sinkId,
    layout(sinkId),
    abilities.growth,
    requestedTrimming.getOrElse(HadoopUnderTest.trimming(abilities.growth)),
    lengths,
    Faults.none
  )

  override def files(): FileStore =
    HadoopFileStore.ofSink(hadoop, sinkId, StoreExclusion.Known(abilities.exclusion))

  override def neighbour(): StorageUnderTest =
    new HadoopUnderTest(root, settings, layout, requestedTrimming, abilities, "neighbour")

  override def visible(): Set[String] = hadoop
    .filesUnder(hadoop.at(""))(_ => true)
    .map(file => hadoop.relative(file.getPath))
    .filterNot(_.split('/').exists(name => name.startsWith("_") || name.startsWith(".")))
    .toSet

  override def bytes(file: String): Array[Byte] = {
    val all = stored(file)
    validLength(file).fold(all)(all.take)
  }

  override def stored(file: String): Array[Byte] =
    hadoop.read(hadoop.at(file)).getOrElse(Array.emptyByteArray)

  /** Reads the file like a reader that is independent of stoplog. */
  override def validLength(file: String): Option[Int] = {
    val path = hadoop.at(file)
    hadoop.read(new Path(path.getParent, s"_${path.getName}.valid-length")).map { bytes =>
      new String(bytes.drop(2), "US-ASCII").toInt
    }
  }

  override def plant(file: String, content: Array[Byte]): Unit = {
    val out = system.create(hadoop.at(file), true)
    try out.write(content)
    finally out.close()
  }

  override def appendJunk(open: Resume, junk: Array[Byte]): Unit =
    plant(open.token, stored(open.token) ++ junk)

  override def cutShort(open: Resume, left: Long): Unit =
    plant(open.token, stored(open.token).take(left.toInt))

  override def lose(open: Resume): Unit = {
    system.delete(hadoop.at(open.token), false)
    ()
  }

  override def close(): Unit = {
    system.delete(hadoop.at(""), true)
    ()
  }
}

object HadoopUnderTest {

  /** Creates a new directory under `base`.
    *
    * {{{
    * HadoopUnderTest.under("myfs://host/tmp", new Configuration())
    * }}}
    *
    * @param requestedTrimming the handling of bytes after the committed bytes; by default the best
    *                          handling for the file system
    */
  def under(
      base: String,
      configuration: Configuration,
      layout: String => PartLayout = PartLayout.Staging(_),
      requestedTrimming: Option[Trimming] = None
  ): HadoopUnderTest = {
    val root     = new Path(base, s"laws-${UUID.randomUUID()}")
    val settings = new HadoopSettings(configuration)
    root.getFileSystem(configuration).mkdirs(root)
    val abilities = CapabilityProbe.of(new HadoopFiles(root.toString, settings, Renaming.Checked), "main")
    new HadoopUnderTest(root.toString, settings, layout, requestedTrimming, abilities, "main")
  }

  private def trimming(growth: Growth): Trimming =
    if (growth == Growth.AppendAndTruncate) Trimming.Truncate else Trimming.Copy
}
