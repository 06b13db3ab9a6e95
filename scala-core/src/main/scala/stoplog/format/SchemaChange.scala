// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types._

/** The differences between the current columns and the previous columns, by name. A different order of
  * columns is not a change.
  *
  * New fields of structs are compared like new columns, as `address.city`. The order of fields is part of a
  * struct's type, and so is every former field. A column whose name differs only in case counts as retyped:
  * Spark does not read a file that has both names.
  *
  * @param added   new columns, each with its type
  * @param removed the names of removed columns
  * @param retyped columns with another type, each with the new and the old type
  * @param relaxed columns that were not nullable before, and are now
  */
private[stoplog] final case class SchemaChange(
    added: Vector[String],
    removed: Vector[String],
    retyped: Vector[String],
    relaxed: Vector[String]
) {

  def isEmpty: Boolean = this == SchemaChange.none

  /** Whether a file can have all previous and all new columns. Removed columns are null in the new rows. */
  def isAdditive: Boolean = retyped.isEmpty

  /** The description for messages: `added: a INT; removed: b`. */
  def describe: String =
    Seq("added" -> added, "removed" -> removed, "of another type" -> retyped, "nullable now" -> relaxed)
      .collect { case (what, columns) if columns.nonEmpty => s"$what: ${columns.mkString(", ")}" }
      .mkString("; ")

  private def and(other: SchemaChange): SchemaChange = SchemaChange(
    added ++ other.added,
    removed ++ other.removed,
    retyped ++ other.retyped,
    relaxed ++ other.relaxed
  )
}

private[stoplog] object SchemaChange {
  val none: SchemaChange = SchemaChange(Vector.empty, Vector.empty, Vector.empty, Vector.empty)

  def between(before: StructType, now: StructType): SchemaChange = ofColumns(before, now)

  /** Returns the columns of `now` in the order of `before`, with new columns last. The sink writes this
    * schema, so that a query resumes its open parts if only the order of its columns has changed. Previously
    * nullable columns stay nullable.
    *
    * Returns `now` unchanged if columns were removed or retyped, or if two columns have the same name.
    */
  def arranged(before: StructType, now: StructType): StructType =
    if (between(before, now).removed.nonEmpty) now else merged(before, now)

  /** Returns all columns of both schemas, in the order of [[arranged]]. Removed columns stay, and are
    * nullable.
    *
    * Returns `now` unchanged if columns were retyped, or if two columns have the same name.
    */
  def merged(before: StructType, now: StructType): StructType =
    if (!between(before, now).isAdditive || hasTwins(before) || hasTwins(now)) now
    else {
      val known  = before.fieldNames.toSet
      val byName = now.fields.map(field => field.name -> field).toMap
      StructType(
        before.fields.map(field =>
          byName.get(field.name).fold(field.copy(nullable = true))(wider(field, _))
        ) ++
          now.filterNot(field => known(field.name))
      )
    }

  private def ofColumns(before: StructType, now: StructType): SchemaChange = {
    val (respelled, removed) = before.fields.toVector
      .filterNot(field => now.fieldNames.contains(field.name))
      .map(field => field -> now.fields.find(other => isRespelled(before, field, other)))
      .partition { case (_, other) => other.isDefined }
    val others = StructType(now.fields.filterNot(field => respelled.exists(_._2.contains(field))))
    ofFields(before, others, "").and(
      none.copy(
        removed = removed.map { case (field, _) => field.name },
        retyped = for {
          (was, is) <- respelled
          field     <- is
        } yield s"${field.name} ${field.dataType.sql} (was ${was.name} ${was.dataType.sql})"
      )
    )
  }

  private def isRespelled(before: StructType, field: StructField, other: StructField): Boolean =
    other.name.equalsIgnoreCase(field.name) && !before.fieldNames.contains(other.name)

  /** Compares the fields of `now`. */
  private def ofFields(before: StructType, now: StructType, path: String): SchemaChange = {
    val was = before.fields.map(field => field.name -> field).toMap
    now.fields.foldLeft(none) { (change, field) =>
      val name = path + field.name
      change.and(was.get(field.name) match {
        case None      => none.copy(added = Vector(s"$name ${field.dataType.sql}"))
        case Some(old) =>
          ofTypes(old.dataType, field.dataType, name).and(relaxing(old.nullable, field.nullable, name))
      })
    }
  }

  private def ofTypes(before: DataType, now: DataType, name: String): SchemaChange = (before, now) match {
    case (was: StructType, is: StructType) if keepsFields(was, is) => ofFields(was, is, name + ".")
    case (was: ArrayType, is: ArrayType)                           =>
      val element = name + ".element"
      ofTypes(was.elementType, is.elementType, element)
        .and(relaxing(was.containsNull, is.containsNull, element))
    case (was: MapType, is: MapType) =>
      ofTypes(was.keyType, is.keyType, name + ".key")
        .and(ofTypes(was.valueType, is.valueType, name + ".value"))
        .and(relaxing(was.valueContainsNull, is.valueContainsNull, name + ".value"))
    case _ if before == now => none
    case _                  => none.copy(retyped = Vector(s"$name ${now.sql} (was ${before.sql})"))
  }

  private def relaxing(was: Boolean, is: Boolean, name: String): SchemaChange =
    if (is && !was) none.copy(relaxed = Vector(name)) else none

  private def keepsFields(before: StructType, now: StructType): Boolean =
    before.fieldNames.sameElements(now.fieldNames.filter(before.fieldNames.contains(_)))

  private def wider(before: StructField, now: StructField): StructField =
    now.copy(dataType = wider(before.dataType, now.dataType), nullable = before.nullable || now.nullable)

  private def wider(before: DataType, now: DataType): DataType = (before, now) match {
    case (was: StructType, is: StructType) =>
      StructType(is.map(field => was.find(_.name == field.name).fold(field)(wider(_, field))))
    case (was: ArrayType, is: ArrayType) =>
      ArrayType(wider(was.elementType, is.elementType), was.containsNull || is.containsNull)
    case (was: MapType, is: MapType) =>
      MapType(
        wider(was.keyType, is.keyType),
        wider(was.valueType, is.valueType),
        was.valueContainsNull || is.valueContainsNull
      )
    case _ => now
  }

  private def hasTwins(schema: StructType): Boolean =
    schema.fieldNames.distinct.length != schema.fieldNames.length
}
