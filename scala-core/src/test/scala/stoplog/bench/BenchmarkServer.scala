// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.util.{EnumSet, UUID}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{CreateFlag, FSDataOutputStream, Path}

import stoplog.fault.Faults
import stoplog.servers.S3Server
import stoplog.storage.{Durability, PartLayout, ValidLengthNames}
import stoplog.storage.hadoop._
import stoplog.storage.hdfs.{HdfsPartStore, MiniHdfs}
import stoplog.storage.s3.{S3PartStore, S3Settings}

/** A server, and what is compared on it. */
final class BenchmarkServer(val storage: String, files: HadoopFiles, val peers: Vector[Peer]) {

  /** Gives the server its room back. */
  def clear(): Unit = {
    files.fileSystem.delete(files.at(""), true)
    ()
  }
}

object BenchmarkServer {

  /** One NameNode, one DataNode. */
  def hdfs(): BenchmarkServer = {
    val files     = hdfsFiles()
    val inProcess = hdfsFiles(files.root, Durability.Process)
    val process   = hdfsStore(inProcess)
    val disk      = hdfsStore(files)
    val synced    = new PlainStream("plain stream, SYNC_BLOCK", files, synchronous(files))
    val patient   =
      files.at("").getFileSystem(files.fileSystem.getConf) // Hadoop's own client, which others share
    new BenchmarkServer(
      "HDFS",
      files,
      Vector(
        new PlainStream("plain stream of Hadoop's own client", files, patient.create(_, false)),
        new PlainStream(Plain, files, files.fileSystem.create(_, false)),
        synced,
        new FlushedStream("plain stream, 8 hflush", Plain, inProcess, times = 8),
        new FlushedStream("plain stream, 8 hsync", synced.name, files, times = 8),
        new PartOfEpochs("stoplog, durability=process, one epoch", Plain, process, epochs = 1),
        new PartOfEpochs("stoplog, durability=process, 8 epochs", Plain, process, epochs = 8),
        new PartOfEpochs("stoplog, durability=disk, one epoch", synced.name, disk, epochs = 1),
        new PartOfEpochs("stoplog, durability=disk, 8 epochs", synced.name, disk, epochs = 8)
      )
    )
  }

  /** A file on S3 is durable once it is there. */
  def s3(): BenchmarkServer = {
    val files = s3Files(S3Server.sharedS3Mock.settings)
    val store = s3Store(files)
    new BenchmarkServer(
      "S3",
      files,
      Vector(
        new PlainStream(Plain, files, files.fileSystem.create(_, false)),
        new PartOfEpochs("stoplog, one epoch", Plain, store, epochs = 1),
        new PartOfEpochs("stoplog, 8 epochs", Plain, store, epochs = 8)
      )
    )
  }

  /** With the defaults of HDFS, but for the only DataNode. */
  def hdfsFiles(): HadoopFiles = hdfsFiles(unique(MiniHdfs.uri), Durability.Disk)

  /** From a configuration of its own: from one that a store's client has, Hadoop's own client would be taken. */
  private def hdfsFiles(root: String, durability: Durability): HadoopFiles = {
    val conf = new Configuration()
    conf.setInt("dfs.replication", 1)
    new HadoopFiles(root, new HadoopSettings(conf), durability = durability)
  }

  def hdfsStore(files: HadoopFiles): HdfsPartStore = new HdfsPartStore(
    files,
    "main",
    PartLayout.Staging("main"),
    Trimming.Truncate,
    new ValidLengths(files, "main", ValidLengthNames.standard),
    Faults.none
  )

  def s3Files(settings: Map[String, String]): HadoopFiles = {
    val conf = new Configuration()
    settings.foreach { case (key, value) => conf.set(key, value) }
    new HadoopFiles(unique(s"s3a://${S3Server.Bucket}"), new HadoopSettings(conf))
  }

  def s3Store(files: HadoopFiles): S3PartStore = new S3PartStore(files, "main", S3Settings(), Faults.none)

  private def unique(root: String) = s"$root/bench-${UUID.randomUUID()}"

  /** DataNodes bring each block to their disks before the client has closed it. */
  private def synchronous(files: HadoopFiles)(path: Path): FSDataOutputStream = {
    val system = files.fileSystem
    val flags  = EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK)
    val copies = system.getDefaultReplication(path)
    system.create(path, null, flags, BufferBytes, copies, system.getDefaultBlockSize(path), null)
  }

  private val Plain       = "plain stream"
  private val BufferBytes = 4096 // as for the other streams
}
