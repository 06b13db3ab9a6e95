// SPDX-License-Identifier: Apache-2.0
package stoplog.python.sink

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.format.RowSink
import stoplog.options.{PythonOptions, SparkOptions}
import stoplog.python.{DriverPython, OwnPython, PythonCommand, SharedPython}
import stoplog.sink._
import stoplog.spark.QueryContext

/** The sink of `stoplog.TwoPhaseSink` in Python. Its rows are the outputs that Python workers have prepared.
  *
  * One object for each table, and so for each start of a query: recovery and run share its process.
  */
private[stoplog] final class PythonSink extends RowSink {
  private var process = Option.empty[SharedPython]

  /** Errors: `STOPLOG_PYTHON_FORBIDDEN`, `STOPLOG_PYTHON_START`, `STOPLOG_INVALID_OPTIONS`. */
  override def open(options: JMap[String, String], schema: StructType): TwoPhaseSink[InternalRow] = {
    val passed = SparkOptions.caseless(options)
    if (schema.fieldNames.toSeq != TokenWriter.Columns || !passed.containsKey(PythonOptions.Pickled))
      throw Errors.invalidOptions(Seq(PythonSink.ByMethod))
    val owner = passed.getOrDefault(PythonOptions.Owner, "a class")
    DriverPython.refuseIfForbidden(owner)
    val pickled = passed.get(PythonOptions.Pickled)
    val shared  = processOf(DriverPython.command(options))
    new TokenSink(
      owner,
      target = passed.getOrDefault(PythonSink.Target, owner),
      kind = "python:" + passed.getOrDefault(PythonSink.Kind, owner),
      () => new OwnPython(owner, pickled, shared)
    )
  }

  private def processOf(command: PythonCommand): SharedPython = synchronized {
    process.getOrElse {
      val made = SharedPython.of(command, PythonSink.IdleMillis)
      process = Some(made)
      made
    }
  }
}

private[sink] object PythonSink {
  val Target = "python.target"
  val Kind   = "python.kind"

  val ByMethod = "sink names the class of sinks in Python, which is not set by hand: call write_stream or " +
    "write of a stoplog.TwoPhaseSink."

  /** The first epoch usually begins within this time after the start of a query. */
  private final val IdleMillis = 30000L
}

/** @param user creates an object of the user's class, on the driver only
  */
private[sink] final class TokenSink(
    owner: String,
    override val target: String,
    override val kind: String,
    @transient private val user: () => OwnPython
) extends TwoPhaseSink[InternalRow] {

  override def writer(task: WriterTask): TwoPhaseWriter[InternalRow] = new TokenWriter(task)

  override def committer(): TwoPhaseCommitter =
    new PythonCommitter(user(), QueryContext.stopSignal(), QueryContext.start().map(_.queryId))

  override def toString: String = s"the sink $owner in Python"
}

/** Passes on what a Python worker has prepared. */
private[sink] final class TokenWriter(task: WriterTask) extends TwoPhaseWriter[InternalRow] {
  private val prepared = Vector.newBuilder[Prepared]

  override def write(row: InternalRow): Unit = {
    val metrics = PythonToken.metricsOf(row.getUTF8String(5).toString).getOrElse(Map.empty)
    val token = PythonToken(row.getInt(1), task.epoch, task.partition, metrics, row.getUTF8String(2).toString)
    prepared += Prepared(row.getUTF8String(0).toString, token.text, row.getLong(3), row.getLong(4))
  }

  override def prepare(): Vector[Prepared] = prepared.result()

  /** Does nothing: Python has prepared the output, and only recovery knows whether a record names it. */
  override def abort(): Unit = ()

  override def close(): Unit = ()
}

private[sink] object TokenWriter {

  /** The columns of the rows, in the order of the Python package. */
  val Columns: Seq[String] = Seq("name", "version", "token", "rows", "bytes", "metrics")
}
