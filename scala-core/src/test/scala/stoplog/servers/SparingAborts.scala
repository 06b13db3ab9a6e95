// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

/** Amazon S3 ends an upload that a client aborts, and touches nothing else. S3Mock takes the object of that name
  * away besides, and makes the other uploads of that name impossible to complete: it forgets the name. A driver that
  * sweeps after others would lose their rows so.
  *
  * S3Mock finds the upload by its id alone. So an abort goes to it under a name that no object has, which it may forget.
  */
private object SparingAborts {
  private val Suffix = ".aborted-upload"

  def of(head: HttpHead, request: S3Request): HttpHead =
    if (request.call != S3Call.AbortMultipartUpload) head
    else {
      val (path, query) = request.target.span(_ != '?')
      head.withFirstLine(head.firstLine.replace(request.target, path + Suffix + query))
    }
}
