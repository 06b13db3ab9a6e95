// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.Try

import stoplog.storage.FileStore

/** The names of markers: `_SUCCESS`, then `_SUCCESS.2`, `_SUCCESS.3` and so on. */
private[commit] object MarkerNames {

  /** The common prefix of the names. */
  val First = "_SUCCESS"

  def path(bucket: String, version: Int): String =
    FileStore.path(bucket, if (version == 1) First else s"$First.$version")

  /** The version that a file's name stands for. */
  def version(name: String): Option[Int] =
    if (name == First) Some(1)
    else
      Option(name).filter(_.startsWith(s"$First.")).flatMap(n => Try(n.drop(First.length + 1).toInt).toOption)
}
