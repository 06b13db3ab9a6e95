// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

/** Files of one directory that become one.
  *
  * @param directory under the path; empty for the path itself
  * @param names     of the files
  * @param sizeBytes of all of them
  */
final case class PlannedMerge(directory: String, names: Seq[String], sizeBytes: Long) {

  /** [[names]] for Java and Python. */
  def namesAsList(): JList[String] = names.asJava
}
