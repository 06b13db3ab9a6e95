// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The announced files that did not exist when they were announced, because a later record has removed or
  * replaced them. The announcement of this record follows, perhaps in another log of the path. Each log has
  * a property of the table, which contains the paths.
  *
  * @param own    the name of the property of the delivered log
  * @param stored the properties of all logs of the path
  */
private[stoplog] final class AbsentFiles(own: String, stored: Map[String, String]) {
  private val byProperty = stored.view.mapValues(_.split("\n").filter(_.nonEmpty).toSet).toMap

  /** The paths of all logs. */
  def paths: Set[String] = byProperty.values.flatten.toSet

  /** Returns the properties that the commit changes. A property without paths has an empty value.
    *
    * @param removed the paths of files whose removal is announced
    * @param gone    the paths of further absent files
    */
  def changed(removed: Set[String], gone: Set[String]): Map[String, String] = {
    val without = byProperty.view.mapValues(_ -- removed).toMap
    val after   = without.updated(own, without.getOrElse(own, Set.empty) ++ gone)
    after.collect {
      case (name, paths) if byProperty.getOrElse(name, Set.empty) != paths =>
        name -> paths.toVector.sorted.mkString("\n")
    }
  }
}
