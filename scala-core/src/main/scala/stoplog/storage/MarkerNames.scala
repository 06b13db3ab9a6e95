// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.util.Try

/** The names of the markers of complete buckets: `_SUCCESS`, then `_SUCCESS.2`, `_SUCCESS.3` and so on. */
private[stoplog] object MarkerNames {

  /** The name of the first marker, with which all others begin. */
  final val First = "_SUCCESS"

  /** The path of a version of a bucket's marker. */
  def path(bucket: String, version: Int): String =
    FileStore.path(bucket, if (version == 1) First else s"$First.$version")

  /** The version of the marker with this name; `None` for the name of another file. */
  def version(name: String): Option[Int] =
    if (name == First) Some(1)
    else
      Option(name).filter(_.startsWith(s"$First.")).flatMap(n => Try(n.drop(First.length + 1).toInt).toOption)
}
