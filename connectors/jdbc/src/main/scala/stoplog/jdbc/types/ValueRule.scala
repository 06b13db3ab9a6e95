// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.math.{BigDecimal => JBigDecimal}
import java.time.LocalTime

import scala.util.Try

import com.fasterxml.jackson.databind.{DeserializationFeature, ObjectMapper}
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._

import stoplog.format.ReadableTexts
import stoplog.jdbc.types.ColumnType._

/** The rule for a pair of a Spark type and a column type: either all values that the rule accepts are stored
  * exactly, or the pair is rejected.
  */
private[jdbc] object ValueRule {

  /** Returns the value for the driver. Throws [[Inexact]] for a value that the column cannot store. */
  type Reader = (SpecializedGetters, Int) => Any

  /** Returns the reader of a column's values, or the reason why the pair is rejected, as a sentence.
    */
  def of(spark: DataType, column: ColumnType, forms: DriverForms): Either[String, Reader] =
    (spark, column) match {
      case (_, Unsupported(why))       => Left(s"the column $why")
      case (_, Affine(affinity))       => SqliteRule.of(spark, affinity, forms.zone)
      case (_, Numbered(values))       => of(spark, values, forms).map(assigned(values, _))
      case (_, NeverEmpty(values))     => of(spark, values, forms).map(notEmpty)
      case (list: ArrayType, ofColumn) => listRule(list.elementType, ofColumn, forms)
      case _                           => scalar(spark, column, forms)
    }

  /** Returns the reason why a column cannot store a null, as a clause about the value. */
  def nullProblem(column: ColumnType): Option[String] =
    Option.when(column.isInstanceOf[Numbered])("is null, for which the database assigns the next number")

  /** Rejects 0, for which MySQL assigns the next number unless the session has NO_AUTO_VALUE_ON_ZERO. */
  private def assigned(values: ColumnType, read: Reader): Reader = values match {
    case _: Affine => read
    case _         =>
      (row, i) =>
        read(row, i) match {
          case zero: Number if zero.doubleValue == 0 =>
            throw new Inexact("is 0, for which the database assigns the next number")
          case other => other
        }
  }

  private def notEmpty(read: Reader): Reader = (row, i) => {
    val value   = read(row, i)
    val isEmpty = value match {
      case text: String       => text.isEmpty
      case bytes: Array[Byte] => bytes.isEmpty
      case _                  => false
    }
    if (isEmpty) throw new Inexact("is empty, which the database stores as null")
    value
  }

  private def scalar(spark: DataType, column: ColumnType, forms: DriverForms): Either[String, Reader] =
    spark match {
      case BooleanType                                   => truth(column)
      case ByteType | ShortType | IntegerType | LongType => whole(wholeReader(spark), bitsOf(spark), column)
      case d: DecimalType                                => decimal(d, column)
      case FloatType     => floating(24, (row, i) => row.getFloat(i).toDouble, column)
      case DoubleType    => floating(53, (row, i) => row.getDouble(i), column)
      case _: StringType => TextRule.of(column, forms.moments)
      case BinaryType    => bytes(column)
      case DateType | TimestampType | TimestampNTZType => TimeRule.of(spark, column, forms)
      case other if TimeRule.isTimeOfDay(other)        => TimeRule.of(other, column, forms)
      case _                                           => Left("no database accepts such values")
    }

  private def wholeReader(spark: DataType): (SpecializedGetters, Int) => Long = spark match {
    case ByteType    => (row, i) => row.getByte(i).toLong
    case ShortType   => (row, i) => row.getShort(i).toLong
    case IntegerType => (row, i) => row.getInt(i).toLong
    case _           => (row, i) => row.getLong(i)
  }

  private def bitsOf(spark: DataType): Int = spark match {
    case ByteType    => 8
    case ShortType   => 16
    case IntegerType => 32
    case _           => 64
  }

  private def truth(column: ColumnType): Either[String, Reader] = column match {
    case Truth | Bits(1)                         => Right((row, i) => row.getBoolean(i))
    case Parsed("bit" | "bit(1)")                => Right((row, i) => if (row.getBoolean(i)) "1" else "0")
    case _: Whole | _: Floating | _: Significant => Right((row, i) => if (row.getBoolean(i)) 1 else 0)
    case Fixed(digits, scale) if digits > scale && scale >= 0 =>
      Right((row, i) => if (row.getBoolean(i)) 1 else 0)
    case _ => mismatch
  }

  private def whole(
      read: (SpecializedGetters, Int) => Long,
      bits: Int,
      column: ColumnType
  ): Either[String, Reader] =
    column match {
      case Whole(min, max) =>
        val all = signed(bits)
        if (all.min >= min && all.max <= max) Right((row, i) => sized(read(row, i), bits))
        else
          Right { (row, i) =>
            val value = read(row, i)
            if (BigInt(value) < min || BigInt(value) > max) throw new Inexact(s"is not between $min and $max")
            value
          }
      case Bits(count) =>
        Right { (row, i) =>
          val value = read(row, i)
          if (value < 0 || (count < 63 && value >= (1L << count)))
            throw new Inexact(s"has more than $count bits")
          value
        }
      case Year =>
        Right { (row, i) =>
          val value = read(row, i)
          if (value < 1901 || value > 2155) throw new Inexact("is not a year from 1901 to 2155")
          value.toInt
        }
      case Floating(precise, _) if bits <= precise => Right((row, i) => sized(read(row, i), bits))
      case Floating(precise, _)                    =>
        Right { (row, i) =>
          val value = read(row, i)
          val near  = if (precise == 24) value.toFloat.toDouble else value.toDouble
          if (new JBigDecimal(near).compareTo(JBigDecimal.valueOf(value)) != 0) throw rounded(precise)
          if (precise == 24) near.toFloat else near
        }
      case _: Fixed | _: Significant =>
        digits(column).map(fits => (row, i) => fits(JBigDecimal.valueOf(read(row, i))))
      case _ => mismatch
    }

  /** The class of the value selects the driver's binary form. */
  private def sized(value: Long, bits: Int): Any = bits match {
    case 8  => value.toByte
    case 16 => value.toShort
    case 32 => value.toInt
    case _  => value
  }

  private def decimal(d: DecimalType, column: ColumnType): Either[String, Reader] = {
    def read(row: SpecializedGetters, i: Int) = row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal
    column match {
      case Whole(min, max) if d.scale == 0 =>
        Right { (row, i) =>
          val value = read(row, i)
          if (BigInt(value.toBigInteger) < min || BigInt(value.toBigInteger) > max)
            throw new Inexact(s"is not between $min and $max")
          if (value.toBigInteger.bitLength < 64) value.longValue else value
        }
      case Floating(precise, _) =>
        Right { (row, i) =>
          val value     = read(row, i)
          val near: Any = if (precise == 24) value.floatValue else value.doubleValue
          if (Try(new JBigDecimal(near.toString).compareTo(value)).getOrElse(1) != 0) throw rounded(precise)
          near
        }
      case _: Fixed | _: Significant => digits(column).map(fits => (row, i) => fits(read(row, i)))
      case _                         => mismatch
    }
  }

  private def floating(
      bits: Int,
      read: (SpecializedGetters, Int) => Double,
      column: ColumnType
  ): Either[String, Reader] =
    column match {
      case Floating(precise, range) =>
        Right { (row, i) =>
          val value = read(row, i)
          if (range == FiniteValues && !isFinite(value)) throw new Inexact("is not a finite number")
          if (precise < bits && value.toFloat.toDouble != value && !value.isNaN) throw rounded(precise)
          if (precise == 24) value.toFloat else value
        }
      case _: Fixed | _: Significant =>
        digits(column).map { fits => (row, i) =>
          val value = read(row, i)
          if (!isFinite(value)) throw new Inexact("is not a finite number")
          fits(new JBigDecimal(if (bits == 24) value.toFloat.toString else value.toString))
        }
      case _ => mismatch
    }

  private def isFinite(value: Double) = !value.isNaN && !value.isInfinite

  /** Returns a function that returns its value, or throws [[Inexact]] for a value with too many digits. */
  private def digits(column: ColumnType): Either[String, JBigDecimal => JBigDecimal] = column match {
    case Fixed(precision, scale) =>
      Right { value =>
        val plain = value.stripTrailingZeros
        if (value.signum != 0 && plain.scale > scale)
          throw new Inexact(s"has more than $scale digits after the point")
        if (value.signum != 0 && plain.precision - plain.scale > precision - scale)
          throw new Inexact(s"has more than ${precision - scale} digits before the point")
        value
      }
    case Significant(most) =>
      Right { value =>
        if (value.stripTrailingZeros.precision > most) throw new Inexact(s"has more than $most digits")
        value
      }
    case _ => mismatch
  }

  private def bytes(column: ColumnType): Either[String, Reader] = column match {
    case Bytes(longest, padding) =>
      Right { (row, i) =>
        val value = row.getBinary(i)
        longest.foreach { most =>
          if (value.length > most) throw new Inexact(s"has more than $most bytes")
          if (padding == Padded && value.length < most)
            throw new Inexact(s"has fewer than $most bytes, which the database would add")
        }
        value
      }
    case Bits(count) =>
      Right { (row, i) =>
        val value = row.getBinary(i)
        if (value.length != (count + 7) / 8 || BigInt(1, value).bitLength > count)
          throw new Inexact(s"does not have $count bits")
        value
      }
    case _ => mismatch
  }

  private def listRule(
      element: DataType,
      column: ColumnType,
      forms: DriverForms
  ): Either[String, Reader] = (element, column) match {
    case (_: ArrayType, _)           => Left("nested arrays are not supported")
    case (_, ListOf(ofColumn, name)) =>
      of(element, ofColumn, forms).map { item => (row, i) =>
        val list   = row.getArray(i)
        val values =
          Array.tabulate[Any](list.numElements())(at => if (list.isNullAt(at)) null else item(list, at))
        forms.arrays match {
          case DriverForms.Arrays.AsText   => ArrayText.of(values)
          case DriverForms.Arrays.OfDriver => SqlArray(name, values)
        }
      }
    case _ => mismatch
  }

  private def rounded(bits: Int) =
    new Inexact(s"has more digits than the ${if (bits == 24) "single" else "double"} precision of the column")

  private[types] def mismatch[A]: Either[String, A] = Left("")
}

