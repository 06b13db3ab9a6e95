// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** Handles of parts on S3, which Scala and Python have to read alike: `golden/verdicts/handles.json`. */
class S3HandlesSuite extends AnyFunSuite {

  test("a handle lists the objects of its part and the part's size") {
    val golden = Repository.root.resolve("scala-core/src/test/resources/golden/verdicts/handles.json")
    val all    = new ObjectMapper()
      .readTree(Repository.read(golden))
      .elements
      .asScala
      .toVector
      .filter(_.get("system").asText == "s3")
    assert(all.nonEmpty)
    for (each <- all) {
      val token = S3TokenCodec.decode(each.get("handle").asText).getOrElse(fail(each.toString))
      assert(token.objects === each.get("files").elements.asScala.map(_.asText).toVector)
      assert(token.sizeBytes === each.get("bytes").asLong)
    }
  }
}
