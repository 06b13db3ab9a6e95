// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.Properties

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors

/** Hadoop's S3 file system (S3A), not part of Spark. Users add the jar, in the version of their Hadoop. */
private[stoplog] object S3Library {

  /** Error: `STOPLOG_JAR_MISSING` if the library is missing, or does not have the version `hadoop`.
    *
    * Accepts a distribution's own build that does not state its version.
    *
    * @param path   for the message
    * @param loader the class loader in which Hadoop searches its file systems
    * @param hadoop the version of the present Hadoop
    */
  def check(path: String, loader: ClassLoader, hadoop: String): Unit = {
    if (loader.getResource(FileSystem) == null) throw Errors.hadoopAws(path, hadoop, "the jar is missing")
    version(loader).filter(_ != hadoop).foreach { other =>
      throw Errors.hadoopAws(path, hadoop, s"it has version $other")
    }
    if (loader.getResource(Sdk) == null)
      throw Errors.hadoopAws(path, hadoop, "the AWS SDK that belongs to the jar is missing")
  }

  /** Rejects S3A's purge of unfinished uploads, which would delete open parts. Call this method before Hadoop
    * opens the bucket, because S3A purges at that time. Error: `STOPLOG_UPLOAD_PURGE`.
    */
  def refusePurge(path: Path, configuration: Configuration): Unit = {
    val ofBucket = s"fs.s3a.bucket.${path.toUri.getHost}.multipart.purge"
    val key      = if (configuration.get(ofBucket) == null) "fs.s3a.multipart.purge" else ofBucket
    if (configuration.getBoolean(key, false)) throw Errors.uploadPurge(path.toString, key)
  }

  /** Whether S3A, or a file system that is derived from S3A, serves the paths of this scheme. The scheme need
    * not be `s3a`: `fs.s3.impl` may name S3A, too.
    */
  def serves(scheme: String, configuration: Configuration): Boolean =
    Try(org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, configuration))
      .fold(_ => isNamed(scheme, configuration), isClass)

  /** Whether a file system is S3A, or is derived from S3A. */
  def serves(system: org.apache.hadoop.fs.FileSystem): Boolean = isClass(system.getClass)

  private def isClass(of: Class[_]): Boolean =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null).exists(_.getName == ClassName)

  /** Whether the configuration names S3A. Called when the jar of S3A is missing. */
  private def isNamed(scheme: String, configuration: Configuration): Boolean =
    Option(configuration.get(s"fs.$scheme.impl")).map(_.trim).contains(ClassName)

  /** Returns the version of the library, if the library states it. */
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
