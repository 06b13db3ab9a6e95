// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.read.streaming._

import stoplog.source.ReadLimits

/** Limits in Spark's words and back: what it hands over is what it was told, or that there are none. */
private[spark] object SparkLimits {

  def of(limits: ReadLimits): ReadLimit = {
    val all = limits.splits.map(n => ReadLimit.maxFiles(n.min(Int.MaxValue.toLong).toInt)) ++
      limits.bytes.map(ReadLimit.maxBytes) ++ limits.records.map(ReadLimit.maxRows)
    all.toArray match {
      case Array()    => ReadLimit.allAvailable()
      case Array(one) => one
      case several    => ReadLimit.compositeLimit(several)
    }
  }

  def read(limit: ReadLimit): ReadLimits = limit match {
    case all: CompositeReadLimit => all.getReadLimits.map(read).foldLeft(ReadLimits.none)(_ and _)
    case files: ReadMaxFiles     => ReadLimits.none.copy(splits = Some(files.maxFiles().toLong))
    case bytes: ReadMaxBytes     => ReadLimits.none.copy(bytes = Some(bytes.maxBytes()))
    case rows: ReadMaxRows       => ReadLimits.none.copy(records = Some(rows.maxRows()))
    case _                       => ReadLimits.none
  }
}
