// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.options.{Opt, SinkOptionRegistry, SourceOptionRegistry}

/** Writes all options for programs to read: an object of `sink` and `source`, each a list of options with `key`, `group`,
  * `kind` (the values in words), `values` (the allowed words, where there are a few), `default` (null where there is no
  * such value), and `parameters` (whether `<key>.<name>` is a parameter of a class).
  *
  * {{{
  * sbt "core/Test/runMain stoplog.docs.GenerateOptions options.json"
  * }}}
  */
object GenerateOptions {

  /** By the names of the registries. */
  def json(registries: (String, Seq[Opt[_]])*): String = {
    val all = mapper.createObjectNode()
    for ((name, options) <- registries) {
      val list = all.putArray(name)
      options.foreach(option => describe(option, list.addObject()))
    }
    mapper.writerWithDefaultPrettyPrinter.writeValueAsString(all) + "\n"
  }

  /** @param args the file to write to */
  def main(args: Array[String]): Unit = {
    val text = json("sink" -> SinkOptionRegistry.all, "source" -> SourceOptionRegistry.all)
    Files.write(Paths.get(args.head), text.getBytes(UTF_8))
    ()
  }

  private def describe(option: Opt[_], node: ObjectNode): Unit = {
    node.put("key", option.key).put("group", option.group.title).put("kind", option.values.described)
    val words = node.putArray("values")
    option.values.words.foreach(words.add(_))
    node.put("default", option.defaultText.orNull).put("parameters", option.values.takesParameters)
    ()
  }

  private val mapper = new ObjectMapper()
}
