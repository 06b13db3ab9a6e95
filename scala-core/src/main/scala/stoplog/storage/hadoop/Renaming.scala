// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

/** How a file gets another name, and never one that is taken (I6). */
sealed trait Renaming extends Serializable
object Renaming {

  /** One step of the server: of many that rename to one name at once, one succeeds. For file systems that Hadoop's
    * `FileContext` knows and whose rename is known to be such, as that of HDFS.
    */
  case object Atomic extends Renaming

  /** A look at the name and then the file system's own rename, of which nothing is known. Where that replaces what it
    * finds, a file that appears under the name between the two is lost: names that are made once in the world may be
    * given so, and nothing else.
    */
  case object Checked extends Renaming
}

/** How [[HadoopFiles.rename]] ended, when it did not fail. */
sealed trait Renamed
object Renamed {
  case object Done        extends Renamed
  case object SourceGone  extends Renamed
  case object TargetThere extends Renamed

  /** It was refused for another reason: the target's directory was not there, most likely. */
  case object NoDirectory extends Renamed
}
