package stoplog.error

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream, ObjectInputStream, ObjectOutputStream
}

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.{ErrorClassesJsonReader, SparkThrowable}
import org.scalatest.funsuite.AnyFunSuite

class ErrorsSuite extends AnyFunSuite {

  private val conditions: Seq[String] = {
    val tree = Using.resource(Conditions.url.openStream())(new ObjectMapper().readTree(_: InputStream))
    tree.fieldNames().asScala.toSeq
  }

  private val parameter = "<([a-zA-Z0-9_-]+)>".r

  private val verbs =
    Set("Cast", "Check", "Correct", "Filter", "List", "Make", "Move", "Remove", "Restart", "Restore",
      "Select") ++
      Set("Set", "Stop", "Upgrade", "Use")

  private val cause = new IOException("No space left on device")

  private val one: Seq[Throwable with SparkThrowable] = Seq(
    Errors.invalidOptions(Seq("a is wrong.", "b is wrong.")),
    Errors.textSchema("struct<a:int>"),
    Errors.nullValue("value"),
    Errors.nullWritable("value"),
    Errors.sequenceSchema("struct<a:int,b:int,c:int>"),
    Errors.codecUnavailable("sequencefile", "gzip", "it needs native code", cause),
    Errors.unsupportedType("csv", "tags", "array<string>"),
    Errors.nullRequired("id"),
    Errors.badRow(Some("b"), cause),
    Errors.bucketListener("com.example.AddPartition", "/data/out/a", cause),
    Errors.bucketId("/x", "it leaves the path."),
    Errors.bucketExpression("rand()", "it is not deterministic"),
    Errors.partitionColumns("there is no column 'day'"),
    Errors.bucketColumn("hour", "it is a string"),
    Errors.bucketFormat("qqqq q", "unknown letter"),
    Errors.pathMissing(),
    Errors.pathNotWritable("/data/out", "permission denied"),
    Errors.unsupportedTrigger("continuous"),
    Errors.unsupportedOutputMode("complete"),
    Errors.asyncProgress(),
    Errors.foreignQuery("/data/out", "main", "q-1", "q-2"),
    Errors.epochGap("/data/out", "main", "7", 10L),
    Errors.epochAhead("/data/out", "main", 7L, 3L),
    Errors.settingsChanged("timeZone", "UTC", "Europe/Berlin", "/data/out"),
    Errors.schemaChanged("/data/out", "main", "fail", "removed: word"),
    Errors.fenced("/data/out", "main", 12L, "run r-2"),
    Errors.recordTorn("/data/out/_stoplog/main/log/1.json", "the checksum differs"),
    Errors.recordTooNew("/data/out/_stoplog/main/log/1.json", 9, 1),
    Errors.partLost("/data/out/b/part-1", "/data/out/_stoplog/main/open/b/.part-1", "b", 5L),
    Errors.partShort("/data/out/b/part-1", 5L, 9L),
    Errors.nameTaken("/data/out/b/part-1", "it has 3 bytes, not 9"),
    Errors.storeWrite("/data/out/b/part-1", cause.getMessage, cause),
    Errors.unknownOutcome("/data/out/b/part-1", "timed out", cause),
    Errors.userCode("encoder", "com.example.Nope", "no such class", new ClassNotFoundException("Nope")),
    Errors.viewUnknown("files"),
    Errors.readUnsupported("/data/out"),
    Errors.notCompactable("/data/out", "it has a _delta_log"),
    Errors.distributionUnsupported("0 writers"),
    Errors.storeUnsupported("gs://b/out", "gs"),
    Errors.storeNotExclusive("ftp://host/out", "ftp"),
    Errors.hadoopAws("s3a://b/out", "3.5.0", "it is not there"),
    Errors.uploadPurge("s3a://b/out", "fs.s3a.multipart.purge")
  )

  test(
    "the classes name nothing that an older line of Spark lacks: its interfaces' defaults are not copied in"
  ) {
    for (made <- Seq(classOf[StoplogException], classOf[StoplogArgumentException])) {
      val own = made.getDeclaredMethods.map(_.getName).toSet
      assert(own.intersect(Set("getBreakingChangeInfo", "isInternalError", "getQueryContext")) === Set.empty)
    }
  }

