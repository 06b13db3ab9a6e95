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

  final def text: String =
    (Seq(head) ++ groups.map(OptionsTable.section(_, options)) ++ more).mkString("\n")

  final def path: Path = Repository.root.resolve("docs").resolve(name)

  final def main(args: Array[String]): Unit = {
    Files.write(path, text.getBytes(UTF_8))
    connector.foreach(jar => SharedDefinitions.write(jar, SharedDefinitions.connector(jar, options)))
  }

  /** The connector whose options these are; `None` for those of the core. */
  def connector: Option[String] = None

  /** Above the tables. */
  protected def head: String

  /** Below the tables. */
  protected def more: Seq[String] = Nil
}
