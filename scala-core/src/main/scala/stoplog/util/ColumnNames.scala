// SPDX-License-Identifier: Apache-2.0
package stoplog.util

/** Finds a column by a name of the user. An exact match wins; otherwise exactly one name matches regardless
  * of case. Names that differ in case only are separate columns with `spark.sql.caseSensitive`, in structs,
  * and in databases.
  */
private[stoplog] object ColumnNames {

  /** Returns the index of a name, or the reason for its absence. */
  def find(names: collection.Seq[String], name: String): Either[String, Int] =
    names.indexOf(name) match {
      case -1    => ignoringCase(names, name)
      case exact => Right(exact)
    }

  /** Returns the index of a name; `None` if no name matches, or several names match. */
  def index(names: collection.Seq[String], name: String): Option[Int] = find(names, name).toOption

  private def ignoringCase(names: collection.Seq[String], name: String): Either[String, Int] =
    names.indices.filter(names(_).equalsIgnoreCase(name)) match {
      case Seq(one) => Right(one)
      case Seq()    => Left(s"there is no column '$name' among ${names.mkString(", ")}")
      case _        => Left(s"there are several columns called '$name' in different cases")
    }
}
