// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.{Map => JMap}

import scala.util.Try

import io.delta.kernel.types.{BasePrimitiveType, DataType, StringType, StructField}

import stoplog.announce.setting.TargetSettings
import stoplog.announce.table.{NewColumns, TableOptions}
import stoplog.options.{Opt, OptionGroup, OptionType}

/** The settings of a target.
  *
  * @param creation    the partition columns of a created table; `None` if the table must exist
  * @param derivedKeys the keys of directories whose values are computed from columns of the files
  */
private[delta] final case class DeltaSettings(
    creation: Option[Vector[StructField]],
    newColumns: NewColumns,
    derivedKeys: Set[String]
)

private[delta] object DeltaSettings {
  case object Delta extends OptionGroup("Delta")

  private val ofTable = new TableOptions(Delta)

  val Partition: Opt[Vector[StructField]] = Delta.option(
    "partition",
    OptionType[Vector[StructField]](
      "list of columns, each with an optional type",
      text => Try(columns(text)).toEither.left.map(e => String.valueOf(e.getMessage)),
      _.map(_.getName).mkString(",")
    ),
    "country, day:date"
  )("none", "The partition columns of a created table.")

  private val all: Seq[Opt[_]] = Seq(ofTable.create, Partition, ofTable.newColumns, ofTable.derivedKeys)

  /** The names for the core. */
  val Names: Set[String] = all.map(_.key).toSet

  def of(settings: JMap[String, String]): DeltaSettings = TargetSettings.read(settings, all) { reader =>
    DeltaSettings(
      creation = ofTable.creation(reader, Partition)(reader.get(Partition).getOrElse(Vector.empty)),
      newColumns = reader(ofTable.newColumns),
      derivedKeys = ofTable.derivedKeysOf(reader)
    )
  }

  /** Parses a list such as `country, day:date`. */
  private def columns(text: String): Vector[StructField] = text.split(",").toVector.map(_.trim).map {
    case Column(name, null)     => new StructField(name, StringType.STRING, true)
    case Column(name, typeName) => new StructField(name, partitionType(typeName.trim), true)
    case other => throw new IllegalArgumentException(s"has '$other', which is not a column or column:type")
  }

  private def partitionType(name: String): DataType =
    if (PartitionTypes(name)) BasePrimitiveType.createPrimitive(name)
    else
      throw new IllegalArgumentException(
        s"has the type '$name'; the types are ${PartitionTypes.toVector.sorted.mkString(", ")}"
      )

  private val Column         = """(\w+)(?:\s*:\s*(\w+))?""".r
  private val PartitionTypes = Set("string", "boolean", "byte", "short", "integer", "long", "date")
}
