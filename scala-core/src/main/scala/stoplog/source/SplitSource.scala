// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.{DataInput, DataOutput}

/** A Spark source for streaming and batch queries, composed of roles that are independent of Spark: the roles
  * of Flink's FLIP-27.
  *
  *   - The [[SplitEnumerator]], on the driver, discovers the data to read, and returns the data as splits.
  *   - A [[SplitReader]], in each task, reads the records of its splits.
  *   - The [[RecordEmitter]] converts records to rows.
  *
  * The driver writes the splits of a micro-batch before Spark receives the batch. So a batch that is repeated
  * after a restart reads the same splits, regardless of other changes. For this purpose, a source MUST read a
  * split the same way each time.
  *
  * A source is sent to the executors, so it MUST be serializable. Open resources belong in enumerators and
  * readers.
  *
  * @tparam S the splits
  * @tparam R the records of a reader
  * @tparam T the output type of the engine: rows
  */
trait SplitSource[S <: Split, R, T] extends Serializable {

  /** The source's name in messages. */
  def describe: String

  /** The origin of the splits, if the origin may change between the runs of a query. A run with another
    * origin than the first run is rejected, because the splits would have another meaning.
    */
  def identity: Option[String] = None

  /** The format of the splits in checkpoints and in the messages to tasks. */
  def splits: VersionedSerializer[S]

  /** Creates the enumerator of one run, in the state of its last [[SplitEnumerator.snapshot]]. */
  def enumerator(context: EnumeratorContext[S]): SplitEnumerator[S]

  /** Creates the reader of one task. */
  def reader(): SplitReader[S, R]

  /** Creates the emitter of one task. */
  def emitter(): RecordEmitter[R, T]

  /** Divides the records of a split into several independent splits, for tasks that run in parallel.
    *
    * @param bytes the approximate size of each new split
    */
  def divide(split: S, bytes: Long): Seq[S] = Seq(split)

  /** Returns counters of the tasks' work. Called on the driver at the end of each micro-batch, by any thread.
    * The enumerator has separate metrics.
    */
  def metrics: Map[String, String] = Map.empty
}

/** A piece of a source's data, which one reader reads from the first to the last record.
  *
  * Immutable and complete: a reader with only the split and its source MUST read the same records, after any
  * number of restarts.
  */
trait Split {

  /** The split's name in messages and logs: a file and its bytes, a table and its keys. */
  def describe: String

  /** The split's size, counted against the limits of a micro-batch. */
  def size: SplitSize
}

/** The size of a split, as known without reading the split.
  *
  * @param bytes   as stored on the storage; 0 if the source does not count in bytes
  * @param records `None` if the number is known only after reading
  */
final case class SplitSize(bytes: Long, records: Option[Long])

/** Converts the records of a reader to rows. Runs in a task.
  *
  * Stateless: a record that is emitted twice, because an attempt was aborted, produces the same rows.
  */
trait RecordEmitter[R, T] {

  /** @param out accepts any number of rows; a row that is the only row of its record may be reused for the
    *            next record
    */
  def emit(record: R, out: RowOutput[T]): Unit
}

/** The destination of an emitter's rows. */
trait RowOutput[T] {
  def put(row: T): Unit
}

/** Converts values to bytes that later releases can read.
  *
  * Checkpoints keep the bytes for years. So a serializer writes each value field by field, with a version
  * number for the layout. It MUST NOT use Java serialization, which breaks when a class changes.
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

  /** The layout that [[write]] writes, starting with 1. Increase the version with each change, and keep
    * reading all versions that checkpoints may contain.
    */
  def version: Int

  def write(value: A, out: DataOutput): Unit

  /** @param version the written version, at most [[version]]: a newer version is rejected before this call */
  def read(version: Int, in: DataInput): A
}
