// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

/** Writes the reference pages that are generated from code, and the definitions that Python shares.
  *
  * {{{
  * sbt "core/Test/runMain stoplog.docs.GenerateDocs docs"
  * }}}
  */
object GenerateDocs {

  /** The pages by their paths below `docs`. */
  def pages: Map[String, String] =
    Map(
      CompatibilityPage.name -> CompatibilityPage.text,
      OptionsPage.name       -> OptionsPage.text,
      SourceOptionsPage.name -> SourceOptionsPage.text,
      ErrorsPage.name        -> ErrorsPage.text,
      PoliciesPicture.name   -> PoliciesPicture.text
    )

  /** @param args the directory to write to, from the repository's root: `docs` if there is none */
  def main(args: Array[String]): Unit = {
    val directory = Repository.root.resolve(args.headOption.getOrElse("docs"))
    for ((name, text) <- pages) {
      val page = directory.resolve(name)
      Files.createDirectories(page.getParent)
      Files.write(page, text.getBytes(UTF_8))
    }
    SharedDefinitions.write("core", SharedDefinitions.core)
  }
}
