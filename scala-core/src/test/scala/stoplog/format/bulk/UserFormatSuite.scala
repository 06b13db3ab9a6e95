// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.ObjectInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.util.UserObject
import stoplog.part.BlockOutput

/** What a part says of a user's own format, and who makes the format again from that. */
class UserFormatSuite extends AnyFunSuite {
  import UserFormatSuite._

  private val schema = StructType.fromDDL("value STRING")

  private def description(reference: String): String =
    BulkSink(
      BulkSink.UserFormat.Kind,
      schema,
      BulkSink.UserFormat(reference),
      PartLife.ManyEpochs
    ).description

  private def again(description: String, running: Option[String] = None): String = {
    val format = BulkSink.of(description, running).format
    val part   = PartInBlocks().block(format, Seq(TextRows.of("one"), TextRows.of("two")))
    new String(part.ended(format), UTF_8)
  }

  private def refused(description: String, running: Option[String] = None): StoplogException = {
    val error = intercept[StoplogException](BulkSink.of(description, running))
    assert(error.getCondition === "STOPLOG_BULK_WRITER_UNKNOWN")
    error
  }

  private def instance(writers: BulkWriters): Option[String] = Some(
    UserObject.reference(writers, "bulkWriter")
  )

  test("a writer named by its class is recreated from the name in any process") {
    assert(again(description(classOf[Joined].getName)) === "one,two")
    assert(again(description(classOf[Joined].getName), instance(new Joined("|"))) === "one,two")
  }

  test("a writer with parameters is recreated with the initial parameters of its part") {
    def named(separator: String) =
      UserObject.named(classOf[Configured].getName, Map("separator" -> separator))
    val begun = description(named("{+}"))
    assert(again(begun) === "one{+}two")
    assert(again(begun, Some(named("-"))) === "one{+}two")
    assert(again(description(classOf[Configured].getName)) === "one,two")
  }

  test("a Scala object is identified by name, even if passed as an instance") {
    assert(again(description(UserObject.reference(Colons, "bulkWriter"))) === "one:two")
  }

  test("an instance with described settings is recreated from them in any process") {
    val file = again(description(UserObject.reference(new LineBlocks(1000), "bulkWriter")))
    assert(LineBlocks.read(file).flatten === Seq("one", "two"))
  }

  test("an instance without a description is usable only by a query with an equal instance") {
    val begun = description(UserObject.reference(new Walled("#", 1), "bulkWriter"))
    assert(again(begun, instance(new Walled("#", 1))) === "#one##two#")
    for (running <- Seq(None, instance(new Walled("+", 1)), instance(new LineBlocks(1000))))
      assert(refused(begun, running).getMessageParameters.get("why").contains("constructor of one String"))
  }

  test("a factory instance writes whole parts with the settings of the query that ends them") {
    val begun = description(UserObject.reference(new Joined("|"), "bulkWriter"))
    assert(again(begun, instance(new Joined("-"))) === "one-two")
    for (running <- Seq(None, Some(classOf[Joined].getName), instance(Colons)))
      assert(refused(begun, running).getMessageParameters.get("writer") === classOf[Joined].getName)
  }

  test("stored descriptions are never deserialized, and only format classes run") {
    val bomb = UserObject.reference(new Bomb, "bulkWriter")
    val text = description(classOf[Joined].getName)
    for (writer <- Seq(bomb, classOf[Armed].getName)) {
      val forged = text.replace(classOf[Joined].getName, writer)
      assert(forged.contains(writer))
      refused(forged)
      refused(forged, instance(new Joined("|")))
    }
    refused(description(UserObject.reference(new LineBlocks(1000), "bulkWriter")).replace("1000", bomb))
    assert(Ran.get === 0)
  }

  test("descriptions do not contain serialized objects") {
    for (writers <- Seq(new Joined("|"), new LineBlocks(1000), new Walled("#", 1)))
      assert(!description(UserObject.reference(writers, "bulkWriter")).contains("instance:"))
  }
}

object UserFormatSuite {

  /** Ends a whole part with its rows and something between them. */
  class Joined(separator: String) extends BulkWriterFactory {
    def this() = this(",")

    override def create(out: BlockOutput): BulkWriter = new BulkWriter {
      private var rows                           = Vector.empty[String]
      override def write(row: InternalRow): Unit = rows :+= row.getUTF8String(0).toString
      override def bufferedBytes: Long           = rows.map(_.length.toLong).sum
      override def finish(): Unit                = out.write(rows.mkString(separator).getBytes(UTF_8))
      override def close(): Unit                 = ()
    }
  }

  class Configured(parameters: JMap[String, String]) extends Joined(parameters.getOrDefault("separator", ","))

  object Colons extends Joined(":")

  /** Has no constructor that takes what it says of itself. */
  class Walled(wall: String, again: Int) extends BlockFormat {
    override def suffix: String                                      = ".walled"
    override def open(schema: StructType): Unit                      = ()
    override def describe: String                                    = wall * again
    override def blockBytes: Long                                    = 1000
    override def end(out: BlockOutput, directory: Array[Byte]): Unit = ()

    override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = new BlockWriter {
      private var rows                           = Vector.empty[String]
      override def write(row: InternalRow): Unit = rows :+= row.getUTF8String(0).toString
      override def bufferedBytes: Long           = rows.map(_.length.toLong).sum
      override def close(): Unit                 = ()
      override def finish(): Array[Byte]         = {
        rows.foreach(row => out.write(s"$wall$row$wall".getBytes(UTF_8)))
        Array.emptyByteArray
      }
    }
  }

  private val Ran = new AtomicInteger

  /** Tells when it is deserialized. */
  class Bomb extends Serializable {
    private def readObject(in: ObjectInputStream): Unit = {
      in.defaultReadObject()
      Ran.incrementAndGet()
      ()
    }
  }

  /** Is on the class path, and no format. */
  class Armed {
    Ran.incrementAndGet()
  }
}
