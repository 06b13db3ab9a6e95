// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import com.github.sbt.sbom.BomSbtPlugin.autoImport._
import com.typesafe.tools.mima.core.{Problem, ProblemFilters}
import com.typesafe.tools.mima.plugin.MimaPlugin.autoImport._
import sbt._
import sbt.Keys._

import scala.collection.JavaConverters._

/** What each published artifact has in common: where it goes, what goes with it, whose it is, what it stays compatible
  * with.
  *
  * The plugin for bills of materials adds `-cyclonedx.json` to each by itself: what the artifact depends on.
  */
object Published {

  private val Home = Versions.home

  /** Packages that no user compiles against: those without a public type, as `PackagesSuite` sees to. The rest is the
    * public API, with the traits for stores of one's own.
    */
  val Internal: Seq[String] = Seq(
    "stoplog.announce.catalog", "stoplog.announce.setting", "stoplog.announce.table",
    "stoplog.announce.webhook", "stoplog.commit", "stoplog.plan", "stoplog.writing", "stoplog.log",
    "stoplog.options", "stoplog.spark", "stoplog.thread", "stoplog.util", "stoplog.format.avro",
    "stoplog.format.compress", "stoplog.format.orc", "stoplog.format.parquet", "stoplog.format.sequence",
    "stoplog.storage.local", "stoplog.storage.hadoop", "stoplog.storage.hdfs", "stoplog.storage.s3",
    "stoplog.storage.systems", "stoplog.stores", "stoplog.checkpoint", "stoplog.engine", "stoplog.filesink",
    "stoplog.filesource", "stoplog.compact.job", "stoplog.twophase", "stoplog.qualify", "stoplog.python",
    "stoplog.python.announce", "stoplog.python.rolling", "stoplog.python.sink", "stoplog.python.source"
  )

  lazy val settings: Seq[Setting[_]] = repository ++ described ++ completeJars ++ bills ++ compatible

  /** A Maven repository inside the clone. Ivy prefers ~/.m2: a stale copy there would hide a newer one. */
  private lazy val repository = Seq(
    publishTo := Some(
      MavenCache("local-repository", (LocalRootProject / baseDirectory).value / folder / "repo")
    ),
    publishConfiguration := publishConfiguration.value.withOverwrite(true)
  )

  /** What a repository asks of a POM besides name, description and licence. */
  private lazy val described = Seq(
    homepage             := Some(url(Home)),
    organizationName     := "stoplog",
    organizationHomepage := Some(url(Home)),
    scmInfo              := Some(ScmInfo(url(s"$Home/source"), s"scm:git:$Home/source.git")),
    developers           := List(Developer("stoplog", "The stoplog developers", "", url(Home)))
  )

  /** Every jar says its licence. Scaladoc takes minutes: only a release has it. */
  private lazy val completeJars = Seq(
    Compile / packageBin / mappings += licence.value,
    Compile / packageSrc / mappings += licence.value,
    Compile / packageDoc / mappings += licence.value,
    Compile / packageDoc / publishArtifact := isRelease,
    Test / packageDoc / publishArtifact    := false, // else it is as for Compile
    // What warns in code is said by the compiler; scaladoc adds links that it does not find in Spark and Java.
    Compile / doc / scalacOptions --= Seq("-Xlint", "-Werror", "-deprecation"),
    Compile / doc / scalacOptions ++= Seq("-no-link-warnings", "-doc-title", name.value)
  )

  /** Bills of materials are sorted, and have no hashes of stoplog's own jars. Two builds on a busy machine differed in
    * the bills of modules with two own dependencies: the plugin keeps the order of the resolution, and adds a hash only
    * if a jar exists already. `SHA256SUMS` has the hashes of these jars.
    */
  private lazy val bills = Seq(
    makeBom := {
      val file                                            = makeBom.value
      val own                                             = organization.value
      val mapper                                          = new ObjectMapper
      val bill                                            = mapper.readTree(file).asInstanceOf[ObjectNode]
      def sorted(list: JsonNode)(key: JsonNode => String) =
        mapper.createArrayNode().addAll(list.asScala.toSeq.sortBy(key).asJava)
      bill.path("components").asScala.foreach {
        case component: ObjectNode if component.path("group").asText == own => component.remove("hashes")
        case _                                                              => ()
      }
      bill.path("dependencies").asScala.foreach {
        case each: ObjectNode if each.has("dependsOn") =>
          each.set[JsonNode]("dependsOn", sorted(each.get("dependsOn"))(_.asText))
        case _ => ()
      }
      bill.set[JsonNode]("components", sorted(bill.path("components"))(_.path("bom-ref").asText))
      bill.set[JsonNode]("dependencies", sorted(bill.path("dependencies"))(_.path("ref").asText))
      IO.write(file, mapper.writerWithDefaultPrettyPrinter.writeValueAsString(bill) + "\n")
      file
    }
  )

  /** Binary compatibility with the release that `Versions.compatibleWith` names: `sbt mimaReportBinaryIssues`. */
  private lazy val compatible = Seq(
    mimaPreviousArtifacts := compatibleWith.map(organization.value %% moduleName.value % _).toSet,
    mimaBinaryIssueFilters ++= Internal.map(name => ProblemFilters.exclude[Problem](s"$name.*")),
    resolvers ++= sys.env.get("STOPLOG_RELEASES").map("releases" at _)
  )

  private lazy val licence = Def.task {
    (LocalRootProject / baseDirectory).value / "LICENSE" -> "META-INF/LICENSE"
  }

  private lazy val compatibleWith = sys.env.get("STOPLOG_COMPATIBLE_WITH").orElse(Versions.compatibleWith)

  /** `make dist` sets it. */
  private lazy val isRelease = sys.env.get("STOPLOG_RELEASE").exists(_.nonEmpty)

  private lazy val folder = if (isRelease) "dist" else "build"
}
