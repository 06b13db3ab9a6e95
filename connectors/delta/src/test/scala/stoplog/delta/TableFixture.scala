// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.delta.kernel.{Table => KernelTable}
import io.delta.kernel.commit.{CommitFailedException, CommitMetadata, CommitResponse, Committer}
import io.delta.kernel.data.Row
import io.delta.kernel.defaults.engine.DefaultEngine
import io.delta.kernel.engine.Engine
import io.delta.kernel.utils.CloseableIterator
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

import stoplog.laws.{CommitFault, FaultyCommits, TableUnderTest}
import stoplog.storage.local.LocalUnderTest

/** The suites read the log of the table as text: a file is in the table if its newest action is `add`. */
private[delta] final class TableFixture(spark: SparkSession) extends TableUnderTest(spark) {
  import TableFixture._

  val log: Path = sink.resolve("_delta_log")

  override def target(settings: (String, String)*): DeltaTarget = targetBy(identity, settings: _*)

  override def faultyTarget(fault: CommitFault): DeltaTarget = {
    val commits = new FaultyCommits(fault, failed(isConflict = false), failed(isConflict = true))
    targetBy(new FaultyCommitter(_, commits))
  }

  override def commits: Int = versions.size

  override def drop(): Unit = LocalUnderTest.remove(log)

  override def removeByOther(path: String): Unit = commitOther(
    """{"commitInfo":{"timestamp":1,"operation":"DELETE","operationParameters":{}}}""",
    s"""{"remove":{"path":"$path","deletionTimestamp":1,"dataChange":true}}"""
  )

  /** As Delta Lake for Spark writes the commit. */
  override def restore(): Unit = {
    val removed = versions.last.flatMap(each => Option(each.get("add"))).map { file =>
      s"""{"remove":{"path":${file.get("path")},"deletionTimestamp":1,"dataChange":true}}"""
    }
    val parameters = s"""{"version":${versions.size - 2},"timestamp":null}"""
    commitOther(
      s"""{"commitInfo":{"timestamp":1,"operation":"RESTORE","operationParameters":$parameters}}""" +: removed: _*
    )
  }

  /** Writes a checkpoint of the newest version. */
  def checkpoint(): Unit = {
    val engine = DefaultEngine.create(new Configuration)
    KernelTable.forPath(engine, sink.toString).checkpoint(engine, versions.size - 1L)
  }

  override def properties: Map[String, String] =
    actions("metaData").last
      .get("configuration")
      .properties
      .asScala
      .map(each => each.getKey -> each.getValue.asText)
      .toMap

  /** The actions of each version, in order. */
  def versions: Vector[Vector[JsonNode]] =
    Using
      .resource(Files.list(log))(_.iterator.asScala.toVector)
      .filter(_.getFileName.toString.matches("\\d{20}\\.json"))
      .sorted
      .map(file => Files.readAllLines(file).asScala.toVector.map(Mapper.readTree))

  def actions(kind: String): Vector[JsonNode] = versions.flatten.flatMap(each => Option(each.get(kind)))

  /** The files of the table, by their relative paths. */
  def table: Map[String, JsonNode] =
    versions.flatten.foldLeft(Map.empty[String, JsonNode]) { (known, action) =>
      if (action.has("add")) known + (action.get("add").get("path").asText -> action.get("add"))
      else if (action.has("remove")) known - action.get("remove").get("path").asText
      else known
    }

  override def files: Set[String] = table.keySet.map(path => new java.net.URI(path).getPath)

  override def ids: Vector[Long] = {
    val paths = table.keys.toVector.map(path => sink.resolve(new java.net.URI(path).getPath).toString)
    paths.flatMap(path => spark.read.parquet(path).select("id").collect().map(_.getLong(0))).sorted
  }

  /** Commits of another writer, by the rules of Delta's log. */
  def commitOther(actions: String*): Unit = {
    val next = versions.size
    Files.writeString(log.resolve(f"$next%020d.json"), actions.mkString("\n")): Unit
  }

  private def targetBy(committer: Committer => Committer, settings: (String, String)*): DeltaTarget = {
    val all = Map("create" -> "ifMissing") ++ settings
    new DeltaTarget("lake", DeltaSettings.of(all.filter(_._2.nonEmpty).asJava), committer)
  }
}

private object TableFixture {
  private val Mapper = new ObjectMapper

  private def failed(isConflict: Boolean) = new CommitFailedException(true, isConflict, "no answer")

  private final class FaultyCommitter(real: Committer, commits: FaultyCommits) extends Committer {
    override def commit(
        engine: Engine,
        rows: CloseableIterator[Row],
        metadata: CommitMetadata
    ): CommitResponse = commits(real.commit(engine, rows, metadata))
  }
}
