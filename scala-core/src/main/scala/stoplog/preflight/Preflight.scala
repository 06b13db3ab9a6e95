// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import java.util.{List => JList}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.SparkThrowable

import stoplog.log.RecordNames
import stoplog.part.{PartNaming, RunId}
import stoplog.storage.{NewPart, PartLayout, SinkDirectory}

/** The findings about a sink before its query starts. `toString` returns a readable report.
  *
  * {{{
  * val found = sink.check(events)
  * println(found)
  * require(found.isReady)
  * }}}
  *
  * @param path     the path with the user's spelling
  * @param findings one finding for each check
  * @param names    examples of future file names; empty if the options are invalid
  */
final case class Preflight(path: String, findings: Vector[Finding], names: Vector[ExampleName]) {

  /** Returns whether the query can start. Warnings are possible. */
  def isReady: Boolean = problems.isEmpty

  def problems: Vector[Finding.Problem] = findings.collect { case problem: Finding.Problem => problem }

  def warnings: Vector[Finding.Warning] = findings.collect { case warning: Finding.Warning => warning }

  /** [[findings]] for Java and Python. */
  def findingsAsList(): JList[Finding] = findings.asJava

  /** [[names]] for Java and Python. */
  def namesAsList(): JList[ExampleName] = names.asJava

  override def toString: String =
    (Seq(s"Preflight of $path: $verdict") ++ findings.map(lines) ++ namesInLines).mkString("\n")

  private def verdict: String =
    if (isReady && warnings.isEmpty) "ready"
    else if (isReady) s"ready, with ${counted(warnings.size, "warning")}"
    else s"not ready, ${counted(problems.size, "problem")} and ${counted(warnings.size, "warning")}"

  private def lines(finding: Finding): String = {
    val first = f"  ${finding.level}%-8s ${finding.name}: ${indented(finding.what)}"
    if (finding.now.isEmpty) first else s"$first\n${Preflight.Indent}${indented(finding.now)}"
  }

  private def indented(text: String): String = text.replace("\n", s"\n${Preflight.Indent}")

  private def namesInLines: Seq[String] =
    if (names.isEmpty) Nil else "Names:" +: names.map(each => f"  ${each.kind}%-8s ${each.path}")

  private def counted(number: Int, noun: String): String =
    if (number == 1) s"1 $noun" else s"$number ${noun}s"
}

object Preflight {
  private val Indent = " " * 11
}

/** An example of a future file name.
  *
  * @param kind `finished`, `open` or `log`
  * @param path the path below the sink's path
  */
final case class ExampleName(kind: String, path: String)

object ExampleName {

  /** Returns examples of the names of a sink, with an invented run and invented numbers.
    *
    * @param bucket the bucket of the first row, or an example
    */
  private[stoplog] def of(
      sinkId: String,
      naming: PartNaming,
      layout: PartLayout,
      bucket: String
  ): Vector[ExampleName] = {
    val name     = naming.name(Run, 0)
    val finished = if (bucket.isEmpty) name else s"$bucket/$name"
    Vector(
      ExampleName("finished", finished),
      ExampleName("open", layout.inProgress(NewPart(bucket, name, Run), Unique)),
      ExampleName("log", s"${SinkDirectory(sinkId).log}/${RecordNames.name(0)}")
    )
  }

  private val Run    = RunId("4f6c2a81-b0d3-4e5f-8a9b-0c1d2e3f4a5b")
  private val Unique = "9e1d05c7a2f40b36"
}

/** The result of one check. */
sealed abstract class Finding(val level: String) extends Product with Serializable {

  /** Returns the stable name of the check, as one word: `options`, `format`, `buckets`, `storage` … */
  def name: String

  /** Returns the description of the finding, in full sentences. */
  def what: String

  /** Returns the next step for the user. Empty if no step is needed. */
  def now: String
}

object Finding {

  /** The check found no problem. */
  final case class Ok(name: String, what: String) extends Finding("ok") {
    override def now: String = ""
  }

  /** The query can start, but the user should know this finding. */
  final case class Warning(name: String, what: String, now: String) extends Finding("warning")

  /** The query would be rejected, or would fail. */
  final case class Problem(name: String, what: String, now: String) extends Finding("problem")

  /** Converts a rejected start to a problem. Rethrows errors from outside of stoplog and Spark. */
  private[stoplog] def refusal(name: String, error: Throwable): Problem = error match {
    case named: SparkThrowable =>
      val sentences = error.getMessage.stripPrefix(s"[${named.getCondition}] ")
      val text      = sentences.replaceFirst(" SQLSTATE: \\w+(?s:.*)$", "")
      // The last line of each stoplog message is advice.
      val (what, now) = text.splitAt(text.lastIndexOf('\n').max(0))
      if (what.isEmpty) Problem(name, s"$now (${named.getCondition})", "Correct the option or the query.")
      else Problem(name, s"$what (${named.getCondition})", now.trim)
    case other => throw other
  }

  /** Runs a check. Returns its result, or a problem if the check fails. */
  private[stoplog] def tried[A](name: String)(look: => A): Either[Problem, A] =
    Try(look).toEither.left.map(refusal(name, _))
}
