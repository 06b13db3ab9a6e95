// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.Properties

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors

/** Hadoop's file system for S3, which is no part of Spark: users add it, in the version of the Hadoop they have. */
private[stoplog] object S3Library {

  /** Error: `STOPLOG_HADOOP_AWS` when it is not there, or is not of version `hadoop`.
    *
    * A distribution's own build that does not say which version it is passes.
    *
    * @param path   for the message
    * @param loader where Hadoop looks for its file systems
    * @param hadoop the version of the Hadoop that is there
    */
  def check(path: String, loader: ClassLoader, hadoop: String): Unit = {
    if (loader.getResource(FileSystem) == null) throw Errors.hadoopAws(path, hadoop, "it is not there")
    version(loader).filter(_ != hadoop).foreach { other =>
      throw Errors.hadoopAws(path, hadoop, s"it has version $other")
    }
    if (loader.getResource(Sdk) == null)
      throw Errors.hadoopAws(path, hadoop, "the AWS SDK that comes with it is not")
  }

  /** Refuses S3A's own way to tidy up a bucket, which would take open parts with it. To be asked before Hadoop opens the
    * bucket, which is when it purges. Error: `STOPLOG_UPLOAD_PURGE`.
    */
  def refusePurge(path: Path, configuration: Configuration): Unit = {
    val ofBucket = s"fs.s3a.bucket.${path.toUri.getHost}.multipart.purge"
    val key      = if (configuration.get(ofBucket) == null) "fs.s3a.multipart.purge" else ofBucket
    if (configuration.getBoolean(key, false)) throw Errors.uploadPurge(path.toString, key)
  }

  /** Whether a path of this scheme is read and written by S3A, or by a file system that is derived from S3A. The scheme
    * need not be `s3a`: `fs.s3.impl` may name S3A, too.
    */
  def serves(scheme: String, configuration: Configuration): Boolean =
    Try(org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, configuration))
      .fold(_ => isNamed(scheme, configuration), isClass)

  /** The same of a file system. */
  def serves(system: org.apache.hadoop.fs.FileSystem): Boolean = isClass(system.getClass)

  private def isClass(of: Class[_]): Boolean =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null).exists(_.getName == ClassName)

  /** Its jar is missing, and the configuration asks for it. */
  private def isNamed(scheme: String, configuration: Configuration): Boolean =
    Option(configuration.get(s"fs.$scheme.impl")).map(_.trim).contains(ClassName)

  /** Its version, if it tells one. */
  def version(loader: ClassLoader): Option[String] =
    Option(loader.getResourceAsStream(Description)).flatMap { in =>
      val properties = new Properties
      try properties.load(in)
      finally in.close()
      Option(properties.getProperty("version"))
    }

  private val ClassName   = "org.apache.hadoop.fs.s3a.S3AFileSystem"
  private val FileSystem  = "org/apache/hadoop/fs/s3a/S3AFileSystem.class"
  private val Sdk         = "software/amazon/awssdk/services/s3/S3Client.class"
  private val Description = "META-INF/maven/org.apache.hadoop/hadoop-aws/pom.properties"
}
