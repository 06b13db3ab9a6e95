// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.net.URI
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{DelegateToFileSystem, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder

import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings}

/** What a test does to the calls of one client of the tests' HDFS. */
trait Tampering {
  def beforeAppend(path: Path): Unit                                 = ()
  def beforeRecoverLease(path: Path): Unit                           = ()
  def truncate(path: Path, bytes: Long)(really: => Boolean): Boolean = really
  def rename(from: Path, to: Path)(really: => Unit): Unit            = really
}

object TamperedHdfs {
  private val byKey = new ConcurrentHashMap[String, Tampering]()
  private val Key   = "stoplog.test.tampering"

  /** The storage's files, through a client of its own. */
  def files(storage: HdfsStorage, tampering: Tampering): HadoopFiles = {
    val key           = UUID.randomUUID().toString
    val configuration = HdfsStorage.configuration()
    configuration.set(Key, key)
    configuration.setBoolean("fs.hdfs.impl.disable.cache", true)
    configuration.setClass("fs.hdfs.impl", classOf[TamperedHdfs], classOf[DistributedFileSystem])
    configuration.set("fs.AbstractFileSystem.hdfs.impl", classOf[TamperedRenames].getName)
    byKey.put(key, tampering)
    new HadoopFiles(storage.root, new HadoopSettings(configuration))
  }

  private[hdfs] def of(configuration: Configuration): Tampering = byKey.get(configuration.get(Key))
}

class TamperedHdfs extends DistributedFileSystem {
  private lazy val tampering = TamperedHdfs.of(getConf)

  override def appendFile(path: Path): HdfsDataOutputStreamBuilder = {
    tampering.beforeAppend(path)
    super.appendFile(path)
  }

  override def recoverLease(path: Path): Boolean = {
    tampering.beforeRecoverLease(path)
    super.recoverLease(path)
  }

  override def truncate(path: Path, bytes: Long): Boolean =
    tampering.truncate(path, bytes)(super.truncate(path, bytes))
}

/** The other of Hadoop's two interfaces, which renames without overwriting. */
class TamperedRenames(uri: URI, configuration: Configuration)
    extends DelegateToFileSystem(uri, new DistributedFileSystem, configuration, "hdfs", true) {
  override def renameInternal(from: Path, to: Path, overwrite: Boolean): Unit =
    TamperedHdfs.of(configuration).rename(from, to)(super.renameInternal(from, to, overwrite))
}
