// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** A finished part that the log goes on to name, because it is small and may be merged with others of its bucket.
  *
  * It belongs to the reader all the same, who may have moved or deleted it.
  *
  * @param epoch  the last epoch of the sink when the part was published; -1 before the first
  * @param merges how many merges its rows have been through
  * @param schema the columns of its rows, as in [[Part.schema]]
  */
final case class FinishedPart(
    bucket: String,
    name: String,
    sizeBytes: Long,
    records: Long,
    epoch: Long,
    merges: Int = 0,
    schema: Option[SchemaId] = None
) {

  /** The path of the part under the sink's path. */
  def path: String = if (bucket.isEmpty) name else s"$bucket/$name"
}
