// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

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
