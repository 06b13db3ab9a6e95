// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.IOException

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

/** Consecutive rows in an array, each preceded by its length: Spark's binary row format, copied unchanged. */
private[bulk] final class RowPage private (
    private var bytes: Array[Byte],
    private var filled: Int,
    private var count: Int
) {

  def rows: Int        = count
  def size: Int        = filled
  def capacity: Int    = bytes.length
  def isEmpty: Boolean = count == 0

  /** Adds a row. Returns false if the page is full. */
  def append(row: UnsafeRow): Boolean = {
    val needed = filled.toLong + RowPage.LengthBytes + row.getSizeInBytes
    if (needed > bytes.length) false
    else {
      Platform.putInt(bytes, Platform.BYTE_ARRAY_OFFSET + filled, row.getSizeInBytes)
      row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + filled + RowPage.LengthBytes)
      filled = needed.toInt
      count += 1
      true
    }
  }

  /** Returns a copy with a higher capacity. */
  def grownTo(capacity: Int): RowPage = new RowPage(java.util.Arrays.copyOf(bytes, capacity), filled, count)

  def array: Array[Byte] = bytes

  /** Returns the rows in order. The row object is reused, and is valid until the page changes. */
  def iterator(columns: Int): Iterator[UnsafeRow] = new Rows(columns)

  /** Returns the rows of a page read from storage, each after a check of its bounds. Error of `next`:
    * `IOException`.
    */
  def checked(bounds: RowBounds): Iterator[UnsafeRow] = new CheckedRows(bounds)

  private class Rows(columns: Int) extends Iterator[UnsafeRow] {
    private[this] val row = new UnsafeRow(columns)
    private[this] var at  = 0

    final override def hasNext: Boolean = at < filled

    final override def next(): UnsafeRow = {
      val length = if (filled - at < 4) -1 else Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at)
      check(at, length)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + RowPage.LengthBytes, length)
      at += RowPage.LengthBytes + length
      row
    }

    /** Checks a row before the row is read: its start, and its recorded length. */
    protected def check(at: Int, length: Int): Unit = ()
  }

  private final class CheckedRows(bounds: RowBounds) extends Rows(bounds.columns) {
    override protected def check(at: Int, length: Int): Unit = {
      val left = filled - at
      if (left < RowPage.LengthBytes || length < 0 || length > left - RowPage.LengthBytes)
        throw new IOException("a row ends after its page: it is damaged or forged")
      bounds.check(bytes, at + RowPage.LengthBytes, length)
    }
  }
}

private[bulk] object RowPage {

  def empty(capacity: Int): RowPage = new RowPage(new Array[Byte](capacity), 0, 0)

  /** @param size how many bytes of the array hold rows */
  def of(bytes: Array[Byte], size: Int, rows: Int): RowPage = new RowPage(bytes, size, rows)

  /** The overhead per row in bytes. 8 bytes, because Spark reads rows in whole words. */
  val LengthBytes: Int = 8
}

/** Checks that rows in Spark's binary format are within their bytes.
  *
  * Spark follows the offsets and lengths in rows without any check. A row with a forged length would be
  * written with the memory of the JVM after the row, or crash the process. Rows from storage are therefore
  * checked first, at all levels of nesting. The check ignores values.
  *
  * @param schema of the rows; checked rows may be read only with these columns
  */
private[bulk] final class RowBounds(schema: StructType) {
  import RowBounds._

  val columns: Int = schema.length

  private[this] val checks = schema.fields.map(field => ofValue(field.dataType))

  /** Error: `IOException` for a row whose bytes are not all between `at` and `at + size`. */
  def check(bytes: Array[Byte], at: Int, size: Int): Unit = fields(new Region(bytes, at, size), checks)
}

private object RowBounds {

  /** The bytes of a value, all within the array. */
  private final class Region(val bytes: Array[Byte], val at: Int, val size: Int) {
    require(at >= 0 && size >= 0 && at.toLong + size <= bytes.length)

