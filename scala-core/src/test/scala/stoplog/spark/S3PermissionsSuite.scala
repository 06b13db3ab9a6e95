// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SaveMode
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.format.SparkSessionForTests
import stoplog.preflight.Lifecycle
import stoplog.rolling.DefaultRollingPolicy
import stoplog.servers.{Fault, FaultProxy, S3Server}
import stoplog.storage.s3.IamPolicy

/** The policies that docs/storage/s3.md gives, before a server that holds everybody to them. */
class S3PermissionsSuite extends AnyFunSuite with SparkSessionForTests with BatchJobs {
  private lazy val proxy = FaultProxy.before(S3Server.sharedS3Mock.endpoint)
  private val bucket     = "stoplog-permissions"
  private val path       = UUID.randomUUID().toString
  private lazy val json  = "(?s)```json\n(.*?)```".r
    .findAllMatchIn(Repository.read(Repository.root.resolve("docs/storage/s3.md")))
    .map(_.group(1))
    .toVector

  /** That of the page, for another bucket and another path. */
  private def policyFor(name: String): IamPolicy = IamPolicy.parse(
    json.head.replace("arn:aws:s3:::bucket", s"arn:aws:s3:::$bucket").replace("/out", s"/$path-$name")
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    S3Victim.configure(spark, S3Server.sharedS3Mock.endpoint)
    val hadoop = spark.sparkContext.hadoopConfiguration
    hadoop.set(s"fs.s3a.bucket.$bucket.endpoint", proxy.endpoint)
    // One request for each object: which ones are deleted stands in a body otherwise, where the proxy does not look.
    hadoop.set("fs.s3a.multiobjectdelete.enable", "false")
  }

  override protected def afterAll(): Unit =
    try proxy.close()
    finally super.afterAll()

  test("a stream needs four statements, all their actions, and no right to delete finished files") {
    val of = policyFor("stream").only("List", "ReadAndWrite", "LookAtThePath", "TidyUp")
    stream("stream", of, "manifest" -> "json", "bucketComplete" -> "idle 1ms")
    assert(used(of) === of.statements.map(_.id).toSet)
    assert(proxy.requests.map(IamPolicy.needed(_)._1).toSet === of.statements.flatMap(_.actions).toSet)
  }

  test("compaction needs the right to delete merged files") {
    val each =
      Seq("compaction" -> "smallParts", "compactAfterEpochs" -> "1", "rollingPolicy" -> "onCheckpoint")
    stream("merged", policyFor("merged"), each: _*)
    assert(used(policyFor("merged")).contains("ReplaceAndMerge"))
  }

  test("an append needs the rights of a stream, and an overwrite the right to delete") {
    val all = policyFor("jobs")
    holding(all.only("List", "ReadAndWrite", "LookAtThePath", "TidyUp"))(
      job("one", at("jobs"), SaveMode.Append)
    )
    holding(all)(job("two", at("jobs"), SaveMode.Overwrite))
    assert(used(all).contains("ReplaceAndMerge"))
  }

  test("a reader needs no right to write") {
    val all = policyFor("read")
    stream("read", all)
    val reads   = all.only("ReadAndWrite").statements.map(_.copy(actions = Set("s3:GetObject")))
    val reading = IamPolicy(all.only("List", "LookAtThePath").statements ++ reads)
    holding(reading) {
      assert(spark.read.format("stoplog").option("format", "text").load(at("read")).count() === Rows * 2)
      assert(spark.read.text(at("read")).count() === Rows * 2)
      assert(spark.read.format("stoplog").option("view", "parts").load(at("read")).count() > 0)
    }
  }

  test("lifecycle rules of the bucket wait as long as preflight requires and exclude the log") {
    val rules   = new ObjectMapper().readTree(json(1)).get("Rules").elements.asScala.toVector
    val safe    = Lifecycle.unknown(DefaultRollingPolicy()).now
    val days    = rules.head.get("AbortIncompleteMultipartUpload").get("DaysAfterInitiation").asInt
    val atLeast = "to (\\d+) days".r.findFirstMatchIn(safe).get.group(1).toInt
    assert(days >= atLeast)
    assert(rules.head.get("Filter").get("Prefix").asText === "out/")
    assert(rules.forall(rule => !Option(rule.get("Expiration")).exists(_.has("Days"))))
  }

  private val Rows = 6000 // of a thousand bytes: the two files make an upload with a part

  private def at(name: String): String = s"s3a://$bucket/$path-$name"

  private def stream(name: String, held: IamPolicy, options: (String, String)*): Unit = {
    val input      = Files.createTempDirectory("stoplog-s3-input")
    val checkpoint = Files.createTempDirectory("stoplog-s3-checkpoint").toString
    val all        = Map("format" -> "text") ++ options
    holding(held) {
      for ((finalizing, run) <- Seq("never", "always").zipWithIndex) {
        write(input, run)
        S3Victim.run(spark, input.toString, at(name), checkpoint, finalizing, all)
      }
    }
  }

  private def write(input: Path, number: Int): Unit = {
    val written = Files.write(
      Files.createTempFile("stoplog-s3", ".txt"),
      (1 to Rows).map(row => f"$number-$row%06d" + "x" * 1000).asJava
    )
    Files.move(written, input.resolve(s"$number.txt"))
    ()
  }

  /** Fails for whatever the policy does not allow. */
  private def holding(held: IamPolicy)(action: => Any): Unit = {
    proxy.inject((request, _, _) => Option.unless(held.allows(request))(S3PermissionsSuite.Denied))
    action
    val denied = proxy.requests
      .filterNot(request => held.allows(request) || isAbove(request.target))
      .map(request => s"${request.call} ${request.target}")
    assert(denied === Nil)
  }

  /** A job that replaces files looks for tables above its path, and needs no right to do so. */
  private def isAbove(target: String): Boolean = !target.contains(path)

  /** The statements that allowed something since. */
  private def used(held: IamPolicy): Set[String] = proxy.requests.flatMap(held.allowing).toSet
}

private object S3PermissionsSuite {
  val Denied: Fault = Fault.Answered(403, "Forbidden", "AccessDenied")
}
