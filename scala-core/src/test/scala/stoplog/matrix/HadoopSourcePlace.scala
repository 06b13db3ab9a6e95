// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.fault.Faults
import stoplog.servers.S3Server
import stoplog.source.StateFiles
import stoplog.storage.SourceFiles
import stoplog.storage.hadoop._
import stoplog.storage.hadoop.CapabilityProbe.Exclusion
import stoplog.storage.hdfs.{HdfsUnderTest, MiniHdfs}

/** A directory of a file system of Hadoop's, looked at with a client of its own. */
final class HadoopSourcePlace(
    root: String,
    configuration: Configuration,
    renaming: Renaming,
    exclusion: Exclusion
) extends SourcePlace {
  private val system = FileSystem.newInstance(new Path(root).toUri, configuration)
  system.mkdirs(at("in"))

  override def files(faults: Faults): SourceFiles = new HadoopSourceFiles(hadoop(s"$root/in"))

  override def state(faults: Faults): StateFiles =
    new StateFiles(
      new HadoopFileStore(hadoop(s"$root/checkpoint/sources/0"), None, StoreExclusion.Known(exclusion)),
      faults = faults
    )

  override def archive: String = at("away").toUri.getPath

  override def arrive(name: String, content: String, modifiedMillis: Long): Unit = {
    val hidden = at(s"arriving-${UUID.randomUUID()}")
    Using.resource(system.create(hidden, false))(_.write(content.getBytes(UTF_8)))
    system.setTimes(hidden, modifiedMillis, -1)
    system.mkdirs(at(s"in/$name").getParent)
    require(system.rename(hidden, at(s"in/$name")), name)
  }

  override def delete(name: String): Unit = {
    system.delete(at(s"in/$name"), false)
    ()
  }

  override def unread(): Map[String, String] = contents("in")

  override def archived(): Map[String, String] = contents("away")

  override def remove(): Unit = {
    system.delete(new Path(root), true)
    system.close()
  }

  private def contents(directory: String): Map[String, String] =
    if (!system.exists(at(directory))) Map.empty
    else {
      val found = system.listFiles(at(directory), true)
      Iterator
        .continually(found)
        .takeWhile(_.hasNext)
        .map(_.next().getPath)
        .map { path =>
          val bytes = Using.resource(system.open(path))(_.readAllBytes())
          path.toUri.getPath.drop(at(directory).toUri.getPath.length + 1) -> new String(bytes, UTF_8)
        }
        .toMap
    }

  private def hadoop(path: String) = new HadoopFiles(path, new HadoopSettings(configuration), renaming)

  private def at(path: String): Path = new Path(s"$root/$path")
}

object HadoopSourcePlace {
  def hdfs(): SourcePlace = new HadoopSourcePlace(
    s"${MiniHdfs.uri}/source-${UUID.randomUUID()}",
    HdfsUnderTest.configuration(),
    Renaming.Atomic,
    Exclusion.ByRename
  )

  def s3(server: S3Server = S3Server.sharedS3Mock): SourcePlace = {
    val configuration = HadoopDefaults.configuration()
    server.settings.foreach { case (key, value) => configuration.set(key, value) }
    new HadoopSourcePlace(
      s"s3a://${S3Server.Bucket}/source-${UUID.randomUUID()}",
      configuration,
      Renaming.Checked,
      Exclusion.ByCreate
    )
  }
}
