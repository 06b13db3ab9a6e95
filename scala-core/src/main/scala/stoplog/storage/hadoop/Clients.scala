// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.security.UserGroupInformation

/** The client of a path's file system: Hadoop's, and on HDFS one that looks sooner whether a file is closed.
  *
  * It is once a DataNode has reported the last block. A client that asks too early waits 400 ms before it asks again,
  * which is little for one file, and far too much for a sink that closes many of them at each epoch. Hadoop has one
  * client in a process for all who write there, so this is another one. Where a user has set how long to wait, that
  * stands.
  */
private[hadoop] object Clients {
  private val eager = mutable.Map.empty[(Any, Any), DistributedFileSystem]

  def of(path: Path, configuration: Configuration): FileSystem = path.getFileSystem(configuration) match {
    case hdfs: DistributedFileSystem if configuration.getInt(Delay, HadoopsMillis) == HadoopsMillis =>
      eagerlyWaiting(hdfs, configuration)
    case other => other
  }

  private def eagerlyWaiting(like: DistributedFileSystem, configuration: Configuration): FileSystem =
    synchronized {
      val key = like.getUri -> UserGroupInformation.getCurrentUser // as in Hadoop's own cache
      eager.get(key).filter(_.getClient.isClientRunning).getOrElse {
        val settings = new Configuration(configuration)
        settings.setInt(Delay, EagerMillis)
        settings.setInt(Retries, configuration.getInt(Retries, 5) + MoreRetries)
        FileSystem.newInstance(like.getUri, settings) match {
          case hdfs: DistributedFileSystem =>
            eager(key) = hdfs
            hdfs
          case other => other
        }
      }
    }

  private final val Delay         = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms"
  private final val Retries       = "dfs.client.block.write.locateFollowingBlock.retries"
  private final val HadoopsMillis = 400

  /** Doubled each time: with so many more times, no client gives up earlier than Hadoop's. */
  private final val EagerMillis = 10
  private final val MoreRetries = 6
}
