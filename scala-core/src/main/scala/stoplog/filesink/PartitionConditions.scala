// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.connector.expressions.{
  Expression => SparkExpression, Literal => SparkLiteral, NamedReference
}
import org.apache.spark.sql.connector.expressions.filter.{
  AlwaysFalse, AlwaysTrue, And => SparkAnd, Not => SparkNot, Or => SparkOr, Predicate
}
import org.apache.spark.sql.types.StructType

import stoplog.engine.Condition
import stoplog.engine.Condition._
import stoplog.error.Errors

/** Spark's conditions as [[stoplog.engine.Condition]]. */
private[stoplog] object PartitionConditions extends PredicateHelper {

  /** Translates conditions which must all hold.
    *
    * @param path for messages
    *
    * Error: `STOPLOG_PARTITION_CONDITION` for an operator that is not evaluated on names of directories.
    */
  def of(path: String, predicates: Seq[Predicate]): Condition =
    predicates.map(translated(path, _)).reduceOption(And(_, _)).getOrElse(Constant(Truth.Yes))

  /** Parses a condition on these columns, with the session's parser, functions and time zone.
    *
    * Error: `STOPLOG_PARTITION_CONDITION`.
    */
  def parsed(session: SparkSession, path: String, sql: String, columns: StructType): Condition = {
    def refused(why: String) = throw Errors.partitionCondition(path, sql, why)
    val plan                 =
      try optimized(session, sql, columns)
      catch { case NonFatal(e) => refused(firstLine(e)) }
    conditionOf(plan) match {
      case None            => refused("it needs more data than the row")
      case Some(conjuncts) =>
        of(
          path,
          conjuncts.map(part => new V2ExpressionBuilder(part, true).build()).map {
            case Some(predicate: Predicate) => predicate
            case _                          => refused(NoComparison)
          }
        )
    }
  }

  /** Returns the condition for messages. */
  def sql(condition: Condition): String = condition match {
    case Constant(Truth.Yes)              => "TRUE"
    case Constant(_)                      => "FALSE"
    case Compared(column, comparison, to) => s"$column ${signs(comparison)} $to"
    case Same(column, to)                 => s"$column <=> $to"
    case In(column, among)                => s"$column IN (${among.mkString(", ")})"
    case IsNull(column)                   => s"$column IS NULL"
    case Not(of)                          => s"NOT (${sql(of)})"
    case And(left, right)                 => s"(${sql(left)} AND ${sql(right)})"
    case Or(left, right)                  => s"(${sql(left)} OR ${sql(right)})"
  }

  // Uses an empty RDD as input. The optimizer would drop the condition of a relation that it knows as empty.
  private def optimized(session: SparkSession, sql: String, columns: StructType): LogicalPlan = {
    val rows = session.createDataFrame(
      session.sparkContext.emptyRDD[Row],
      StructType(columns.map(_.copy(nullable = true)))
    )
    rows.where(sql) match {
      case classic: Dataset[_] => classic.queryExecution.optimizedPlan
      case other => throw new IllegalStateException(s"this is not a session on the driver: ${other.getClass}")
    }
  }

  /** Returns the parts of the condition that must all hold: none if the condition is always true. */
  private def conditionOf(plan: LogicalPlan): Option[Seq[Expression]] = plan match {
    case Filter(condition, rows) if rows.children.isEmpty => Some(splitConjunctivePredicates(condition))
    case LocalRelation(_, Nil, _, _)                      =>
      Some(Seq(org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral))
    case rows if rows.children.isEmpty => Some(Nil)
    case _                             => None
  }

  private def translated(path: String, predicate: Predicate): Condition = {
    def refused() = throw Errors.partitionCondition(path, predicate.describe(), NoComparison)
    predicate match {
      case _: AlwaysTrue  => Constant(Truth.Yes)
      case _: AlwaysFalse => Constant(Truth.No)
      case and: SparkAnd  => And(translated(path, and.left), translated(path, and.right))
      case or: SparkOr    => Or(translated(path, or.left), translated(path, or.right))
      case not: SparkNot  => Not(translated(path, not.child))
      case _              =>
        (predicate.name, predicate.children.toList) match {
          case ("IS_NULL", List(Column(name)))                   => IsNull(name)
          case ("IS_NOT_NULL", List(Column(name)))               => Not(IsNull(name))
          case ("IN", Column(name) :: Constants(among))          => In(name, among)
          case ("<=>", List(Column(name), Value(to)))            => Same(name, to)
          case ("<=>", List(Value(to), Column(name)))            => Same(name, to)
          case (Sign(comparison), List(Column(name), Value(to))) => Compared(name, comparison, to)
          case (Sign(comparison), List(Value(to), Column(name))) => Compared(name, comparison.reversed, to)
          case _                                                 => refused()
        }
    }
  }

  private final val NoComparison = "a part of it is not a comparison of a column and a constant"

  private object Column {
    def unapply(expression: SparkExpression): Option[String] = expression match {
      case named: NamedReference if named.fieldNames.length == 1 => Some(named.fieldNames.head)
      case _                                                     => None
    }
  }

  private object Value {
    def unapply(expression: SparkExpression): Option[Any] = expression match {
      case literal: SparkLiteral[_] => Some(literal.value)
      case _                        => None
    }
  }

  private object Constants {
    def unapply(expressions: List[SparkExpression]): Option[Vector[Any]] = {
      val values = expressions.collect { case Value(value) => value }
      Option.when(values.size == expressions.size)(values.toVector)
    }
  }

  private object Sign {
    def unapply(name: String): Option[Comparison] = signs.collectFirst { case (found, `name`) => found }
  }

  private val signs: Map[Comparison, String] = Map(
    Comparison.Equal    -> "=",
    Comparison.NotEqual -> "<>",
    Comparison.Less     -> "<",
    Comparison.AtMost   -> "<=",
    Comparison.Greater  -> ">",
    Comparison.AtLeast  -> ">="
  )

  private def firstLine(e: Throwable): String =
    String.valueOf(e.getMessage).linesIterator.nextOption().getOrElse("")
}