  test("every condition has exactly one constructor") {
    assert(one.map(_.getCondition).sorted === conditions)
  }

  test("conditions are sorted, unique and prefixed") {
    val text    = Source.fromURL(Conditions.url, "utf8")
    val written =
      try text.getLines().collect { case s"""  "$name": {""" => name }.toSeq
      finally text.close()
    assert(written === written.distinct.sorted)
    assert(written.forall(_.startsWith("STOPLOG_")))
  }

  test("no condition is one of Spark's, and Spark's reader accepts both files together") {
    val loader = classOf[SparkThrowable].getClassLoader
    val sparks = loader.getResource("error/error-conditions.json")
    assert(sparks != null)
    val both = new ErrorClassesJsonReader(Seq(sparks, Conditions.url))
    val own  = new ErrorClassesJsonReader(Seq(sparks))
    assert(conditions.forall(both.isValidErrorClass))
    assert(!conditions.exists(own.isValidErrorClass))
  }

  test("each constructor gives exactly the parameters that its sentence uses") {
    for (e <- one) {
      val used = parameter.findAllMatchIn(Conditions.template(e.getCondition)).map(_.group(1)).toSet
      assert(e.getMessageParameters.keySet.asScala === used, e.getCondition)
    }
  }

  test("messages have Spark's shape, with nothing left to fill in") {
    for (e <- one) {
      val message = e.getMessage
      assert(message.startsWith(s"[${e.getCondition}] "))
      assert(message.endsWith(s" SQLSTATE: ${e.getSqlState}"))
      assert(!message.contains("${") && !message.contains(".:") && !message.contains(".."), message)
    }
  }

  test("the last line and the last sentence of each message start with a verb: what to do now") {
    for (condition <- conditions) {
      val lines = Conditions.template(condition).linesIterator.toSeq
      val last  = lines.last
      val ends  = last.split("(?<=[.;]) ").last
      assert(lines.size === 2, condition)
      assert(verbs(last.takeWhile(_ != ' ')), s"$condition: $last")
      assert(verbs(ends.stripPrefix("or ").takeWhile(_ != ' ').capitalize), s"$condition: $ends")
      assert(last.endsWith("."), condition)
    }
  }

  test("SQLSTATEs have five characters") {
    for (condition <- conditions)
      assert(Conditions.sqlState(condition).matches("[0-9A-Z]{5}"), condition)
  }

  test("problems of options are listed one per line") {
    val message = Errors.invalidOptions(Seq("First.", "Second.")).getMessage
    assert(message.contains("(2):\n  - First.\n  - Second.\n"))
  }

  test("what was asked wrongly is an IllegalArgumentException, what fails while running is not") {
    val running = Set("STOPLOG_NULL_VALUE", "STOPLOG_STORE_WRITE", "STOPLOG_FENCED", "STOPLOG_FOREIGN_QUERY")
    val asked   = Set("STOPLOG_INVALID_OPTIONS", "STOPLOG_TEXT_SCHEMA", "STOPLOG_USER_CODE")
    val (arguments, failures) = one.partition {
      case _: IllegalArgumentException => true
      case _                           => false
    }
    assert(asked.subsetOf(arguments.map(_.getCondition).toSet))
    assert(running.subsetOf(failures.map(_.getCondition).toSet))
  }

  test("a cause is kept, and may be absent") {
    assert(Errors.storeWrite("p", "w", cause).getCause eq cause)
    assert(Errors.userCode("encoder", "X", "no", null).getCause == null)
  }

  test("a value that looks like a parameter is left as it is") {
    assert(Errors.textSchema("struct<a:${x}><why>").getMessage.contains("struct<a:${x}><why>"))
  }

  test("errors travel from an executor to the driver") {
    for (e <- one) {
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(e)
      val back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      assert(back.asInstanceOf[SparkThrowable].getCondition === e.getCondition)
      assert(back.asInstanceOf[Throwable].getMessage === e.getMessage)
      assert(back.asInstanceOf[SparkThrowable].getMessageParameters === e.getMessageParameters)
    }
  }
}
