// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.{DataInput, DataOutput}

/** A source of Spark's, streaming and batch, made of parts that know nothing of Spark: the roles of Flink's FLIP-27.
  *
  *   - The [[SplitEnumerator]], on the driver, finds out what there is to read, and yields it as splits.
  *   - A [[SplitReader]], in each task, reads the records of the splits that it is given.
  *   - The [[RecordEmitter]] makes rows of records.
  *
  * The driver writes down the splits of a micro-batch before Spark hears of the batch, so a batch that is repeated after
  * a restart reads the same splits, however the world has changed meanwhile. A source has to do no more for it than read
  * a split the same way each time.
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

  /** The origin of the splits, if it may change between the runs of a query: then a run that names another one than the
    * first run is refused, because its splits would mean something else.
    */
  def identity: Option[String] = None

  /** The format of the splits in checkpoints and on the way to the tasks. */
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

  /** Counts of the tasks' work, taken on the driver at the end of each micro-batch, by any thread. The enumerator has its
    * own.
    */
  def metrics: Map[String, String] = Map.empty
}

/** A piece of a source's data: what one reader reads from its first record to its last.
  *
  * Immutable, and complete: a reader that has the split, its source and nothing else reads the same records, today and
  * after any number of restarts.
  */
trait Split {

  /** The split's name in messages and logs: a file and its bytes, a table and its keys. */
  def describe: String

  /** The split's size, counted against the limits of a micro-batch. */
  def size: SplitSize
}

/** The size of a split, as far as it is known without reading it.
  *
  * @param bytes   as they lie on the storage; 0 if the source does not count in bytes
  * @param records none where only reading can tell
  */
final case class SplitSize(bytes: Long, records: Option[Long])

/** Makes rows of what a reader read. In a task.
  *
  * Without memory: a record that is emitted twice, because an attempt was broken off, gives the same rows.
  */
trait RecordEmitter[R, T] {

  /** @param out takes any number of rows; one that is the only one of its record may be used again for the next record */
  def emit(record: R, out: RowOutput[T]): Unit
}

/** The destination of an emitter's rows. */
trait RowOutput[T] {
  def put(row: T): Unit
}

/** Turns values into bytes that later releases can read.
  *
  * The bytes lie in checkpoints for years: so each value is written field by field, with a number for the shape,
  * and never by Java serialization, which breaks when a class changes.
  *
  * {{{
  * object KeysSerializer extends VersionedSerializer[Keys] {
  *   val version = 1
  *   def write(keys: Keys, out: DataOutput): Unit = { out.writeLong(keys.from); out.writeLong(keys.until) }
  *   def read(version: Int, in: DataInput): Keys  = Keys(in.readLong(), in.readLong())
  * }
  * }}}
  */
trait VersionedSerializer[A] extends Serializable {

  /** The shape that [[write]] writes, from 1 on. Raise it with each change, and go on reading all before it. */
  def version: Int

  def write(value: A, out: DataOutput): Unit

  /** @param version what was written, at most [[version]]: a newer one is refused before it comes here */
  def read(version: Int, in: DataInput): A
}
