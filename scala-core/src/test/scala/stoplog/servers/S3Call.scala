// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

/** What a request asks S3 for, told from its method, target and headers; as Amazon calls it. */
sealed trait S3Call

object S3Call {
  case object PutObject               extends S3Call
  case object CopyObject              extends S3Call
  case object GetObject               extends S3Call
  case object HeadObject              extends S3Call
  case object DeleteObject            extends S3Call
  case object DeleteObjects           extends S3Call
  case object CreateMultipartUpload   extends S3Call
  case object UploadPart              extends S3Call
  case object CompleteMultipartUpload extends S3Call
  case object AbortMultipartUpload    extends S3Call
  case object ListObjectsV2           extends S3Call
  case object ListMultipartUploads    extends S3Call
  case object ListParts               extends S3Call
  case object OfBucket                extends S3Call

  /** The call of a request in path style.
    *
    * @param query names of the parameters
    */
  def of(method: String, hasKey: Boolean, query: Set[String], isCopy: Boolean): S3Call = method match {
    case "PUT" if query("partNumber")         => UploadPart
    case "PUT" if hasKey && isCopy            => CopyObject
    case "PUT" if hasKey                      => PutObject
    case "POST" if query("uploads")           => CreateMultipartUpload
    case "POST" if query("uploadId")          => CompleteMultipartUpload
    case "POST" if query("delete")            => DeleteObjects
    case "DELETE" if query("uploadId")        => AbortMultipartUpload
    case "DELETE" if hasKey                   => DeleteObject
    case "HEAD" if hasKey                     => HeadObject
    case "GET" if hasKey && query("uploadId") => ListParts
    case "GET" if hasKey                      => GetObject
    case "GET" if query("uploads")            => ListMultipartUploads
    case "GET" if query("list-type")          => ListObjectsV2
    case _                                    => OfBucket
  }
}
