// SPDX-License-Identifier: Apache-2.0
package stoplog.async.bench

import java.nio.file.{Files, Paths}
import java.util.concurrent.{Executors, ScheduledExecutorService, ThreadFactory, TimeUnit}

import scala.concurrent.{Future, Promise}

import org.apache.spark.sql.SparkSession

import stoplog.async.AsyncMap

/** How long many calls take from one task: whole batch queries in a warm session.
  *
  * Arguments: the file that gets the figures as JSON, rounds, calls, capacity, milliseconds of a call.
  */
object Calls {

  def main(arguments: Array[String]): Unit = {
    val rounds   = arguments(1).toInt
    val calls    = arguments(2).toLong
    val capacity = arguments(3).toInt
    val millis   = arguments(4).toLong

    val spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    import spark.implicits._
    val answer = (id: Long) => later(id, millis)
    val each   = AsyncMap.of(spark.range(0, calls, 1, 1).as[Long]).withCapacity(capacity)
    val orders = Seq("ordered" -> each.ordered, "unordered" -> each.unordered)
    val taken  = for {
      _            <- 0 to rounds
      (order, map) <- orders
    } yield {
      val begun = System.nanoTime()
      map.map(answer).write.format("noop").mode("overwrite").save()
      order -> (System.nanoTime() - begun) / 1e9
    }
    val figures = orders.map { case (order, _) =>
      val seconds = taken.collect { case (`order`, seconds) => seconds }.drop(1).mkString(", ")
      s"""{"who": "`AsyncMap` (Scala), $order", "seconds": [$seconds]}"""
    }
    Files.writeString(Paths.get(arguments(0)), figures.mkString("[", ", ", "]"))
    spark.stop()
  }

  private def later(id: Long, millis: Long): Future[String] = {
    val promise = Promise[String]()
    timer.schedule((() => promise.success(s"answer to $id")): Runnable, millis, TimeUnit.MILLISECONDS)
    promise.future
  }

  private lazy val timer: ScheduledExecutorService = {
    val daemon: ThreadFactory = work => {
      val thread = new Thread(work)
      thread.setDaemon(true)
      thread
    }
    Executors.newScheduledThreadPool(1, daemon)
  }
}
