// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileSystem, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem

import stoplog.storage.hdfs.HdfsStorage.HdfsFileStore
import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.storage.hadoop._
import stoplog.storage.hdfs.{HdfsPartStore, HdfsUnderTest, MiniHdfs}
import stoplog.storage._

/** A directory of the HDFS of the tests, looked at with Hadoop's own client.
  *
  * Every store has a client of its own, as if it were a process of its own: HDFS gives leases to clients.
  */
final class HdfsPlace(
    override val root: String,
    layout: Layout,
    override val content: Content,
    trimming: Trimming,
    settings: Map[String, String]
) extends Place
    with Serializable {
  @transient private lazy val reader: FileSystem =
    FileSystem.newInstance(base.toUri, configuration(HdfsPlace.waiting))
  @transient private lazy val clients = new ConcurrentLinkedQueue[HadoopFiles]()

  override def parts(sinkId: String, faults: Faults): PartStore = {
    val files   = client()
    val lengths = new ValidLengths(files, sinkId, ValidLengthNames.standard)
    new HdfsPartStore(
      files,
      sinkId,
      layout.of(sinkId),
      trimming,
      lengths,
      faults
    )
  }

  override def replaced(sinkId: String): ReplacedFiles =
    new ReplacedFiles(HdfsFileStore.ofSink(client(), sinkId), sinkId)

  override def spoolFiles(sinkId: String): SpoolFiles =
    new SpoolFiles(HdfsFileStore.ofSink(client(), sinkId), sinkId)

  override def records(sinkId: String, faults: Faults): LogFiles =
    new LogFiles(HdfsFileStore.ofSink(client(), sinkId), sinkId, faults)

  override def notes(sinkId: String): FileStore = HdfsFileStore.ofSink(client(), sinkId)

  override def job(name: String): JobDirectory = new JobDirectory(HdfsFileStore.ofSink(client(), name), name)

  override def files(): Vector[String] = {
    val found = reader.listFiles(base, true)
    Iterator
      .continually(found)
      .takeWhile(_.hasNext)
      .map(_.next().getPath.toUri.getPath.drop(base.toUri.getPath.length + 1))
      .toVector
  }

  /** As a reader does it that knows nothing of stoplog, but of `.valid-length` files. */
  override def read(file: String): Array[Byte] = {
    val path      = new Path(base, file)
    val companion = new Path(path.getParent, s"_${path.getName}.valid-length")
    val all       = reading(path)(_.readAllBytes())
    if (trimming == Trimming.ValidLength && reader.exists(companion))
      all.take(reading(companion)(_.readUTF().toInt))
    else all
  }

  override def described(file: String): Option[String] = file match {
    case HdfsPlace.Companion(directory, name) if trimming == Trimming.ValidLength => Some(directory + name)
    case _                                                                        => None
  }

  override def plant(file: String, bytes: Array[Byte]): Unit = {
    val out = reader.create(new Path(base, file), false)
    try out.write(bytes)
    finally out.close()
  }

  override def unfinishedInBucket(name: String): Boolean = layout.unfinishedInBucket(name)

  /** Their connections break; what they were writing stays open, and the NameNode keeps their leases. */
  override def processesDied(): Unit = clients.asScala.map(_.fileSystem).foreach {
    case hdfs: DistributedFileSystem => hdfs.getClient.closeAllFilesBeingWritten(true)
    case other                       => throw new IllegalStateException(s"$other is no HDFS")
  }

  override def remove(): Unit = {
    reader.delete(base, true)
    clients.asScala.foreach(client => Try(client.fileSystem.close()))
    reader.close()
  }

  private def base: Path = new Path(root)

  private def reading[A](path: Path)(read: FSDataInputStream => A): A =
    Using.resource(reader.open(path))(read)

  private def client(): HadoopFiles = {
    val files = new HadoopFiles(root, new HadoopSettings(configuration(settings)))
    clients.add(files)
    files
  }

  /** With a client for each file system that is asked for, and no naps of 400 ms when the NameNode has not heard of
    * a block yet that is to be closed.
    */
  private def configuration(more: Map[String, String]): Configuration = {
    val configuration = HdfsUnderTest.configuration()
    configuration.setBoolean("fs.hdfs.impl.disable.cache", true)
    configuration.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 2)
    configuration.setInt("dfs.client.block.write.locateFollowingBlock.retries", 15) // a minute in all
    more.foreach { case (key, value) => configuration.set(key, value) }
    configuration
  }
}

object HdfsPlace {

  /** The client waits for a NameNode that is away or in safe mode, as it does by itself where there is a second one. */
  val waiting: Map[String, String] = Map(
    "dfs.client.retry.policy.enabled" -> "true",
    "dfs.client.retry.policy.spec"    -> "200,600"
  )

  private val Companion = """((?:.*/)?)_([^/]+)\.valid-length""".r

  def create(
      layout: Layout,
      content: Content,
      trimming: Trimming = Trimming.Truncate,
      settings: Map[String, String] = waiting
  ): HdfsPlace = {
    val root  = s"${MiniHdfs.uri}/matrix-${UUID.randomUUID()}"
    val place = new HdfsPlace(root, layout, content, trimming, settings)
    place.reader.mkdirs(place.base)
    place
  }
}
