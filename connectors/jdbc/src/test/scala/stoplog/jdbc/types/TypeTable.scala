// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.math.{BigDecimal => JBigDecimal}
import java.sql.ResultSet
import java.time._

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import stoplog.error.StoplogArgumentException
import stoplog.jdbc.TestDatabase
import stoplog.jdbc.options.JdbcOptions
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.{JdbcRow, RowBuffer}
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.write.{BatchScope, JdbcWriteSpec, TaskRows, TaskSession}

/** Writes values of Spark types into columns of every type of a database, and reads them back.
  *
  * @param samples the values of each Spark type
  */
final class TypeTable(
    database: TestDatabase,
    columnTypes: Seq[String],
    samples: Seq[(DataType, Seq[Any])] = TypeTable.samples
) {
  SQLConf.get.setConfString("spark.sql.timeType.enabled", "true")

  private val connections = new KeptConnections(database.url)

  /** The outcome of each pair, by column type and Spark type. */
  lazy val outcomes: TypeTable.Outcomes =
    columnTypes.zipWithIndex.map { case (columnType, i) =>
      val table = s"${database.newHeap()}_$i"
      database.execute(s"CREATE TABLE $table (k BIGINT NOT NULL PRIMARY KEY, v $columnType)")
      columnType -> samples.map { case (spark, values) =>
        spark.simpleString -> outcome(table, spark, values)
      }
    }

  private def outcome(table: String, spark: DataType, values: Seq[Any]): TypeTable.Outcome = {
    val schema  = new StructType().add("k", LongType).add("v", spark)
    val options = JdbcOptions.parse(
      Map("url" -> database.url, "dbtable" -> table, "keyColumns" -> "k").asJava
    )
    Try(TableCheck.target(options, schema, connections)).fold(
      {
        case e: StoplogArgumentException if e.getCondition == "STOPLOG_ROW_COLUMNS" => TypeTable.Refused
        case e => TypeTable.Wrong(s"start: $e")
      },
      target => written(JdbcWriteSpec.of(options, schema, target, connections), values)
    )
  }

  private def written(spec: JdbcWriteSpec, values: Seq[Any]): TypeTable.Outcome = {
    val spark   = spec.schema("v").dataType
    val convert = CatalystTypeConverters.createToCatalystConverter(spark)
    val rejects = new TypeTable.Collected
    Using.resource(connections.open())(_.createStatement().execute(s"DELETE FROM ${spec.target.table}"))
    val session = spec.session()
    val retries = spec.retries()
    val scope   = new BatchScope.OwnTransaction(session, retries, spec.target.writeFailed)
    val access  = TaskSession(session, scope, retries, stoplog.fault.Faults.none)
    val failed  =
      Using.resource(TaskRows.upserts(access, spec.target, spec.key.get, 100, rejects)) { task =>
        Try {
          val rowValues = spec.values
          for ((value, k) <- values.zipWithIndex)
            task.write(
              rowValues.of(
                InternalRow(k.toLong, if (value == null) null else catalyst(spark, value, convert))
              )
            )
          task.finish()
        }.failed.toOption
      }
    failed.fold {
      val found   = read(spec.target.table, spark)
      val missing = values.indices.filterNot(k => found.contains(k) || rejects.keys(k))
      val wrong   = found.collect {
        case (k, value) if !TypeTable.same(spark, values(k), value) =>
          s"${TypeTable.shown(values(k))} became ${TypeTable.shown(value)}"
      }
      if (missing.nonEmpty) TypeTable.Wrong(s"lost: ${missing.map(values(_))}")
      else if (wrong.nonEmpty) TypeTable.Wrong(wrong.mkString("; "))
      else if (rejects.keys.isEmpty) TypeTable.Exact
      else TypeTable.ByValue
    }(e => TypeTable.Wrong(s"write: $e".take(300)))
  }

  private def catalyst(spark: DataType, value: Any, convert: Any => Any): Any = value match {
    case time: LocalTime => time.toNanoOfDay
    case other           => convert(other)
  }

  private def read(table: String, spark: DataType): Map[Int, Any] =
    Using.resource(connections.open()) { connection =>
      Using.resource(connection.createStatement()) { statement =>
        val v = (spark, database.name) match {
          case (TimestampType, "MariaDB")  => "v, UNIX_TIMESTAMP(v)"
          case (_: NumericType, "MariaDB") => "v, v + 0e0"
          // The drivers convert local times by the zone of the JVM.
          case (TimestampNTZType, "MariaDB") => "CAST(v AS CHAR)"
          case (TimestampNTZType, "Derby")   =>
            "v, YEAR(v), MONTH(v), DAY(v), HOUR(v), MINUTE(v), SECOND(v)"
          case (ArrayType(DateType | TimestampNTZType, _), "PostgreSQL") => "CAST(v AS TEXT[])"
          case (ArrayType(DateType | TimestampNTZType, _), "H2")         => "CAST(v AS VARCHAR ARRAY)"
          case _                                                         => "v"
        }
        val result = statement.executeQuery(s"SELECT k, $v FROM $table")
        Iterator
          .continually(result)
          .takeWhile(_.next())
          .map(row => row.getInt(1) -> valueOf(row, spark))
          .toMap
      }
    }

  private def valueOf(row: ResultSet, spark: DataType): Any = {
    val columnType = row.getMetaData.getColumnTypeName(2).toUpperCase
    (database.name, spark, columnType) match {
      case ("Derby", TimestampNTZType, _) if row.getString(2) != null => fields(row)
      case ("MariaDB", TimestampType, "TIMESTAMP")                    => micros(row.getBigDecimal(3))
      case ("MariaDB", _, _) if row.getString(2) == null              => null
      // The text of a FLOAT has six digits.
      case ("MariaDB", _: NumericType, "FLOAT") => row.getDouble(3).toFloat
      // The driver reads TINYINT(1) as a boolean.
      case ("MariaDB", ByteType | ShortType | IntegerType | LongType | _: DecimalType, _)
          if row.getObject(2).isInstanceOf[Boolean] =>
        row.getInt(2)
      case _ => TypeTable.value(row, spark)
    }
  }

  private def fields(row: ResultSet): LocalDateTime = {
    val micros = Math.round(row.getDouble(8) * 1000000)
    LocalDateTime
      .of(row.getInt(3), row.getInt(4), row.getInt(5), row.getInt(6), row.getInt(7))
      .plusNanos(micros * 1000)
  }

  private def micros(seconds: JBigDecimal): Any =
    if (seconds == null) null
    else Instant.EPOCH.plusNanos(seconds.movePointRight(9).longValueExact)
}