/** Texts into columns. */
private object TextRule {
  import ValueRule.{Reader, mismatch}

  def of(column: ColumnType, moments: Moments): Either[String, Reader] = column match {
    case Text(None, _)             => Right(text)
    case Text(Some(most), padding) =>
      Right { (row, i) =>
        val value  = text(row, i)
        val length = value.codePointCount(0, value.length)
        if (length > most) throw new Inexact(s"has more than $most characters")
        if (value.endsWith(" ") && (padding == Stripped || (padding == Padded && length < most)))
          throw new Inexact("ends with a blank, which the column does not distinguish from its padding")
        value
      }
    case SizedText(most) =>
      Right { (row, i) =>
        val value = text(row, i)
        if (value.endsWith(" ") && row.getUTF8String(i).numBytes > most)
          throw new Inexact(s"has more than $most bytes and ends with a blank, which the database would cut")
        value
      }
    case Labels(values, separator) =>
      Right { (row, i) =>
        val value = text(row, i)
        val parts = separator match {
          case Some(_) if value.isEmpty => Nil
          case Some(mark)               => value.split(mark, -1).toSeq
          case None                     => Seq(value)
        }
        if (!parts.forall(values.contains)) throw new Inexact("is not in the list of the column")
        if (parts != values.filter(parts.contains))
          throw new Inexact("has its values in another order than the list of the column, or repeats a value")
        value
      }
    case Parsed("inet6") =>
      Right { (row, i) =>
        val value = text(row, i)
        if (!value.contains(":")) throw new Inexact("is not an IPv6 address")
        value
      }
    case Parsed(_) => Right(text)
    case JsonBytes =>
      Right { (row, i) =>
        val bytes = row.getUTF8String(i).getBytes
        // H2 accepts texts that are not JSON, such as 007.
        if (Try(Json.readTree(bytes)).filter(!_.isMissingNode).isFailure) throw new Inexact("is not JSON")
        bytes
      }
    case TimeOfDay(fraction) =>
      Right { (row, i) =>
        val time =
          Try(LocalTime.parse(text(row, i))).getOrElse(throw new Inexact("is not a time such as 23:59:59"))
        moments.time(TimeRule.time(time, fraction))
      }
    case _ => mismatch
  }

  private val Json = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)

  def text(row: SpecializedGetters, i: Int): String =
    ReadableTexts.exact(row.getUTF8String(i)).getOrElse(throw new Inexact("is not valid UTF-8"))
}

/** The text of an array in PostgreSQL, see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO. */
private object ArrayText {
  def of(values: Array[Any]): String = values.map(item).mkString("{", ",", "}")

  private def item(value: Any): String = value match {
    case null                => "NULL"
    case bytes: Array[Byte]  => quoted("\\x" + java.util.HexFormat.of().formatHex(bytes))
    case number: JBigDecimal => number.toPlainString
    case other               => quoted(other.toString)
  }

  private def quoted(text: String): String =
    "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
}
