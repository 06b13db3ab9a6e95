// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.net.URI

import scala.jdk.CollectionConverters._

import software.amazon.awssdk.auth.credentials.{AwsBasicCredentials, StaticCredentialsProvider}
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.s3.S3Client
import software.amazon.awssdk.services.s3.model._

import stoplog.servers.S3Server

/** The server's view of a prefix of the bucket, by the SDK's own client. */
final class RawS3(in: S3Bucket, prefix: String) extends AutoCloseable {
  private val client = S3Client
    .builder()
    .endpointOverride(URI.create(in.endpoint))
    .region(Region.US_EAST_1)
    .forcePathStyle(true)
    .credentialsProvider(
      StaticCredentialsProvider.create(AwsBasicCredentials.create(S3Server.Bucket, S3Server.Bucket))
    )
    .build()

  /** The names, below the prefix, of the uploads that are neither completed nor aborted. */
  def openUploads(): Vector[String] = client
    .listMultipartUploads(ListMultipartUploadsRequest.builder().bucket(bucket).prefix(s"$prefix/").build())
    .uploads()
    .asScala
    .map(upload => below(upload.key()))
    .toVector

  /** The names of all objects below the prefix. */
  def keys(): Vector[String] = client
    .listObjectsV2Paginator(ListObjectsV2Request.builder().bucket(bucket).prefix(s"$prefix/").build())
    .contents()
    .asScala
    .map(found => below(found.key()))
    .toVector

  def head(path: String): HeadObjectResponse =
    client.headObject(HeadObjectRequest.builder().bucket(bucket).key(s"$prefix/$path").build())

  def bytes(path: String): Array[Byte] =
    client
      .getObjectAsBytes(GetObjectRequest.builder().bucket(bucket).key(s"$prefix/$path").build())
      .asByteArray()

  override def close(): Unit = client.close()

  private def bucket: String = in.name

  private def below(key: String): String = key.stripPrefix(s"$prefix/")
}
