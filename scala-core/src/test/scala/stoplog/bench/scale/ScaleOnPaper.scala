// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.scale

import java.nio.file.{Files, Paths}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import org.apache.hadoop.fs.FileUtil

/** The driver's cost with very many open parts, each size in a JVM of its own: a size that its heap cannot hold says so.
  *
  * Arguments: the file that gets the figures as JSON, the heap of each JVM (`8g`), and sizes as `TASKSxBUCKETS`.
  */
object ScaleOnPaper {
  private[scale] val mapper = new ObjectMapper().registerModule(DefaultScalaModule)

  /** The longest that one size may take. */
  private val PatienceMinutes = 20L

  def main(arguments: Array[String]): Unit = {
    val figures = for {
      size    <- arguments.drop(2).toSeq.map(ScaleSize.of)
      storage <- SimulatedStorage.all
    } yield inOwnProcess(arguments(1), storage.name, size)
    mapper.writeValue(Paths.get(arguments(0)).toFile, figures)
  }

  private def inOwnProcess(heap: String, storage: String, size: ScaleSize): Map[String, Any] = {
    val folder  = Files.createTempDirectory("stoplog-scale")
    val answer  = folder.resolve("figures.json").toFile
    val command = Seq(
      Paths.get(System.getProperty("java.home"), "bin", "java").toString,
      s"-Xmx$heap",
      "-XX:+UseParallelGC",
      "-XX:+ExitOnOutOfMemoryError",
      "-XX:GCTimeLimit=80", // a heap that is nearly full is one that is too small
      "-XX:GCHeapFreeLimit=10",
      "-cp",
      System.getProperty("java.class.path"),
      "stoplog.bench.scale.OneScale",
      storage,
      size.toString,
      folder.toString,
      answer.toString
    )
    val process = new ProcessBuilder(command.asJava).inheritIO().start()
    try {
      val ended   = process.waitFor(PatienceMinutes, TimeUnit.MINUTES)
      val figures =
        if (!ended) Map("failed" -> s"it takes more than $PatienceMinutes minutes")
        else if (answer.length == 0)
          Map("failed" -> "the heap is too small, or a record too long for one array")
        else mapper.readValue(answer, classOf[java.util.Map[String, Any]]).asScala.toMap
      println(s"$storage, $size: $figures")
      Map[String, Any]("storage" -> storage, "tasks" -> size.tasks, "buckets" -> size.buckets) ++ figures
    } finally {
      process.destroyForcibly().waitFor()
      FileUtil.fullyDelete(folder.toFile): Unit
    }
  }
}

/** One size of [[ScaleOnPaper]]. Arguments: the storage's name, the size, a directory for the log, and the file for the figures. */
object OneScale {

  def main(arguments: Array[String]): Unit = {
    val storage = SimulatedStorage.all.find(_.name == arguments(0)).get
    val size    = ScaleSize.of(arguments(1))
    val root    = Paths.get(arguments(2))
    def run(name: String, size: ScaleSize, epochs: Int) =
      new ScaleRun(storage, size, Files.createDirectories(root.resolve(name))).figures(epochs)
    for (n <- 1 to WarmUps) run(s"warm-$n", ScaleSize(tasks = 100, buckets = 10), epochs = 20)
    val epochs = (WrittenParts / size.parts).max(1).min(MostEpochs)
    ScaleOnPaper.mapper.writeValue(Paths.get(arguments(3)).toFile, run("measured", size, epochs))
  }

  private val WarmUps = 5

  /** As many epochs of each kind as write some gigabytes where a record is the whole state. */
  private val WrittenParts = 3000000
  private val MostEpochs   = 21
}

/** One open part for each task and bucket. */
private[scale] final case class ScaleSize(tasks: Int, buckets: Int) {
  val parts: Int = Math.multiplyExact(tasks, buckets)

  override def toString: String = s"${tasks}x$buckets"
}

private[scale] object ScaleSize {
  private val Pattern = """(\d+)x(\d+)""".r

  def of(text: String): ScaleSize = text match {
    case Pattern(tasks, buckets) => ScaleSize(tasks.toInt, buckets.toInt)
    case other                   => throw new IllegalArgumentException(s"$other is not TASKSxBUCKETS")
  }
}
