// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import org.apache.hadoop.fs.{FileSystem, Path}

import stoplog.storage.hadoop.HadoopDefaults

/** The servers' bucket through an S3A of its own, which forgets nothing it should ask for and is closed by its test. */
final class S3aFiles private (val fileSystem: FileSystem) extends AutoCloseable {

  def write(name: String, text: String): Unit = write(name, text.getBytes(UTF_8))

  def write(name: String, content: Array[Byte]): Unit =
    Using.resource(fileSystem.create(S3aFiles.path(name), true))(_.write(content))

  def read(name: String): String =
    new String(bytes(name), UTF_8)

  def bytes(name: String): Array[Byte] =
    Using.resource(fileSystem.open(S3aFiles.path(name)))(_.readAllBytes())

  /** In bytes, if there is such an object. */
  def length(name: String): Option[Long] =
    fileSystem.listStatus(S3aFiles.path("")).find(_.getPath == S3aFiles.path(name)).map(_.getLen)

  override def close(): Unit = fileSystem.close()
}

object S3aFiles {

  def connect(settings: Map[String, String]): S3aFiles = {
    val conf = HadoopDefaults.configuration()
    for ((key, value) <- settings) conf.set(key, value)
    new S3aFiles(FileSystem.newInstance(path("").toUri, conf))
  }

  def path(name: String): Path = new Path(s"s3a://${S3Server.Bucket}", s"/$name")
}
