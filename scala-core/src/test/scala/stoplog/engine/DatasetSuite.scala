// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.net.URI

import org.scalatest.funsuite.AnyFunSuite

class DatasetSuite extends AnyFunSuite {

  private def named(location: String): (String, String) = {
    val dataset = Dataset.at(new URI(location), "json")
    dataset.namespace -> dataset.name
  }

  test("files of a local disk have the namespace file") {
    assert(named("file:///data/events/") === "file" -> "/data/events")
    assert(named("/data/events") === "file"         -> "/data/events")
    assert(named("file:/") === "file"               -> "/")
  }

  test("all schemes of an object store lead to the same objects") {
    for (scheme <- Seq("s3", "s3a", "s3n"))
      assert(named(s"$scheme://lake/events/raw/") === "s3://lake" -> "events/raw")
    assert(named("s3a://lake") === "s3://lake"                                            -> "/")
    assert(named("gs://lake/events") === "gs://lake"                                      -> "events")
    assert(named("abfs://box@shop.dfs.example/events") === "abfss://box@shop.dfs.example" -> "events")
  }

  test("other file systems keep the scheme and the authority") {
    assert(named("hdfs://namenode:8020/events") === "hdfs://namenode:8020" -> "/events")
    assert(named("ftp://shop@server:21/events") === "ftp://shop@server:21" -> "/events")
  }

  test("a namespace has no password") {
    for (password <- Seq("hunter2", "1234", "hun%40ter2"))
      assert(named(s"ftp://shop:$password@server:21/events") === "ftp://shop:…@server:21" -> "/events")
    assert(named("s3a://key:secret@lake/events") === "s3://key:…@lake" -> "events")
  }
}