object TypeTable {

  /** By column type and Spark type. */
  type Outcomes = Seq[(String, Seq[(String, Outcome)])]

  sealed trait Outcome
  case object Exact                   extends Outcome
  case object ByValue                 extends Outcome
  case object Refused                 extends Outcome
  final case class Wrong(why: String) extends Outcome

  private final class Collected extends Rejects {
    val keys    = mutable.Set[Int]()
    val reasons = mutable.Buffer[String]()

    override def take(row: JdbcRow, why: Throwable): Unit = {
      keys += row.values(0).asInstanceOf[Long].toInt
      reasons += why.getMessage
      ()
    }
    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Dropped
    override def finish(): Long                   = keys.size.toLong
  }

  private def decimals(values: String*) = null +: values.map(new JBigDecimal(_))

  private val days =
    Seq("0001-01-01", "1582-10-10", "1970-01-01", "2026-02-28", "9999-12-31").map(LocalDate.parse(_))

  private val moments = Seq("0001-01-01T00:00", "1582-10-10T12:00", "1970-01-01T00:00:01", "2026-03-29T02:30",
    "2026-07-01T12:34:56.123", "2026-07-01T12:34:56.123456", "2026-10-25T00:30", "2026-10-25T01:30",
    "9999-12-31T23:59:59.999999").map(
    LocalDateTime.parse(_)
  )

  private val texts = Seq(
    "",
    "a",
    "ab ",
    "\u0436",
    "x" * 300,
    "007",
    "1e2",
    "101",
    "12:34:56",
    "12:34:56.123456",
    "sad",
    "10.0.0.1",
    "<a/>",
    "{\"a\": 1}",
    "[1, 2]",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "(1,b)",
    "\\'\"{},",
    "1 day",
    "abcd ",
    "x" * 255 + " "
  )

