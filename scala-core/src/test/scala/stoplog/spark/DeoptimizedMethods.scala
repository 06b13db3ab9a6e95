// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Path
import java.time.Instant

import scala.jdk.CollectionConverters._

import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordedMethod, RecordingFile}
import org.apache.spark.sql.SparkSession

/** Two queries in one JVM, and the compiled methods of stoplog that the JVM discarded meanwhile.
  *
  * Arguments: a directory, and the options of the sink as `name=value`. Prints a line for each time that a
  * method was discarded, also before the third part of its query, and a line with the number of optimized
  * methods.
  */
object DeoptimizedMethods {
  val Mark         = "deoptimized: "
  val EarlierMark  = "deoptimized in the first two parts: "
  val CompiledMark = "compiled: "

  def main(args: Array[String]): Unit = {
    val place = Path.of(args.head)
    val spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF") // a query is stopped in the middle of a batch, which Spark reports
    val recording = new Recording()
    Seq("jdk.Deoptimization", "jdk.Compilation").foreach(recording.enable(_).withoutThreshold())
    recording.start()
    // The first row of the third part ends the second part.
    val queries =
      Seq("first", "second").map(name => spanAfterSecondPart(spark, place.resolve(name), args.tail.toSeq))
    recording.stop()
    val file = place.resolve("events.jfr")
    recording.dump(file)
    spark.stop()
    val events = RecordingFile.readAllEvents(file).asScala.toSeq.filter(isOfStoplog)
    for {
      event <- events if event.getEventType.getName == "jdk.Deoptimization"
      at   = event.getStartTime
      late = queries.exists { case (from, until) => !at.isBefore(from) && at.isBefore(until) }
    } {
      val what = s"${nameOf(event)} line ${event.getInt("lineNumber")}: ${event.getString("reason")}"
      println(s"${if (late) Mark else EarlierMark}$what")
    }
    val best = events.count(event =>
      event.getEventType.getName == "jdk.Compilation" && event.getInt("compileLevel") == BestLevel
    )
    println(s"$CompiledMark$best")
  }

  private def spanAfterSecondPart(
      spark: SparkSession,
      place: Path,
      options: Seq[String]
  ): (Instant, Instant) = {
    val out  = place.resolve("out").toString
    val rows = spark.readStream
      .format("rate-micro-batch")
      .option("rowsPerBatch", RowsPerEpoch)
      .option("numPartitions", 1)
      .load()
      .selectExpr(s"concat('${"x" * 90}', cast(1000000000 + value AS STRING)) AS line")
    val query = SinkRuns
      .writer(rows, out, place.resolve("checkpoint").toString, "always", options.map(pair).toMap)
      .start()
    while (query.isActive && Option(query.lastProgress).forall(_.batchId < Epochs)) Thread.sleep(10)
    if (query.isActive) query.stop() else query.exception.foreach(throw _)
    val opened = spark.read.format("stoplog").option("view", "parts").load(out).select("opened_at").collect()
    val times  = opened.map(_.getTimestamp(0).toInstant).sorted
    (times(2), Instant.now())
  }

  private def pair(option: String): (String, String) = option.splitAt(option.indexOf('=')) match {
    case (name, value) => name -> value.drop(1)
  }

  private def isOfStoplog(event: RecordedEvent): Boolean =
    Option(event.getValue[RecordedMethod]("method")).exists(_.getType.getName.startsWith("stoplog."))

  private def nameOf(event: RecordedEvent): String = {
    val method = event.getValue[RecordedMethod]("method")
    s"${method.getType.getName}.${method.getName}"
  }

  private final val RowsPerEpoch = 300000L
  private final val Epochs       = 5L
  private final val BestLevel    = 4
}
