// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** A streaming query's handling of a part that a merge of the sink's has written: a new file, whose rows it may have
  * read from the parts that are gone for it. Decision 0019.
  */
sealed trait OnMergedPart extends Serializable
object OnMergedPart {

  /** The query fails: it cannot be known which of the rows are new. */
  case object Fail extends OnMergedPart

  /** It is read as any file: of a directory in which nothing is merged any more. */
  case object Read extends OnMergedPart

  /** It is left out, because its rows were read before they were merged. */
  case object Skip extends OnMergedPart
}

private[file] object MergedPart {

  /** Whether a sink names merged parts so: see [[stoplog.part.PartNaming.merged]]. */
  def isNamedSo(name: String): Boolean = Name.matcher(name).matches()

  private val Name = java.util.regex.Pattern.compile(""".*-[0-9a-f]{12}-m\d+(\.[^/]*)?""")
}