  val samples: Seq[(DataType, Seq[Any])] = Seq[(DataType, Seq[Any])](
    BooleanType         -> Seq(true, false, null),
    ByteType            -> Seq[Byte](-128, 0, 127),
    ShortType           -> Seq[Short](-32768, 1, 255, 32767),
    IntegerType         -> Seq[Any](Int.MinValue, 0, 2026, 16777217, Int.MaxValue, null),
    LongType            -> Seq(Long.MinValue, 1L, 9007199254740993L, Long.MaxValue),
    DecimalType(10, 2)  -> decimals("0", "-99999999.99", "0.10", "7", "12345678.91"),
    DecimalType(38, 18) -> decimals("0.1", "12345678901234567890.123456789012345678", "-3"),
    DecimalType(38, 0)  -> decimals("99999999999999999999999999999999999999", "5", "-300"),
    FloatType           -> Seq(0.1f, 1.5f, -16777216f, Float.MaxValue, Float.NaN, Float.PositiveInfinity),
    DoubleType          -> Seq(0.1, 1.5, 1e300, 9007199254740993.0, Double.NaN, Double.NegativeInfinity),
    StringType          -> (texts :+ null),
    BinaryType          -> Seq(
      Array[Byte](),
      Array[Byte](1, 0),
      Array[Byte](1, 2, 3, 4),
      Array.fill[Byte](300)(-1),
      null
    ),
    DateType               -> (days :+ null),
    TimestampType          -> (moments.map(_.toInstant(ZoneOffset.UTC)) :+ null),
    TimestampNTZType       -> (moments :+ null),
    ArrayType(IntegerType) -> Seq[Any](Seq[Any](1, null, Int.MaxValue), Seq(), null),
    ArrayType(StringType)  -> Seq(
      Seq("a", "", null, "q\"\\,{} "),
      texts.take(8),
      Seq("sad"),
      Seq("{\"a\": 1}"),
      Seq("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
      Seq()
    ),
    ArrayType(BinaryType)         -> Seq(Seq(Array[Byte](1, -1), Array[Byte]()), Seq()),
    ArrayType(DecimalType(10, 2)) -> Seq(
      Seq(new JBigDecimal("1.25"), null),
      Seq(new JBigDecimal("99999999.00"))
    ),
    ArrayType(BooleanType)      -> Seq(Seq[Any](true, false, null)),
    ArrayType(DoubleType)       -> Seq(Seq(0.1, Double.NaN)),
    ArrayType(DateType)         -> Seq(days),
    ArrayType(TimestampNTZType) -> Seq(moments)
  ) ++ Try(DataType.fromDDL("v TIME(6)").asInstanceOf[StructType].head.dataType).toOption.map { time =>
    time -> Seq(LocalTime.parse("12:34:56"), LocalTime.parse("23:59:59.999999"), null)
  }

  /** The samples with dates and times. */
  def timeSamples: Seq[(DataType, Seq[Any])] = samples.filter {
    case (ArrayType(DateType | TimestampNTZType, _), _) | (DateType | TimestampType | TimestampNTZType, _) =>
      true
    case (spark, _) => spark.typeName.startsWith("time(")
  }

  /** Reads a value in a form that [[same]] compares. */
  def value(row: ResultSet, spark: DataType): Any = spark match {
    case StringType => row.getString(2)
    case BinaryType => row.getBytes(2)
    case DateType   =>
      row.getObject(2) match {
        case null      => null
        case _: Number => row.getDate(2).toLocalDate
        case _         => LocalDate.parse(row.getString(2).take(10))
      }
    case TimestampType | TimestampNTZType => moment(row, spark)
    case _: ArrayType => Option(row.getArray(2)).map(_.getArray.asInstanceOf[Array[_]].toSeq).orNull
    case other if other.typeName.startsWith("time(") =>
      Option(row.getString(2)).map(LocalTime.parse(_)).orNull
    case _ => row.getObject(2)
  }

  private def moment(row: ResultSet, spark: DataType): Any = row.getObject(2) match {
    case null           => null
    case millis: Number =>
      val at = Instant.ofEpochMilli(millis.longValue)
      if (spark == TimestampType) at else new java.sql.Timestamp(at.toEpochMilli).toLocalDateTime
    case at: OffsetDateTime                                         => at.toInstant
    case _ if row.getMetaData.getColumnTypeName(2) == "timestamptz" =>
      row.getObject(2, classOf[OffsetDateTime]).toInstant
    case _ =>
      val text = row.getString(2).replace(' ', 'T')
      if (text.endsWith("Z")) Instant.parse(text)
      else {
        val local = LocalDateTime.parse(text)
        if (spark == TimestampType) local.atZone(ZoneId.systemDefault).toInstant else local
      }
  }

  /** Returns true if the value that was read is exactly the value that was written. */
  def same(spark: DataType, written: Any, read: Any): Boolean = (spark, written, read) match {
    case (_, null, null)                         => true
    case (_, null, _) | (_, _, null)             => false
    case (list: ArrayType, a: Seq[_], b: Seq[_]) =>
      a.size == b.size && a.zip(b).forall { case (x, y) => same(list.elementType, x, y) }
    case (BooleanType, a: Boolean, b) => number(b).exists(_.compareTo(new JBigDecimal(if (a) 1 else 0)) == 0)
    case (FloatType, a: Float, b: java.lang.Double) => java.lang.Double.compare(b, a.toDouble) == 0
    case (FloatType, a: Float, b: Number)           =>
      java.lang.Float.compare(b.floatValue, a) == 0 && exact(b, a.toDouble)
    case (DoubleType, a: Double, b: Number) => java.lang.Double.compare(b.doubleValue, a) == 0
    case (_: DecimalType, a: JBigDecimal, b: java.lang.Float) => new JBigDecimal(b.toString).compareTo(a) == 0
    case (_: DecimalType, a: JBigDecimal, b: java.lang.Double) =>
      new JBigDecimal(b.toString).compareTo(a) == 0
    case (_: DecimalType, a: JBigDecimal, b)                   => number(b).exists(_.compareTo(a) == 0)
    case (ByteType | ShortType | IntegerType | LongType, a, b) =>
      number(b).exists(_.compareTo(new JBigDecimal(a.toString)) == 0)
    case (StringType, a: String, b) =>
      b.toString == a || b.toString.stripTrailing == a || sameTime(a, b.toString) || sameJson(a, b.toString)
    case (BinaryType, a: Array[Byte], b: Array[Byte]) => a.sameElements(b)
    case (DateType, a, b: String)                     => LocalDate.parse(b.take(10)) == a
    case (TimestampNTZType, a, b: String)             => LocalDateTime.parse(b.replace(' ', 'T')) == a
    case (DateType, a, b: java.sql.Date)              => b.toLocalDate == a
    case (TimestampNTZType, a, b: java.sql.Timestamp) => b.toLocalDateTime == a
    case (_, a, b)                                    => a == b
  }

  private def sameTime(a: String, b: String) =
    Try(LocalTime.parse(a) == LocalTime.parse(b)).getOrElse(false)

  private def sameJson(a: String, b: String) = {
    val json               = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    def tree(text: String) = json.readTree(text) match {
      case number if number.isNumber => number.decimalValue.stripTrailingZeros
      case other                     => other
    }
    Try(tree(a) == tree(b)).getOrElse(false) && !a.startsWith("0")
  }

  // A float that is read as a double must be this float.
  private def exact(read: Number, written: Double) = read match {
    case d: java.lang.Double => java.lang.Double.compare(d, written) == 0
    case _                   => true
  }

  private def number(value: Any): Option[JBigDecimal] = value match {
    case d: java.lang.Double => Try(new JBigDecimal(d)).toOption
    case f: java.lang.Float  => Try(new JBigDecimal(f.toDouble)).toOption
    case true                => Some(JBigDecimal.ONE)
    case false               => Some(JBigDecimal.ZERO)
    case bytes: Array[Byte]  => Some(new JBigDecimal(BigInt(1, bytes).bigInteger))
    case "t"                 => Some(JBigDecimal.ONE)
    case day: java.sql.Date  => Some(new JBigDecimal(day.toLocalDate.getYear))
    case other               => Try(new JBigDecimal(other.toString)).toOption
  }

  def shown(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("bytes(", ",", ")")
    case values: Seq[_]     => values.map(shown).mkString("[", ", ", "]")
    case text => s"$text".take(60) + (if (text == null) "" else s": ${text.getClass.getSimpleName}")
  }
}
