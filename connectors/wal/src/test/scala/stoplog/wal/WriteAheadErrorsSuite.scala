// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.error.ConditionRules
import stoplog.part.SpoolFile
import stoplog.storage.Durability
import stoplog.stores.SinkStorage
import stoplog.thread.{Clock, StopSignal}

class WriteAheadErrorsSuite
    extends ConditionRules(
      Some(ConditionRules.ofConnector(classOf[WriteAheadProvider])),
      Seq(
        WriteAheadErrors.jarMissing(
          "jdbc",
          "io.github.stoplog:stoplog-jdbc_2.13:1",
          new ClassNotFoundException("stoplog.jdbc.wal.JdbcSender")
        ),
        WriteAheadErrors.epochAhead(
          WriteAheadErrorsSuite.log,
          "the table a",
          "d3b07384",
          epoch = 7,
          "micro-batch 9"
        ),
        WriteAheadErrors.targetChanged(WriteAheadErrorsSuite.log, "chunk-1", "the table a", "the table b"),
        WriteAheadErrors.notesMoved(WriteAheadErrorsSuite.log, "chunk-1", "the table a", "the table b"),
        WriteAheadErrors.chunkLost(
          WriteAheadErrorsSuite.log,
          ChunkToken(
            "query",
            Some(7),
            0,
            SpoolFile("f|aa", 1, level = 0),
            ChunkDecision("run", ChunkPlaces("files of the sink's log", "the table a"))
          ),
          WriteAheadErrors.Lost(chunks = 2, rows = 9, sent = 3),
          "files of the sink's log"
        ),
        WriteAheadErrors.notSent(
          "inbox",
          Chunk("main", "query", "chunk-1", Some(7L), 0, 2),
          new IllegalStateException("it is full")
        )
      ),
      Some("wal")
    ) {

  test("no message contains a secret of a webhook's URL") {
    val chunk = Chunk("main", "query", "chunk-1", Some(7L), 0, 2)
    for (
      url <- Seq(
        "http://127.0.0.1:1/rows?token=hunter2&x=1",
        "http://127.0.0.1:1/rows?hunter2",
        "http://127.0.0.1:1/services/T0001/hunter2hunter2hunter2"
      )
    ) {
      val options =
        Map("sender" -> "http", "url" -> url, "httpRetries" -> "1", "httpHeader.X-Key" -> "hunter2").asJava
      val target = new HttpSender().target(options)
      val rowsTo = new HttpSender().rowsTo(options)
      val rows   = new ChunkRows {
        override def iterator: Iterator[InternalRow] = Iterator(InternalRow(1))
      }
      val sent = Try(
        new HttpTarget(HttpOptions.parse(options), schema, noPauses, Clock.system).send(chunk, rows)
      ).failed.get
      val told = new java.io.StringWriter
      WriteAheadErrors.notSent(target, chunk, sent).printStackTrace(new java.io.PrintWriter(told))
      WriteAheadErrors
        .notSent(url, chunk, new IllegalArgumentException(url))
        .printStackTrace(new java.io.PrintWriter(told))
      assert(!s"$target $rowsTo $told ${WriteAheadSink.fromOptions(options)}".contains("hunter2"), told)
      assert(target.startsWith("http://") && target.contains("127.0.0.1:1"))
      for (
        wrong <- Seq(
          url.replace("http:", "htp:"),
          url.stripPrefix("http://"),
          url.replace("http:", "http:\\")
        )
      ) {
        val said = Try(HttpOptions.parse(Map("url" -> wrong).asJava)).failed.get.getMessage
        assert(said.contains("is not an http or https URL") && !said.contains("hunter2"), said)
      }
    }
  }

  private val schema = new StructType().add("id", "int")

  private val noPauses = new StopSignal {
    override def isStopped: Boolean        = false
    override def pause(millis: Long): Unit = ()
  }
}

private object WriteAheadErrorsSuite {
  def log: LogPlace =
    new LogPlace(SinkStorage.prepared("/data/log", "main", Durability.Disk, new Configuration()))
}
