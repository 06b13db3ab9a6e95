// SPDX-License-Identifier: Apache-2.0
package stoplog.python

import java.io.{File, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.locks.ReentrantLock

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.error.PythonErrors
import stoplog.error.PythonErrors.Call
import stoplog.thread.{Clock, Daemons, StopSignal, Uninterrupted}

/** A Python process that holds objects of user code and answers calls of their methods, one call at a time.
  *
  * The process ends with this object and with the JVM, however the JVM ends. Thread-safe.
  */
private[stoplog] final class PythonProcess private (process: Process, command: PythonCommand)
    extends AutoCloseable {
  import PythonProcess._

  private val answers  = new LinkedBlockingQueue[Option[String]]
  private val turn     = new ReentrantLock
  private val calls    = process.getOutputStream
  private var greeting = Option.empty[Greeting]

  Daemons.named("stoplog-python").newThread(() => readAnswers()).start()

  /** Adds an object to the process.
    *
    * Errors: `STOPLOG_PYTHON_LOAD`, `STOPLOG_PYTHON_START`, and those of a call.
    *
    * @param name    the class of the object, for messages
    * @param pickled a pickled function without arguments that returns the object, in Base64
    */
  def load(name: String, pickled: String): PythonObject = inTurn {
    val python = greet()
    ask(Program, Call(name, "load"), Seq(pickled), command.timeoutMillis) match {
      case Right(number) => new PythonObject(this, number.asInt, name)
      case Left(failure) =>
        throw PythonErrors.load(name, python.executable, failure.summary, failure.traceback)
    }
  }

  /** Calls a method, and returns its result.
    *
    * Errors: `STOPLOG_PYTHON_FAILED`, `STOPLOG_PYTHON_TIMEOUT`, `STOPLOG_PYTHON_ENDED`; and
    * `InterruptedException` if the work of this thread was stopped. Without an answer the process is ended,
    * and the outcome of the call is unknown.
    *
    * @param on        the number of the object
    * @param arguments values that Jackson can write
    * @param millis    the longest time, if less than that of the command
    */
  private[python] def call(
      on: Int,
      call: Call,
      arguments: Seq[Any],
      millis: Long = Long.MaxValue
  ): JsonNode = inTurn {
    greet(): Unit
    ask(on, call, arguments, millis.min(command.timeoutMillis)).fold(
      failure => throw PythonErrors.failed(call, failure.summary, failure.traceback),
      identity
    )
  }

  /** Whether the process can answer another call. */
  def isAlive: Boolean = process.isAlive

  /** Ends the process and its children, even during a call. */
  override def close(): Unit = {
    // The end of its input ends the process with its children. A blocked writer would block this thread, too.
    if (turn.tryLock())
      try Try(calls.close())
      finally turn.unlock()
    if (!exited(CloseMillis)) {
      process.descendants().forEach(child => child.destroyForcibly(): Unit)
      process.destroyForcibly(): Unit
    }
  }

  private def inTurn[A](action: => A): A = {
    StopSignal.ofThisThread.waitUntil(Long.MaxValue)(turn.tryLock(_, TimeUnit.MILLISECONDS)): Unit
    try action
    finally turn.unlock()
  }

  private def greet(): Greeting = greeting.getOrElse {
    def ended() = PythonErrors.start(command.executable, s"ended with $status")
    val line    = receive(Call("Python", "start"), command.timeoutMillis).getOrElse(throw ended())
    val found   =
      try {
        val said = mapper.readTree(line)
        Greeting(said.get("version").asText(), said.get("executable").asText())
      } catch {
        case NonFatal(_) =>
          close()
          throw PythonErrors.start(command.executable, s"printed '${line.take(100)}' instead of starting")
      }
    command.version.filter(_ != found.version).foreach { pickled =>
      close()
      throw PythonErrors.version(found.executable, pickled, found.version)
    }
    greeting = Some(found)
    found
  }

  private def ask(on: Int, call: Call, arguments: Seq[Any], millis: Long): Either[Failure, JsonNode] = {
    val line = mapper.createObjectNode().put("on", on).put("method", call.method)
    line.set[JsonNode]("arguments", mapper.valueToTree[JsonNode](arguments.asJava)): Unit
    try {
      calls.write(mapper.writeValueAsBytes(line))
      calls.write('\n')
      calls.flush()
    } catch {
      case _: IOException => throw PythonErrors.ended(call, status)
    }
    val answer = mapper.readTree(receive(call, millis).getOrElse(throw PythonErrors.ended(call, status)))
    Option(answer.get("error")) match {
      case Some(error) => Left(Failure(error.get("summary").asText(), error.get("traceback").asText()))
      case None        => Right(answer.get("answer"))
    }
  }

  /** Returns the next line; `None` if the process has ended. */
  private def receive(call: Call, millis: Long): Option[String] = {
    var line = Option.empty[Option[String]]
    // A call in flight gets a little time to end by itself, because its outcome is unknown otherwise.
    val signal = StopSignal.delayed(StopSignal.ofThisThread, GraceMillis, () => Clock.system.elapsedMillis())
    try
      signal.waitUntil(millis) { left =>
        line = Option(answers.poll(left, TimeUnit.MILLISECONDS))
        line.isDefined
      }: Unit
    catch {
      case e: InterruptedException =>
        close()
        throw e
    }
    line.getOrElse {
      close()
      throw PythonErrors.timeout(call, millis)
    }
  }

  private def readAnswers(): Unit =
    try
      Source.fromInputStream(process.getInputStream, UTF_8.name).getLines().foreach(l => answers.add(Some(l)))
    catch { case NonFatal(_) => () } // closed with the process
    finally answers.add(None): Unit

  private def status: String = if (exited(CloseMillis)) s"status ${process.exitValue()}" else "no status"

  private def exited(millis: Long): Boolean =
    Uninterrupted.within(millis)(process.waitFor(_, TimeUnit.MILLISECONDS))
}

private[stoplog] object PythonProcess {

  /** Starts Python. Returns at once: the first call waits until Python is ready.
    *
    * Error: `STOPLOG_PYTHON_START`.
    */
  def start(command: PythonCommand): PythonProcess = {
    val builder = new ProcessBuilder(command.executable, "-u", "-c", program)
    val path    = command.path.filter(_.nonEmpty) ++ Option(System.getenv("PYTHONPATH"))
    if (path.nonEmpty) builder.environment().put("PYTHONPATH", path.mkString(File.pathSeparator)): Unit
    builder.redirectError(ProcessBuilder.Redirect.INHERIT): Unit
    try new PythonProcess(builder.start(), command)
    catch { case e: IOException => throw PythonErrors.start(command.executable, e.getMessage) }
  }

  private lazy val program: String =
    Using.resource(Source.fromInputStream(getClass.getResourceAsStream("process.py"), UTF_8.name))(_.mkString)

  private val mapper = new ObjectMapper

  /** The number of the object that loads and drops the other objects. */
  private[python] final val Program = 0

  private final val GraceMillis = 5000L
  private final val CloseMillis = 2000L

  private final case class Greeting(version: String, executable: String)
  private final case class Failure(summary: String, traceback: String)
}

/** The start of a Python process.
  *
  * @param path          directories and archives with modules, in addition to those of the executable
  * @param version       the `major.minor` that made the pickles: another version cannot read all pickles
  * @param timeoutMillis the longest time of a call
  */
private[stoplog] final case class PythonCommand(
    executable: String,
    path: Seq[String],
    version: Option[String],
    timeoutMillis: Long
)

/** An object of user code in a Python process. */
private[stoplog] final class PythonObject(process: PythonProcess, number: Int, name: String) {

  /** Calls a method. Errors: see [[PythonProcess]].
    *
    * @param where the epoch or the partition of the call as a clause, for messages
    */
  def call(method: String, where: String = "")(arguments: Any*): JsonNode =
    process.call(number, Call(name, method, where), arguments)

  /** Whether the object can answer another call. */
  def isAlive: Boolean = process.isAlive

  /** Removes the object from its process, and calls its method `close`, if there is one. */
  def drop(): Unit =
    if (isAlive)
      process.call(PythonProcess.Program, Call(name, "close"), Seq(number), PythonObject.DropMillis): Unit
}

private object PythonObject {

  /** The end of a query waits for the end of its user code, and not for long. */
  private final val DropMillis = 10000L
}
