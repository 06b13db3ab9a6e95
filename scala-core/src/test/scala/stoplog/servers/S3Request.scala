// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.net.URI

/** What the proxy knows of a request before it does anything with it.
  *
  * @param target  path and query, as sent
  * @param headers by their names in lower case
  */
final case class S3Request(
    call: S3Call,
    method: String,
    target: String,
    uploadId: Option[String],
    headers: Map[String, String]
)

object S3Request {

  def of(head: HttpHead): S3Request = {
    val words            = head.firstLine.split(' ')
    val (method, target) = (words(0), words(1))
    val uri              = new URI(target)
    val query            = parameters(uri)
    val hasKey           = uri.getPath.split('/').count(_.nonEmpty) > 1
    val isCopy           = head.header("x-amz-copy-source").isDefined
    val call             = S3Call.of(method, hasKey, query.keySet, isCopy)
    S3Request(call, method, target, query.get("uploadId"), head.headers)
  }

  private def parameters(uri: URI): Map[String, String] =
    Option(uri.getQuery).toSeq
      .flatMap(_.split('&'))
      .map(_.span(_ != '='))
      .map { case (name, value) => name -> value.drop(1) }
      .toMap
}
