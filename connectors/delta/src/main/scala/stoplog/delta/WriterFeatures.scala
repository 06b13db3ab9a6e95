// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import scala.jdk.CollectionConverters._

import io.delta.kernel.exceptions.KernelException
import io.delta.kernel.internal.SnapshotImpl
import io.delta.kernel.internal.tablefeatures.{FeatureAutoEnabledByMetadata, TableFeature, TableFeatures}
import io.delta.kernel.types.{ArrayType, DataType, MapType, StructType, TimestampNTZType}

import stoplog.announce.table.Refusal

/** The table features and properties with which this package can write. The package adds files that it has
  * not written, so a feature that changes the content of data files is refused.
  */
private[delta] final class WriterFeatures(table: SnapshotImpl) {
  import WriterFeatures._

  private val (protocol, metadata) = (table.getProtocol, table.getMetadata)

  /** Throws [[Refusal]] with the names of features that the files or the commits would not keep. */
  def refuseOthers(): Unit = {
    try TableFeatures.validateKernelCanWriteToTable(protocol, metadata, table.getPath)
    catch { case e: KernelException => throw new Refusal(String.valueOf(e.getMessage).stripSuffix(".")) }
    val used = protocol.getImplicitlyAndExplicitlySupportedFeatures.asScala.filter(isUsed).map(_.featureName)
    val others = (used.toSet -- Kept).toVector.sorted
    if (others.nonEmpty)
      throw new Refusal(
        s"the table has the features ${others.mkString(", ")}, which finished files do not keep. Use a table without these features"
      )
    if (metadata.getConfiguration.containsKey(Retention))
      throw new Refusal(
        s"the table property $Retention lets the position of the log expire. Remove the property"
      )
  }

  /** Throws [[Refusal]] if rows of the table must not be removed. */
  def refuseRemoval(): Unit =
    for ((property, why) <- OfRemoval if metadata.getConfiguration.getOrDefault(property, "false").toBoolean)
      throw new Refusal(
        s"the table property $property = true $why. Remove the property, or write without overwrites and compactions by jobs"
      )

  /** Throws [[Refusal]] if a column needs a feature that the table lacks. */
  def refuseColumns(columns: StructType): Unit =
    if (hasLocalTimes(columns) && !protocol.supportsFeature(TableFeatures.TIMESTAMP_NTZ_RW_FEATURE))
      throw new Refusal(
        "a new column has timestamps without time zone, and the table lacks the feature timestampNtz. Cast the column to " +
          "timestamp, or add the feature to the table"
      )

  /** Features of old protocols are supported by every table, and only matter if the metadata uses them. */
  private def isUsed(feature: TableFeature): Boolean = feature match {
    case optional: FeatureAutoEnabledByMetadata if Legacy(feature.featureName) =>
      optional.metadataRequiresFeatureToBeEnabled(protocol, metadata)
    case _ => true
  }
}

private object WriterFeatures {

  private def hasLocalTimes(kind: DataType): Boolean = kind match {
    case of: StructType => of.fields.asScala.exists(field => hasLocalTimes(field.getDataType))
    case of: ArrayType  => hasLocalTimes(of.getElementType)
    case of: MapType    => hasLocalTimes(of.getKeyType) || hasLocalTimes(of.getValueType)
    case other          => other == TimestampNTZType.TIMESTAMP_NTZ
  }

  private val Kept = Set(
    "appendOnly", "changeDataFeed", "deletionVectors", "domainMetadata", "inCommitTimestamp", "timestampNtz",
    "v2Checkpoint", "vacuumProtocolCheck"
  )

  private val Legacy =
    Set("invariants", "checkConstraints", "generatedColumns", "identityColumns", "columnMapping")

  private val OfRemoval = Seq(
    "delta.appendOnly"           -> "forbids the removal of rows",
    "delta.enableChangeDataFeed" -> "requires a list of the removed rows"
  )

  private val Retention = "delta.setTransactionRetentionDuration"
}
