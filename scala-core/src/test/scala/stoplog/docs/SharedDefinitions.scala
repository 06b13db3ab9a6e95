// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import com.fasterxml.jackson.databind.{ObjectMapper, SerializationFeature}
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

import stoplog.commit.{DriverNote, Liveness, OrphanCleaner, Replacements, SinkSettings}
import stoplog.fault.Step
import stoplog.log.{LogRecord, LogRules, RecordCodec, RecordNames}
import stoplog.options.{Opt, SinkOptionRegistry, SourceOptionRegistry}
import stoplog.storage.SinkDirectory

/** The definitions that the Python package reads: `python/stoplog/shared/<jar>.json`, which the jar carries too. */
object SharedDefinitions {
  private val json   = JsonNodeFactory.instance
  private val mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT)

  def path(jar: String): Path = Repository.root.resolve(s"python/stoplog/shared/$jar.json")

  /** Those of the core's jar. */
  def core: String = {
    val root = json.objectNode()
    root.put("sparkLines", sparkLines)
    root.put("oldestJava", CompatibilityPage.java.toInt)
    root.put("oldestS3Hadoop", CompatibilityPage.s3Hadoop)
    root.put("recordVersion", RecordCodec.Version)
    root.put("recordsKept", LogRules.standard.records)
    root.put("marksKept", LogRules.standard.marks)
    root.put("graceMillis", OrphanCleaner.GraceMillis)
    root.put("contentSetting", SinkSettings.ContentKey)
    root.put("mergeReason", LogRecord.CompactionReason)
    root.put("replacements", Replacements.SinkId)
    root
      .putObject("liveness")
      .put("setting", DriverNote.Key)
      .put("missedBeats", Liveness.MissedBeats)
      .put("usualMillis", Liveness.UsualMillis)
      .put("shortestMillis", Liveness.ShortestMillis)
    root.set[ObjectNode]("directories", directories)
    root
      .putObject("names")
      .put("record", RecordNames.name(0).drop(20))
      .put("note", RecordNames.note(0, 0).drop(20))
    root.set[ObjectNode]("steps", steps(_.getClass.getPackageName == classOf[Step].getPackageName))
    root.set[ObjectNode](
      "options",
      options("sink" -> SinkOptionRegistry.all, "source" -> SourceOptionRegistry.all)
    )
    text(root)
  }

  /** The lines of Spark on which the jar is tested. */
  def sparkLines: String = {
    val lines = CompatibilityPage.lines.map(version => version.take(version.lastIndexOf('.'))).sorted
    s"${lines.head} to ${lines.last}"
  }

  /** Those of a connector's jar: its steps and its options. */
  def connector(jar: String, options: Seq[Opt[_]]): String = {
    val root = json.objectNode()
    root.set[ObjectNode](
      "steps",
      steps(step => s"${step.getClass.getPackageName}.".startsWith(s"stoplog.$jar."))
    )
    root.set[ObjectNode]("options", this.options("sink" -> options))
    text(root)
  }

  private def steps(of: Step => Boolean): ObjectNode = {
    val all = json.objectNode()
    Step.all.filter(of).foreach(step => all.put(step.name, step.after))
    all
  }

  def write(jar: String, text: String): Unit = {
    Files.createDirectories(path(jar).getParent)
    Files.write(path(jar), text.getBytes(UTF_8))
    ()
  }

  /** The names of the directories of a sink id, below that of all sink ids. */
  private def directories: ObjectNode = {
    val sink = SinkDirectory("sink")
    val all  = Seq(
      "log"       -> sink.log,
      "open"      -> sink.open,
      "spool"     -> sink.spool,
      "replaced"  -> sink.replaced,
      "writers"   -> sink.writers,
      "manifests" -> sink.manifests,
      "announced" -> sink.announced,
      "alive"     -> sink.alive,
      "replaces"  -> sink.replaces,
      "aside"     -> sink.aside("").stripSuffix("/")
    )
    val named = json.objectNode().put("root", SinkDirectory.Root)
    all.foreach { case (what, path) => named.put(what, path.stripPrefix(s"${sink.path}/")) }
    named
  }

  private def options(registries: (String, Seq[Opt[_]])*): ObjectNode = {
    val all = json.objectNode()
    for ((name, registry) <- registries) {
      val keys = all.putObject(name)
      for (option <- registry.sortBy(_.key)) {
        val entry = keys.putObject(option.key)
        option.defaultText.foreach(entry.put("default", _))
        allowed(option).foreach(entry.withArrayProperty("allowed").add(_))
      }
    }
    all
  }

  /** The words that an option may be set to; none for an option with other values, too. */
  private def allowed(option: Opt[_]): Seq[String] =
    if (option.values.takesParameters) Nil else option.values.words

  private def text(root: ObjectNode): String = mapper.writeValueAsString(root) + "\n"
}
