// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

/** A condition on the values of partition columns, with the three-valued logic of SQL.
  *
  * The condition does not depend on an engine: the values of a partition know their type and their order.
  */
private[stoplog] sealed trait Condition extends Product with Serializable {
  import Condition._

  /** Returns the columns that the condition names. */
  def columns: Set[String]

  /** Returns all results that the condition may have. With the values of all columns, there is one result. If
    * a value is not known yet, the set may be too large, and is never too small.
    */
  def results(partition: Values): Set[Truth]

  /** Returns whether a partition may satisfy the condition, by its known values. */
  final def mayHold(partition: Values): Boolean = results(partition)(Truth.Yes)

  /** Returns whether the condition is true. Like in SQL, an unknown result is not true. */
  final def holds(partition: Values): Boolean = results(partition) == Set(Truth.Yes)
}

private[stoplog] object Condition {

  /** The values of one partition. */
  trait Values {

    /** Returns the value of a column; `Known(null)` for NULL. */
    def of(column: String): Value

    /** Compares two values of one type, neither of them NULL. */
    def compare(a: Any, b: Any): Int
  }

  sealed trait Value
  object Value {
    final case class Known(value: Any) extends Value

    /** The value is in the name of a directory below. */
    case object Open extends Value
  }

  sealed trait Truth
  object Truth {
    case object Yes     extends Truth
    case object No      extends Truth
    case object Unknown extends Truth

    val all: Set[Truth] = Set(Yes, No, Unknown)

    def of(holds: Boolean): Truth = if (holds) Yes else No
  }

  /** How a comparison treats the order of two values. */
  sealed abstract class Comparison(val holds: Int => Boolean) extends Product with Serializable {

    /** Returns the same comparison with exchanged sides. */
    def reversed: Comparison = this
  }
  object Comparison {
    case object Equal    extends Comparison(_ == 0)
    case object NotEqual extends Comparison(_ != 0)
    case object Less     extends Comparison(_ < 0)  { override def reversed: Comparison = Greater }
    case object AtMost   extends Comparison(_ <= 0) { override def reversed: Comparison = AtLeast }
    case object Greater  extends Comparison(_ > 0)  { override def reversed: Comparison = Less    }
    case object AtLeast  extends Comparison(_ >= 0) { override def reversed: Comparison = AtMost  }
  }

  /** `TRUE` or `FALSE`. */
  final case class Constant(truth: Truth) extends Condition {
    override def columns: Set[String]                   = Set.empty
    override def results(partition: Values): Set[Truth] = Set(truth)
  }

  /** A column compared with a value. A comparison with NULL is unknown. */
  final case class Compared(column: String, comparison: Comparison, to: Any) extends OfColumn {
    override protected def result(value: Any, values: Values): Truth =
      if (value == null || to == null) Truth.Unknown
      else Truth.of(comparison.holds(values.compare(value, to)))
  }

  /** `column <=> to`: NULL equals NULL. */
  final case class Same(column: String, to: Any) extends OfColumn {
    override protected def result(value: Any, values: Values): Truth = Truth.of(
      if (value == null || to == null) value == to else values.compare(value, to) == 0
    )
  }

  /** `column IN (among)`. */
  final case class In(column: String, among: Vector[Any]) extends OfColumn {
    override protected def result(value: Any, values: Values): Truth =
      if (value == null) Truth.Unknown
      else if (among.exists(to => to != null && values.compare(value, to) == 0)) Truth.Yes
      else if (among.contains(null)) Truth.Unknown
      else Truth.No
  }

  final case class IsNull(column: String) extends OfColumn {
    override protected def result(value: Any, values: Values): Truth = Truth.of(value == null)
  }

  final case class Not(of: Condition) extends Condition {
    override def columns: Set[String] = of.columns

    override def results(partition: Values): Set[Truth] = of.results(partition).map {
      case Truth.Yes     => Truth.No
      case Truth.No      => Truth.Yes
      case Truth.Unknown => Truth.Unknown
    }
  }

  final case class And(left: Condition, right: Condition) extends OfTwo(Truth.No, Truth.Yes)

  final case class Or(left: Condition, right: Condition) extends OfTwo(Truth.Yes, Truth.No)

  sealed abstract class OfColumn extends Condition {
    def column: String

    final override def columns: Set[String] = Set(column)

    final override def results(partition: Values): Set[Truth] = partition.of(column) match {
      case Value.Known(value) => Set(result(value, partition))
      case Value.Open         => Truth.all
    }

    protected def result(value: Any, values: Values): Truth
  }

  /** @param decisive one side with this result determines the result
    * @param neutral  both sides must have this result
    */
  sealed abstract class OfTwo(decisive: Truth, neutral: Truth) extends Condition {
    def left: Condition
    def right: Condition

    final override def columns: Set[String] = left.columns ++ right.columns

    final override def results(partition: Values): Set[Truth] = for {
      a <- left.results(partition)
      b <- right.results(partition)
    } yield if (a == decisive || b == decisive) decisive else if (a == neutral) b else Truth.Unknown
  }
}
