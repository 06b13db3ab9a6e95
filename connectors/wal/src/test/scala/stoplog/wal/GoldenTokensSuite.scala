// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** The tokens of chunks in the log. */
class GoldenTokensSuite extends AnyFunSuite {
  private val query = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"
  private val file  = "_stoplog/main/open/.part-0123456789ab-3.inprogress.0123456789ab-00112233445566|aa"

  test("Scala and Python find the same file in each golden token") {
    val golden = Repository.root.resolve("scala-core/src/test/resources/golden/verdicts/handles.json")
    for (each <- new ObjectMapper().readTree(Repository.read(golden)).elements.asScala) {
      val found =
        ChunkToken.find(each.get("handle").asText).map(token => token.file.token -> token.file.sizeBytes)
      val named = each.get("files").elements.asScala.map(_.asText -> each.get("bytes").asLong).toVector
      assert(found === (if (each.get("system").asText == "wal") named.headOption else None), each)
    }
  }

  test("a token is read and written unchanged") {
    for (
      (epoch, token) <- Seq(
        Some(9007199254740993L) -> "9007199254740993@1700000000123",
        Some(7L)                -> "7",
        None                    -> "-"
      )
    ) {
      val text = s"$query|$token#run-1#the+table+a%7Cb%23c%40d+of+postgresql%3Ashop#orders|3|4097|$file"
      val read = ChunkToken.parse(text)
      assert((read.query, read.epoch, read.partition, read.file.sizeBytes) === ((query, epoch, 3, 4097)))
      val places = ChunkPlaces(notes = "the table a|b#c@d of postgresql:shop", rows = "orders")
      assert(read.decision === ChunkDecision("run-1", places))
      assert(read.startedAtMillis === Some(1700000000123L).filter(_ => token.contains("@")))
      assert(read.file.token === file)
      assert(read.text === text)
    }
  }
}
