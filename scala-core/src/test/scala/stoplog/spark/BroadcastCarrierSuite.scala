// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Causes
import stoplog.format.SparkSessionForTests

class BroadcastCarrierSuite extends AnyFunSuite with SparkSessionForTests {

  test("tasks read carried bytes until the driver releases them") {
    val carrier = new BroadcastCarrier(spark.sparkContext)
    val carried = Seq("first", "second").map(text => carrier.carry(text.getBytes))
    def got     =
      spark.sparkContext.parallelize(Seq(0, 1), 2).map(n => new String(carried(n)())).collect().toSeq
    assert(got === Seq("first", "second"))
    carried.foreach(_.close())
    val causes = Causes.of(intercept[Exception](got)).map(cause => String.valueOf(cause.getMessage))
    assert(causes.exists(_.contains("destroyed")), causes)
  }

  test("a query continues with more open parts than fit into a small plan") {
    val place  = new TestDirectory
    val stream = MemoryStream[Int](spark.implicits.newIntEncoder, spark)
    val query  = stream
      .toDF()
      .selectExpr("CAST(value AS STRING) AS value")
      .writeStream
      .format("stoplog")
      .option("format", "text")
      .option("bucketBy", s"concat('${s"${"x" * 200}/" * 5}of-', value)")
      .option("path", place.out)
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.ProcessingTime(0))
      .start()
    try
      for (values <- Seq(0 until 400, 0 until 400, 0 until 10, 100 until 300, 0 until 400)) {
        stream.addData(values)
        query.processAllAvailable()
      }
    finally query.stop()
    assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
    val open = spark.read.format("stoplog").option("view", "open").load(place.out)
    assert(open.selectExpr("count(*)", "sum(records)").head() === Row(400L, 1410L))
  }
}
