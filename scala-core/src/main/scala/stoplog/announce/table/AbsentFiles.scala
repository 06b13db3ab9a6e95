// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

/** The announced files that the table does not have: a later record has removed or replaced the files before
  * their announcement, or the target has refused the files. The announcement of the removal follows, perhaps
  * in another log of the path. Each log has a property of the table, which contains the paths.
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
    * @param changes of the commit
    * @param gone    the paths of further absent files
    */
  def changed(changes: FileChanges, gone: Set[String]): Map[String, String] = {
    val removed = changes.former
    val without = byProperty.view.mapValues(_ -- removed).toMap
    val more    = gone ++ (changes.leftOut -- removed)
    val after   = without.updated(own, without.getOrElse(own, Set.empty) ++ more)
    after.collect {
      case (name, paths) if byProperty.getOrElse(name, Set.empty) != paths =>
        name -> paths.toVector.sorted.mkString("\n")
    }
  }
}
