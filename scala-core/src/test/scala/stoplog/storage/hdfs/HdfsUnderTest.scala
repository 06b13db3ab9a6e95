// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.fault.Faults
import stoplog.laws.StorageUnderTest
import stoplog.part.Resume
import stoplog.storage.{FileStore, PartLayout, ValidLengthNames}
import stoplog.storage.hadoop._

/** A directory on the HDFS of the tests, looked at with Hadoop's own client. */
final class HdfsUnderTest(
    val root: String,
    layout: String => PartLayout,
    trimming: Trimming = Trimming.Truncate,
    override val sinkId: String = "main"
) extends StorageUnderTest {

  override def partStore(): HdfsPartStore =
    HdfsUnderTest.parts(hadoop, sinkId, layout(sinkId), trimming)

  override def files(): FileStore = HdfsStorage.HdfsFileStore.ofSink(hadoop, sinkId)

  override def neighbour(): StorageUnderTest = new HdfsUnderTest(root, layout, trimming, "neighbour")

  override def visible(): Set[String] = {
    val entries = system.listFiles(at(""), true)
    Iterator
      .continually(entries)
      .takeWhile(_.hasNext)
      .map(_.next().getPath.toUri.getPath.drop(at("").toUri.getPath.length + 1))
      .filterNot(_.split('/').exists(name => name.startsWith("_") || name.startsWith(".")))
      .toSet
  }

  override def bytes(file: String): Array[Byte] = {
    val all = stored(file)
    validLength(file).fold(all)(all.take)
  }

  override def validLength(file: String): Option[Int] = {
    val path      = at(file)
    val companion = new Path(path.getParent, s"_${path.getName}.valid-length")
    Option.when(system.exists(companion)) {
      val in = system.open(companion)
      try in.readUTF().toInt
      finally in.close()
    }
  }

  override def stored(file: String): Array[Byte] = {
    val in = system.open(at(file))
    try in.readAllBytes()
    finally in.close()
  }

  override def plant(file: String, content: Array[Byte]): Unit = {
    val out = system.create(at(file), true)
    try out.write(content)
    finally out.close()
  }

  override def appendJunk(open: Resume, junk: Array[Byte]): Unit = {
    val out = system.append(at(open.token))
    try out.write(junk)
    finally out.close()
  }

  override def cutShort(open: Resume, left: Long): Unit =
    if (!system.truncate(at(open.token), left)) new HdfsLeases(hadoop).awaitClosed(at(open.token))

  override def lose(open: Resume): Unit = {
    system.delete(at(open.token), false)
    ()
  }

  override def close(): Unit = {
    system.delete(at(""), true)
    ()
  }

  private def hadoop: HadoopFiles = new HadoopFiles(root, new HadoopSettings(HdfsUnderTest.configuration()))
  private def system: FileSystem  = at("").getFileSystem(HdfsUnderTest.configuration())
  private def at(path: String): Path = hadoop.at(path)
}

object HdfsUnderTest {

  def create(
      layout: String => PartLayout = PartLayout.Staging(_),
      trimming: Trimming = Trimming.Truncate
  ): HdfsUnderTest = {
    val root = s"${MiniHdfs.uri}/laws-${UUID.randomUUID()}"
    new Path(root).getFileSystem(configuration()).mkdirs(new Path(root))
    new HdfsUnderTest(root, layout, trimming)
  }

  /** A store over the files, whose client need not be the tests' own. */
  def parts(
      files: HadoopFiles,
      sinkId: String = "main",
      layout: PartLayout = PartLayout.Staging("main"),
      trimming: Trimming = Trimming.Truncate,
      faults: Faults = Faults.none
  ): HdfsPartStore = {
    val lengths = new ValidLengths(files, sinkId, ValidLengthNames.standard)
    new HdfsPartStore(files, sinkId, layout, trimming, lengths, faults)
  }

  def configuration(): Configuration = {
    val configuration = HadoopDefaults.configuration()
    configuration.setInt("dfs.replication", 1)
    // How long a client waits for the DataNode's report before it asks again whether its file is closed.
    configuration.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 20)
    configuration.setInt("dfs.client.block.write.locateFollowingBlock.retries", 12)
    configuration
  }
}
