// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

/** A format of blocks that can be made from its own description. `java.util.ServiceLoader` finds those of the jar. */
private[stoplog] trait BulkFormatProvider {

  /** The name of the format. */
  def kind: String

  /** @param described what the [[BulkFormat.describe]] of the format has said */
  def of(described: String): BulkFormat
}

/** The formats of blocks, made from their descriptions. */
private[stoplog] object BulkFormats {

  /** @param kind      the name of the format
    * @param described what its [[BulkFormat.describe]] has said
    * @param running   how the query that runs names its own, if it has one
    *
    * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
    */
  def of(kind: String, described: String, running: Option[String]): BulkFormat =
    if (kind == UserFormat.Kind) UserFormat.of(described, running)
    else
      ServiceLoader
        .load(classOf[BulkFormatProvider], getClass.getClassLoader)
        .asScala
        .find(_.kind == kind)
        .getOrElse(throw new IllegalArgumentException(s"there is no bulk format '$kind'"))
        .of(described)
}
