// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.apache.spark.SparkThrowable
import org.scalatest.Assertions._

import stoplog.part.{Closed, LastWriter, Open, PartRows, Pending, Resume, RunId}
import stoplog.rolling.RollReason

/** Values that the suites of this package share. */
object Samples {
  val mine: RunId  = RunId("11111111-1111-4111-8111-111111111111")
  val other: RunId = RunId("22222222-2222-4222-8222-222222222222")

  val identity: SinkIdentity = SinkIdentity("/data/out", "main", "query-1")
  val settings: SinkSettings = SinkSettings(Map("timeZone" -> "UTC"), "text")

  def open(
      name: String,
      bucket: String = "b",
      slot: Int = 0,
      token: String = "t",
      validBytes: Long = 4,
      owner: Option[RunId] = Some(mine),
      openedAtMillis: Long = 0
  ): Open = Open(
    bucket,
    name,
    Resume(token),
    validBytes,
    PartRows(1, openedAtMillis, openedAtMillis),
    LastWriter(slot, owner)
  )

  def done(name: String, bucket: String = "b", token: String = "t", sizeBytes: Long = 4): Pending =
    Pending(bucket, name, Closed(token), sizeBytes, PartRows(1, 0, 0), RollReason.Size)

  def withRows(part: Open)(change: PartRows => PartRows): Open = part.copy(rows = change(part.rows))

  def withRows(part: Pending)(change: PartRows => PartRows): Pending = part.copy(rows = change(part.rows))

  def condition(action: => Any): String = intercept[Throwable](action) match {
    case named: SparkThrowable => named.getCondition
    case unnamed               => throw unnamed
  }
}
