// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk

/** The formats of blocks, made from what they say of themselves. */
private[stoplog] object BulkFormats {

  /** @param kind      the name of the format
    * @param described what its [[BulkFormat.describe]] said
    * @param running   how the query that runs names its own, if it has one
    *
    * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
    */
  def of(kind: String, described: String, running: Option[String]): BulkFormat = kind match {
    case OwnFormat.Kind => OwnFormat.of(described, running)
    case "orc"          => OrcBulk.of(described)
    case "parquet"      => inClear(ParquetBulk.of(described))
    case other          => throw new IllegalArgumentException(s"there is no bulk format '$other'")
  }

  /** No part that is encrypted stays open, and what encrypts is made of classes that settings name. */
  private def inClear(format: BulkFormat): BulkFormat =
    if (format.mayKeepRows) format
    else throw new IllegalArgumentException("an open part that is encrypted")
}
