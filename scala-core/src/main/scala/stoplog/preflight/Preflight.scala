// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import java.util.{List => JList}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.SparkThrowable

import stoplog.log.RecordNames
import stoplog.part.{PartNaming, RunId}
import stoplog.storage.{NewPart, PartLayout, SinkDirectory}

/** The findings about a sink before its query starts. Printed, it is a page to read.
  *
  * {{{
  * val found = sink.check(events)
  * println(found)
  * require(found.isReady)
  * }}}
  *
  * @param path     as the user wrote it
  * @param findings one for each thing that was looked at
  * @param names    examples of the files that the sink will write; none while its options are wrong
  */
final case class Preflight(path: String, findings: Vector[Finding], names: Vector[ExampleName]) {

  /** Whether nothing stands against a start. There may be warnings. */
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

/** A file as the sink will call it.
  *
  * @param kind `finished`, `open` or `log`
  * @param path under the sink's path
  */
final case class ExampleName(kind: String, path: String)

object ExampleName {

  /** The names that a sink gives, with a run and numbers made up.
    *
    * @param bucket of the first row, or an example of one
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

/** The result of a preflight for one thing. */
sealed abstract class Finding(val level: String) extends Product with Serializable {

  /** The thing, in one word that stays the same: `options`, `format`, `buckets`, `storage` … */
  def name: String

  /** The description of the finding, in full sentences. */
  def what: String

  /** The next step for the user; empty if there is none. */
  def now: String
}

object Finding {

  /** As it should be. */
  final case class Ok(name: String, what: String) extends Finding("ok") {
    override def now: String = ""
  }

  /** The query would start, and the user should know this. */
  final case class Warning(name: String, what: String, now: String) extends Finding("warning")

  /** The query would be refused, or fail. */
  final case class Problem(name: String, what: String, now: String) extends Finding("problem")

  /** The refusal of a start as a problem; an error that is not stoplog's or Spark's own refusal is thrown on. */
  private[stoplog] def refusal(name: String, error: Throwable): Problem = error match {
    case named: SparkThrowable =>
      val sentences = error.getMessage.stripPrefix(s"[${named.getCondition}] ")
      val text      = sentences.replaceFirst(" SQLSTATE: \\w+(?s:.*)$", "")
      // The last line of each of stoplog's messages is what to do.
      val (what, now) = text.splitAt(text.lastIndexOf('\n').max(0))
      if (what.isEmpty) Problem(name, s"$now (${named.getCondition})", "Correct the option or the query.")
      else Problem(name, s"$what (${named.getCondition})", now.trim)
    case other => throw other
  }

  /** A look at something, and what it gives if nothing is wrong. */
  private[stoplog] def tried[A](name: String)(look: => A): Either[Problem, A] =
    Try(look).toEither.left.map(refusal(name, _))
}
