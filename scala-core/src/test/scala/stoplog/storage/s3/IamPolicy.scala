// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.servers.{S3Call, S3Request}

/** As much of Amazon's policies as the guide's own has: what is allowed on which objects.
  *
  * @param statements in their order
  */
final case class IamPolicy(statements: Vector[IamPolicy.Statement]) {

  def only(ids: String*): IamPolicy = IamPolicy(statements.filter(one => ids.contains(one.id)))

  /** The first statement that allows a request, by its id. */
  def allowing(request: S3Request): Option[String] = {
    val (action, resource) = IamPolicy.needed(request)
    statements.find(_.allows(action, resource)).map(_.id)
  }

  def allows(request: S3Request): Boolean = allowing(request).nonEmpty
}

object IamPolicy {

  final case class Statement(id: String, actions: Set[String], resource: String) {
    def allows(action: String, asked: String): Boolean =
      actions(action) && (resource.stripSuffix("*") match {
        case `resource` => asked == resource
        case prefix     => asked.startsWith(prefix)
      })
  }

  def parse(json: String): IamPolicy =
    IamPolicy(new ObjectMapper().readTree(json).get("Statement").elements.asScala.map(statement).toVector)

  /** What Amazon asks of who makes a request in path style, by its documentation of each operation. */
  def needed(request: S3Request): (String, String) = {
    val object_ = s"arn:aws:s3:::${request.target.takeWhile(_ != '?').stripPrefix("/")}"
    val bucket  = s"arn:aws:s3:::${request.target.stripPrefix("/").takeWhile(c => c != '/' && c != '?')}"
    request.call match {
      case S3Call.GetObject | S3Call.HeadObject => "s3:GetObject"                  -> object_
      case S3Call.DeleteObject                  => "s3:DeleteObject"               -> object_
      case S3Call.AbortMultipartUpload          => "s3:AbortMultipartUpload"       -> object_
      case S3Call.ListParts                     => "s3:ListMultipartUploadParts"   -> object_
      case S3Call.ListObjectsV2                 => "s3:ListBucket"                 -> bucket
      case S3Call.ListMultipartUploads          => "s3:ListBucketMultipartUploads" -> bucket
      case S3Call.PutObject | S3Call.CreateMultipartUpload | S3Call.UploadPart |
          S3Call.CompleteMultipartUpload =>
        "s3:PutObject" -> object_
      // One for many objects, whose names are in its body; a copy, of which the policy would have to allow two things.
      case call @ (S3Call.DeleteObjects | S3Call.CopyObject | S3Call.OfBucket) =>
        s"not known: $call" -> bucket
    }
  }

  private def statement(node: JsonNode): Statement = {
    require(node.get("Effect").asText == "Allow")
    val actions = node.get("Action")
    val all     = if (actions.isArray) actions.elements.asScala.map(_.asText).toSet else Set(actions.asText)
    Statement(node.get("Sid").asText, all, node.get("Resource").asText)
  }
}
