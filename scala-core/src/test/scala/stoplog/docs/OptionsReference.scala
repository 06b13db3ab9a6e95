// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import stoplog.options.{Opt, OptionGroup}

/** A page of `docs/` that lists all options of a registry. Run, as by `make docs`, it writes itself, and the
  * [[SharedDefinitions]] of a connector.
  *
  * @param name its path below `docs`
  */
abstract class OptionsReference(
    val name: String,
    groups: Seq[OptionGroup],
    val options: Seq[Opt[_]]
) {

  final def text: String = (
    Seq(head) ++ frequent ++ groups.map(OptionsTable.section(_, options.diff(common))) ++ more ++ ofSpark
  ).mkString("\n")

  /** The options with a row. */
  final def listed: Seq[Opt[_]] = options.filter(option => groups.contains(option.group))

  final def path: Path = Repository.root.resolve("docs").resolve(name)

  final def main(args: Array[String]): Unit = {
    Files.write(path, text.getBytes(UTF_8))
    connector.foreach(jar => SharedDefinitions.write(jar, SharedDefinitions.connector(jar, options)))
  }

  /** The options that most users need, in the order of the first table; empty for a page without such a table.
    */
  protected def common: Seq[Opt[_]] = Nil

  private def frequent: Option[String] =
    Option.when(common.nonEmpty)(OptionsTable.section(OptionsReference.Frequent, common))

  /** Options that Spark documents, with what is special here. */
  private def ofSpark: Option[String] = {
    val names = options.filter(_.group == OptionGroup.OfSpark)
    Option.when(names.nonEmpty)(
      (Seq(s"## ${OptionGroup.OfSpark.title}", "", "These names have Spark's meaning.", "") ++
        names.map(option => s"- `${option.key}`: ${option.doc}")).mkString("", "\n", "\n")
    )
  }

  /** The connector whose options these are; `None` for those of the core. */
  def connector: Option[String] = None

  /** Above the tables. */
  protected def head: String

  /** Below the tables. */
  protected def more: Seq[String] = Nil
}

object OptionsReference {
  final val Frequent = "What most jobs need"
}
