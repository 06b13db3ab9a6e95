// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartLayout, PartStore, ReplacedFiles, SpoolFiles}
import stoplog.storage.hadoop._

/** A directory of any Hadoop file system, under the stores that suit its abilities; looked at with no more than
  * creating, reading, listing and deleting.
  */
final class HadoopStorage private (
    val root: String,
    settings: HadoopSettings,
    layout: String => PartLayout,
    asked: Option[Trimming],
    val abilities: Abilities,
    sinkId: String
) extends StorageUnderTest {
  private def files              = new HadoopFiles(root, settings, Renaming.Checked)
  private def system: FileSystem = files.fileSystem
  private def lengths            = new ValidLengths(files, sinkId, "_", ".valid-length")

  override def partStore(): PartStore = new HadoopPartStore(
    files,
    sinkId,
    layout(sinkId),
    abilities.growth,
    asked.getOrElse(HadoopStorage.trimming(abilities.growth)),
    lengths,
    Faults.none
  )

  override def finishedStore(): ReplacedFiles =
    new ReplacedFiles(HadoopFileStore.ofSink(files, sinkId), sinkId)

  override def sideStore(): SpoolFiles = new SpoolFiles(HadoopFileStore.ofSink(files, sinkId), sinkId)

  override def noteStore(): FileStore =
    HadoopFileStore.ofSink(files, sinkId, abilities.exclusion)

  override def recordStore(): LogFiles =
    new LogFiles(HadoopFileStore.ofSink(files, sinkId, abilities.exclusion), sinkId)

  override def neighbour(): StorageUnderTest =
    new HadoopStorage(root, settings, layout, asked, abilities, "neighbour")

  override def visible(): Set[String] = files
    .filesUnder(files.at(""))(_ => true)
    .map(file => files.relative(file.getPath))
    .filterNot(_.split('/').exists(name => name.startsWith("_") || name.startsWith(".")))
    .toSet

  override def bytes(file: String): Array[Byte] = {
    val all = stored(file)
    validLength(file).fold(all)(all.take)
  }

  override def stored(file: String): Array[Byte] = files.read(files.at(file)).getOrElse(Array.emptyByteArray)

  /** As a reader does it that knows nothing of stoplog. */
  override def validLength(file: String): Option[Int] = {
    val path = files.at(file)
    files.read(new Path(path.getParent, s"_${path.getName}.valid-length")).map { bytes =>
      new String(bytes.drop(2), "US-ASCII").toInt
    }
  }

  override def plant(file: String, content: Array[Byte]): Unit = {
    val out = system.create(files.at(file), true)
    try out.write(content)
    finally out.close()
  }

  override def appendJunk(open: Resume, junk: Array[Byte]): Unit =
    plant(open.token, stored(open.token) ++ junk)

  override def cutShort(open: Resume, left: Long): Unit =
    plant(open.token, stored(open.token).take(left.toInt))

  override def lose(open: Resume): Unit = {
    system.delete(files.at(open.token), false)
    ()
  }

  override def close(): Unit = {
    system.delete(files.at(""), true)
    ()
  }
}

object HadoopStorage {

  /** A new directory under `base`.
    *
    * {{{
    * HadoopStorage.under("myfs://host/tmp", new Configuration())
    * }}}
    *
    * @param asked what is to become of bytes behind the committed ones, if not what suits the file system best
    */
  def under(
      base: String,
      configuration: Configuration,
      layout: String => PartLayout = PartLayout.Staging(_),
      asked: Option[Trimming] = None
  ): HadoopStorage = {
    val root     = new Path(base, s"laws-${UUID.randomUUID()}")
    val settings = new HadoopSettings(configuration)
    root.getFileSystem(configuration).mkdirs(root)
    val abilities = Trial.of(new HadoopFiles(root.toString, settings, Renaming.Checked), "main")
    new HadoopStorage(root.toString, settings, layout, asked, abilities, "main")
  }

  private def trimming(growth: Growth): Trimming =
    if (growth == Growth.AppendAndTruncate) Trimming.Truncate else Trimming.Copy
}
