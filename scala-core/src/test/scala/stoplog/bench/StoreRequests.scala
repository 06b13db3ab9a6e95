// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.nio.file.Paths

import stoplog.commit.Rolls
import stoplog.log.LogFiles
import stoplog.rolling.{OnCheckpointRollingPolicy, RollingPolicy}
import stoplog.servers.{FaultProxy, S3Server}
import stoplog.storage.hdfs.HdfsStorage.HdfsFileStore
import stoplog.storage.hdfs.MiniHdfs
import stoplog.storage.s3.S3FileStore

/** What an epoch costs in calls of the NameNode and in requests to S3, as the servers see them.
  *
  * Argument: the file that gets the figures as JSON.
  */
object StoreRequests {

  def main(arguments: Array[String]): Unit = {
    Json.write(Paths.get(arguments(0)), onHdfs() ++ onS3())
    sys.exit(0) // clients keep threads for a while
  }

  private def onHdfs(): Seq[Map[String, Any]] = {
    val files   = BenchmarkServer.hdfsFiles()
    val records = new LogFiles(HdfsFileStore.ofSink(files, "main"), "main")
    val asked   =
      new StoreRequestCounter(files.root, BenchmarkServer.hdfsStore(files), records, () => MiniHdfs.calls())
    Seq(
      figures("HDFS", "stays open", asked.perEpoch(Open, 10000, parts = 21, epochs = 10)),
      figures("HDFS", "is finished", asked.perEpoch(Finished, 10000, parts = 21, epochs = 10))
    )
  }

  private def onS3(): Seq[Map[String, Any]] = {
    val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
    val files = BenchmarkServer.s3Files(proxy.settings)
    val asked = new StoreRequestCounter(
      files.root,
      BenchmarkServer.s3Store(files),
      new LogFiles(new S3FileStore(files), "main"),
      () => proxy.counts.map { case (call, count) => call.toString -> count.toLong }
    )
    def row(what: String, policy: RollingPolicy, bytes: Int, parts: Int, epochs: Int) =
      figures("S3", what, asked.perEpoch(policy, bytes, parts, epochs))
    Seq(
      row("stays open, and fits into the record", Open, 100, parts = 21, epochs = 10),
      row("stays open, with 10 kB more", Open, 10000, parts = 11, epochs = 20),
      row("stays open, with 17 MiB more: 1 or 2 parts", Open, 17 << 20, parts = 3, epochs = 8),
      row("is finished, with 1 kB", Finished, 1000, parts = 21, epochs = 5),
      row("is finished, with 1 MB", Finished, 1000000, parts = 11, epochs = 5),
      row("is finished, with 20 MiB: 2 parts", Finished, 20 << 20, parts = 3, epochs = 4)
    )
  }

  private def figures(
      storage: String,
      part: String,
      calls: StoreRequestCounter.PerEpoch
  ): Map[String, Any] = {
    println(s"$storage, a part that $part: ${calls.each}; once an epoch: ${calls.once}")
    Map("storage" -> storage, "part" -> part, "each" -> calls.each, "once" -> calls.once)
  }

  private val Open: RollingPolicy     = Rolls.never
  private val Finished: RollingPolicy = OnCheckpointRollingPolicy()
}
