// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types._

/** The differences between the columns of rows and those of the rows before them. By name: the order of columns is none.
  *
  * Fields of structs count like columns, as `address.city`; their order is part of their struct's type.
  *
  * @param added   each with its type
  * @param removed their names
  * @param retyped each with its type now and before
  * @param relaxed columns that had a value in every row, and now may be null
  */
private[stoplog] final case class SchemaChange(
    added: Vector[String],
    removed: Vector[String],
    retyped: Vector[String],
    relaxed: Vector[String]
) {

  def isEmpty: Boolean = this == SchemaChange.none

  /** A reader that knows the columns before can read the new rows as well. */
  def isAdditive: Boolean = removed.isEmpty && retyped.isEmpty

  /** The text of a message: `added: a INT; removed: b`. */
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

  def between(before: StructType, now: StructType): SchemaChange = ofFields(before, now, "")

  /** The columns of `now` in the order of `before`, new ones last: what is written, so that a query that only names its
    * columns in another order goes on with the parts that are open. A column that could be null before still can.
    *
    * It is `now` as it is if columns are gone or have other types, or two have one name.
    */
  def arranged(before: StructType, now: StructType): StructType =
    if (!between(before, now).isAdditive || hasTwins(before) || hasTwins(now)) now
    else {
      val known    = before.fieldNames.toSet
      val (old, _) = now.fields.partition(field => known(field.name))
      val byName   = old.map(field => field.name -> field).toMap
      StructType(before.fields.map(field => wider(field, byName(field.name))) ++ now.filterNot(old.contains))
    }

  private def ofFields(before: StructType, now: StructType, path: String): SchemaChange = {
    val was = before.fields.map(field => field.name -> field).toMap
    val is  = now.fieldNames.toSet
    now.fields.foldLeft(none.copy(removed = before.fieldNames.filterNot(is).map(path + _).toVector)) {
      (change, field) =>
        val name = path + field.name
        change.and(was.get(field.name) match {
          case None      => none.copy(added = Vector(s"$name ${field.dataType.sql}"))
          case Some(old) =>
            ofTypes(old.dataType, field.dataType, name).and(relaxing(old.nullable, field.nullable, name))
        })
    }
  }

  private def ofTypes(before: DataType, now: DataType, name: String): SchemaChange = (before, now) match {
    case (was: StructType, is: StructType) if sameOrder(was, is) => ofFields(was, is, name + ".")
    case (was: ArrayType, is: ArrayType)                         =>
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

  private def sameOrder(before: StructType, now: StructType): Boolean =
    before.fieldNames
      .filter(now.fieldNames.contains(_))
      .sameElements(
        now.fieldNames.filter(before.fieldNames.contains(_))
      )

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
