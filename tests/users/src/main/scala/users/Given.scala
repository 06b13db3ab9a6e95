// SPDX-License-Identifier: Apache-2.0
package users

import scala.concurrent.Future

import org.apache.spark.sql.{DataFrame, Dataset, Encoder, Encoders, SparkSession}

import stoplog.FileSink
import stoplog.wal.{Chunk, ChunkRows, RowTarget}

/** What the examples of the documentation take for given. */
object Given {
  lazy val spark: SparkSession = SparkSession.active

  def readings: DataFrame = ???
  def orders: DataFrame   = ???
  def events: DataFrame   = ???
  def rows: DataFrame     = ???
  def df: DataFrame       = ???
  def sink: FileSink      = ???

  final case class Click(ip: String)
  final case class Located(ip: String, country: String)

  implicit val clickEncoder: Encoder[Click]     = Encoders.product[Click]
  implicit val locatedEncoder: Encoder[Located] = Encoders.product[Located]

  def clicks: Dataset[Click] = ???

  object geo {
    def locate(ip: String): Future[String] = ???
    def find(ip: String): Future[Located] = ???
  }

  final class Webhook(url: String) extends RowTarget {
    override def send(chunk: Chunk, rows: ChunkRows): Boolean = ???
    override def close(): Unit                             = println(url)
  }
}
