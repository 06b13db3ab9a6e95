// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{ObjectInputStream, ObjectOutputStream}

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.security.UserGroupInformation

/** A serializable Hadoop configuration for stores on the executors. Hadoop's own is not serializable. */
private[stoplog] final class HadoopSettings(@transient private var held: Configuration) extends Serializable {
  def configuration: Configuration = held

  private def writeObject(out: ObjectOutputStream): Unit = held.write(out)

  private def readObject(in: ObjectInputStream): Unit = {
    held = new Configuration(false)
    held.readFields(in)
  }
}

private[hadoop] object HadoopSettings {

  /** The client of a path's file system: Hadoop's client, or on HDFS a client that checks earlier whether a
    * file is closed.
    *
    * A file is closed once a DataNode has reported the last block. After an early check, a client waits 400
    * ms before the next check. This wait is too long for a sink that closes many files at each epoch. Hadoop
    * shares a client among all writers of a process, so this object creates a separate client. If the user
    * has set the delay, the user's value is kept.
    */
  object Clients {
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

    /** Doubled at each retry. With `MoreRetries` more retries, no client stops its retries earlier than
      * Hadoop's.
      */
    private final val EagerMillis = 10
    private final val MoreRetries = 6
  }
}
