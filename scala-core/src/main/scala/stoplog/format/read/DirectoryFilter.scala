// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import scala.util.Try

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.sources._

import stoplog.storage.SourceFile

/** Leaves out the directories of which the names alone say that no row in them passes a query's filters. */
private[stoplog] final class DirectoryFilter(filters: Seq[Filter], columns: DirectoryColumns)
    extends Serializable {
  private val useful = filters.filter(_.references.exists(columns.has))

  /** Whether a directory may have a row that passes. */
  def enters(directory: String): Boolean =
    useful.forall(filter => passes(filter, directory) != DirectoryFilter.No)

  /** Throws the problem of a file that its path tells. */
  def check(file: SourceFile, fileName: String): Unit = columns.check(file, fileName)

  /** None where the names do not say. */
  private def passes(filter: Filter, path: String): Option[Boolean] = {
    def compared(column: String, to: Any)(holds: Int => Boolean): Option[Boolean] =
      for {
        value <- valueOf(column, path) if value != null
        order <- DirectoryFilter.compare(value, CatalystTypeConverters.convertToCatalyst(to))
      } yield holds(order)

    filter match {
      case EqualTo(column, to)            => compared(column, to)(_ == 0)
      case EqualNullSafe(column, to)      => compared(column, to)(_ == 0)
      case GreaterThan(column, to)        => compared(column, to)(_ > 0)
      case GreaterThanOrEqual(column, to) => compared(column, to)(_ >= 0)
      case LessThan(column, to)           => compared(column, to)(_ < 0)
      case LessThanOrEqual(column, to)    => compared(column, to)(_ <= 0)
      case In(column, all)                => any(all.toSeq.map(to => compared(column, to)(_ == 0)))
      case StringStartsWith(column, text) =>
        valueOf(column, path).filter(_ != null).map(_.toString.startsWith(text))
      case IsNull(column)    => valueOf(column, path).map(_ == null)
      case IsNotNull(column) => valueOf(column, path).map(_ != null)
      case Or(a, b)          => any(Seq(passes(a, path), passes(b, path)))
      case And(a, b)         => any(Seq(a, b).map(passes(_, path).map(!_))).map(!_)
      case Not(other)        => passes(other, path).map(!_)
      case _                 => None
    }
  }

  private def any(all: Seq[Option[Boolean]]): Option[Boolean] =
    if (all.contains(DirectoryFilter.Yes)) DirectoryFilter.Yes
    else if (all.contains(None)) None
    else DirectoryFilter.No

  // A value of another type is a matter for the task that comes to it.
  private def valueOf(column: String, path: String): Option[Any] =
    Try(columns.valueIn(path, column)).toOption.flatten
}

private object DirectoryFilter {
  val Yes: Option[Boolean] = Some(true)
  val No: Option[Boolean]  = Some(false)

  /** As Spark does: to it, zeros of both signs are one, and `NaN` is equal to itself and greater than all others. */
  def compare(a: Any, b: Any): Option[Int] = (a, b) match {
    case (a: Double, b: Double) => Some(if (a == b) 0 else java.lang.Double.compare(a, b))
    case (a: Float, b: Float)   => Some(if (a == b) 0 else java.lang.Float.compare(a, b))
    case (a: Comparable[_], b: AnyRef) if a.getClass == b.getClass =>
      Some(a.asInstanceOf[Comparable[Any]].compareTo(b))
    case _ => None
  }
}
