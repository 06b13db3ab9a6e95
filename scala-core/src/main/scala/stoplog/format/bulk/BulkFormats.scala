// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk
import stoplog.options.UserObject

/** The formats of blocks, made from what they say of themselves. */
private[stoplog] object BulkFormats {

  /** What [[BulkSink.kind]] is for a user's own writer. */
  val Own: String = "own"

  /** @param kind      the name of the format
    * @param described what its [[BulkFormat.describe]] said
    */
  def of(kind: String, described: String): BulkFormat = kind match {
    case Own       => own(described)
    case "orc"     => OrcBulk.of(described)
    case "parquet" => ParquetBulk.of(described)
    case other     => throw new IllegalArgumentException(s"there is no bulk format '$other'")
  }

  /** A user's own, by its reference. Error: `STOPLOG_USER_CODE`. */
  def own(reference: String): BulkFormat =
    UserObject.load(reference, classOf[BulkWriters], "bulkWriter") match {
      case format: BulkFormat         => new OwnFormat(format, reference)
      case factory: BulkWriterFactory => new WholeParts(factory, reference)
      case other                      =>
        throw new IllegalArgumentException(
          s"${other.getClass.getName} is neither a BulkWriterFactory nor a BulkFormat"
        )
    }
}
