// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.storage.PartLayout
import stoplog.storage.local.LocalStorage

/** Where unfinished parts lie. */
sealed abstract class Layout(val name: String, val of: String => PartLayout)
    extends Product
    with Serializable {

  /** Whether the name is that of an unfinished part beside the finished ones. */
  def unfinishedInBucket(name: String): Boolean
}

object Layout {
  case object Staging extends Layout("staging", LocalStorage.staging) {
    override def unfinishedInBucket(name: String): Boolean = false
  }

  case object InBucket extends Layout("bucket", LocalStorage.inBucket) {
    override def unfinishedInBucket(name: String): Boolean =
      name.matches("_(part|orphan)-.+\\.(in-progress|pending)\\.main-.+")
  }

  val all: Vector[Layout] = Vector(Staging, InBucket)
}
