// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** What the log of release 0.1.0 says of a chunk. The texts are never edited. */
class GoldenTokensSuite extends AnyFunSuite {
  private val query = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"
  private val file  = "_stoplog/main/open/.part-0123456789ab-3.inprogress.0123456789ab-00112233445566|aa"

  for (
    (epoch, token) <- Seq(
      Some(9007199254740993L) -> s"$query|9007199254740993|3|4097|$file",
      None                    -> s"$query|-|3|4097|$file"
    )
  ) test(s"a token of epoch $epoch is read and written unchanged") {
    val read = ChunkToken.parse(token)
    assert(read.query === query)
    assert(read.epoch === epoch)
    assert(read.partition === 3)
    assert(read.file.sizeBytes === 4097)
    assert(read.file.token === file)
    assert(read.startedAtMillis === None)
    assert(read.text === token)
  }

  test("Scala and Python find the same file in each golden token") {
    val golden = Repository.root.resolve("scala-core/src/test/resources/golden/verdicts/handles.json")
    for (each <- new ObjectMapper().readTree(Repository.read(golden)).elements.asScala) {
      val found =
        ChunkToken.find(each.get("handle").asText).map(token => token.file.token -> token.file.sizeBytes)
      val named = each.get("files").elements.asScala.map(_.asText -> each.get("bytes").asLong).toVector
      assert(found === (if (each.get("system").asText == "wal") named.headOption else None), each)
    }
  }

  test("a token with the time of its micro-batch is read and written unchanged") {
    val token = s"$query|7@1700000000123|3|4097|$file"
    val read  = ChunkToken.parse(token)
    assert((read.epoch, read.startedAtMillis) === (Some(7L), Some(1700000000123L)))
    assert(read.text === token)
  }

  test("a token with the run and places of its decision is read and written unchanged") {
    for ((epoch, token) <- Seq(Some(7L) -> "7@1700000000123", Some(7L) -> "7", None -> "-")) {
      val text = s"$query|$token#run-1#the+table+a%7Cb%23c%40d+of+postgresql%3Ashop#orders|3|4097|$file"
      val read = ChunkToken.parse(text)
      assert(read.epoch === epoch)
      val places = ChunkPlaces(notes = "the table a|b#c@d of postgresql:shop", rows = "orders")
      assert(read.decision === Some(ChunkDecision("run-1", places)))
      assert(read.startedAtMillis === Some(1700000000123L).filter(_ => token.contains("@")))
      assert(read.file.token === file)
      assert(read.text === text)
    }
  }
}