    def int(offset: Int): Int   = Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at + offset)
    def long(offset: Int): Long = Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET + at + offset)

    def isSet(offset: Int, bit: Int): Boolean = (bytes(at + offset + bit / 8) >> (bit % 8) & 1) != 0

    def within(offset: Int, length: Int): Region =
      if (offset < 0 || length < 0 || offset.toLong + length > size) refuse()
      else new Region(bytes, at + offset, length)
  }

  /** Checks the recorded region of a value; `None` for values without a region. */
  private type Check = Option[Region => Unit]

  private def ofValue(dataType: DataType): Check = dataType match {
    case own: UserDefinedType[_]           => ofValue(own.sqlType)
    case of if UnsafeRow.isFixedLength(of) => None
    case of: StructType                    =>
      lazy val checks = of.fields.map(field => ofValue(field.dataType))
      Some(fields(_, checks))
    case of: ArrayType  => Some(elements(of.elementType).andThen(_ => ()))
    case of: MapType    => Some(entries(elements(of.keyType), elements(of.valueType)))
    case _: DecimalType => Some(region => if (region.size < 1 || region.size > MostDecimalBytes) refuse())
    case CalendarIntervalType => Some(region => if (region.size != IntervalBytes) refuse())
    case VariantType          => Some(variant)
    case _                    => Some(_ => ()) // bytes
  }

  /** A row: null bits, one word per field, and the values too large for their word. */
  private def fields(row: Region, checks: Array[Check]): Unit = {
    val words = UnsafeRow.calculateBitSetWidthInBytes(checks.length)
    if (row.size < words + checks.length * WordBytes) refuse()
    var i = 0
    while (i < checks.length) {
      if (checks(i).isDefined && !row.isSet(0, i)) checks(i).get(valueAt(row, words + i * WordBytes))
      i += 1
    }
  }

  /** Returns the number of elements. A region has this number, null bits, elements, and oversized values. */
  private def elements(of: DataType): Region => Long = {
    val check = ofValue(of)
    val width = elementBytes(of)
    region => {
      if (region.size < WordBytes) refuse()
      val count = region.long(0)
      if (count < 0 || count > region.size.toLong * WordBytes) refuse()
      val head = WordBytes + (count + 63) / 64 * WordBytes
      if (head + count * width > region.size) refuse()
      for {
        within <- check
        i      <- 0 until count.toInt
      } if (!region.isSet(WordBytes, i)) within(valueAt(region, head.toInt + i * WordBytes))
      count
    }
  }

  /** A map: the length of the keys, the keys, and the values. */
  private def entries(keys: Region => Long, values: Region => Long): Region => Unit = region => {
    if (region.size < WordBytes) refuse()
    val length = region.long(0)
    if (length < 0 || length > region.size - WordBytes) refuse()
    val behind = WordBytes + length.toInt
    val count  = keys(region.within(WordBytes, length.toInt))
    if (values(region.within(behind, region.size - behind)) != count) refuse()
  }

  /** A variant: the length of the value, the value, and the metadata. */
  private def variant(region: Region): Unit =
    if (region.size < 4 || region.int(0) < 0 || region.int(0) > region.size - 4) refuse()

  /** Returns the region of an oversized value. Its word has the offset from the start, and the length. */
  private def valueAt(region: Region, offset: Int): Region = {
    val word = region.long(offset)
    region.within((word >> 32).toInt, word.toInt)
  }

  @scala.annotation.tailrec
  private def elementBytes(of: DataType): Int = of match {
    case own: UserDefinedType[_]                                       => elementBytes(own.sqlType)
    case BooleanType | ByteType                                        => 1
    case ShortType                                                     => 2
    case IntegerType | DateType | FloatType | _: YearMonthIntervalType => 4
    case _                                                             => WordBytes
  }

  private def refuse(): Nothing =
    throw new IOException("a row is not within its bytes: it is damaged or forged")

  private final val WordBytes        = 8
  private final val IntervalBytes    = 16
  private final val MostDecimalBytes = 16
}
