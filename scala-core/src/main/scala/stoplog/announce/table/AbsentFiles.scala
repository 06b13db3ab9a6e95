// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The announced files that did not exist when they were announced, because a later record has removed or
  * replaced them. The announcement of this record follows. A property of the table contains the paths.
  */
private[stoplog] object AbsentFiles {

  /** Returns the paths in the property. */
  def of(property: Option[String]): Set[String] =
    property.fold(Set.empty[String])(_.split("\n").filter(_.nonEmpty).toSet)

  /** Returns the value of the property. */
  def text(paths: Set[String]): String = paths.toVector.sorted.mkString("\n")
}
