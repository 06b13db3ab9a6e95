// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import stoplog.part.BlockOutput

/** Writes several files of one format as one: how small parts are merged.
  *
  * The formats that stoplog knows by name have theirs. Implement this for files of an own `encoder` or `bulkWriter`,
  * and name the class in the option `compactor`:
  *
  * {{{
  * /** Files that are nothing but records one after another. */
  * class Appended extends Compactor {
  *   override def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit =
  *     inputs.foreach(input => Using.resource(input.open())(_.transferTo(out)))
  * }
  * }}}
  *
  * It is sent to an executor by Java serialization. A merge that fails changes nothing that readers see.
  */
trait Compactor extends Serializable {

  /** Writes all rows of the inputs, in their order, as one whole file.
    *
    * @param inputs two files or more, which are never changed
    * @param out    the file, empty still; not to be closed
    */
  def compact(inputs: Seq[CompactionInput], out: BlockOutput): Unit

  /** The common property of files that may be merged, such as their columns: only files with an equal answer are
    * merged. Asked of files of which no log tells that, in old directories.
    */
  def likeness(input: CompactionInput): String = ""
}
