// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** A source of Spark's, streaming and batch, made of parts that know nothing of Spark: the roles of Flink's FLIP-27.
  *
  *   - The [[SplitEnumerator]], on the driver, finds out what there is to read, and yields it as splits.
  *   - A [[SplitReader]], in each task, reads the records of the splits that it is given.
  *   - The [[RecordEmitter]] makes rows of records.
  *
  * Which splits belong to which micro-batch is written down before Spark hears of the batch, so a batch that is repeated
  * after a restart reads the same splits, however the world has changed meanwhile. A source has to do no more for it than
  * read a split the same way each time.
  *
  * It goes to the executors, so it must be serializable; what it holds open belongs into enumerators and readers.
  *
  * @tparam S its splits
  * @tparam R what a reader reads
  * @tparam T what the engine wants: rows
  */
trait SplitSource[S <: Split, R, T] extends Serializable {

  /** The source's name in messages. */
  def describe: String

  /** What the splits are of, if it may change between the runs of a query: then a run that asks for another thing than the
    * first one is refused, because its splits would mean something else.
    */
  def identity: Option[String] = None

  /** How splits are kept, in checkpoints and on the way to the tasks. */
  def splits: VersionedSerializer[S]

  /** The enumerator of one run, as it was when it was last asked for its [[SplitEnumerator.snapshot]]. */
  def enumerator(context: EnumeratorContext[S]): SplitEnumerator[S]

  /** The reader of one task. */
  def reader(): SplitReader[S, R]

  /** The emitter of one task. */
  def emitter(): RecordEmitter[R, T]

  /** The same records in several splits, for tasks that work side by side. Each piece stands for itself.
    *
    * @param bytes that a piece should have about
    */
  def divide(split: S, bytes: Long): Seq[S] = Seq(split)

  /** What the tasks have left behind, counted on the driver at the end of each micro-batch, by any thread. What the
    * enumerator knows is asked of the enumerator.
    */
  def metrics: Map[String, String] = Map.empty
}
