// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneId

import scala.util.control.NonFatal

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias, AttributeMap, AttributeReference, BindReferences, Expression, SubqueryExpression,
  TimeZoneAwareExpression, UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors

/** Assigns buckets by the value of a SQL expression, which is the path; null maps to [[BucketId.OfNull]]. */
private[stoplog] final class ExpressionBucketAssigner(expression: BucketExpression) extends BucketAssigner {

  @transient private var projection: UnsafeProjection = _
  @transient private var strings: RepeatedString      = _

  override def open(schema: StructType): Unit = {
    projection = expression.projection()
    strings = new RepeatedString
  }

  override def bucket(row: InternalRow, context: BucketContext): String = {
    val result = projection(row)
    if (result.isNullAt(0)) BucketId.OfNull else strings.of(result.getUTF8String(0))
  }

  override def toString: String = s"expression($expression)"
}

/** A SQL expression over the sink's rows, as a string. The driver checks the expression, and the tasks
  * evaluate it.
  */
private[stoplog] final class BucketExpression private (val sql: String, private val bound: Expression)
    extends Serializable {

  /** Returns a new evaluator for one task, compiled where possible. The result row has one string and is
    * reused.
    */
  private[bucket] def projection(): UnsafeProjection = BucketExpression.projection(Seq(this))

  /** Returns the expression with the given time zone in place of the session's zone. */
  private[bucket] def in(zone: ZoneId): BucketExpression =
    new BucketExpression(
      sql,
      bound.transform { case timed: TimeZoneAwareExpression => timed.withTimeZone(zone.getId) }
    )

  override def toString: String = sql
}

private[stoplog] object BucketExpression {

  /** Parses the expression with the session's parser, functions, time zone and settings, and casts the result
    * to a string.
    *
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_OPTION_COLUMN` if Spark cannot resolve the
    *   expression, or if the value depends on more than the row, such as the time of execution
    */
  def bind(session: SparkSession, sql: String, schema: StructType): BucketExpression = {
    def refused(why: String) = throw Errors.bucketExpression(sql, why)
    val query                =
      try selected(session, sql, schema).queryExecution
      catch { case NonFatal(e) => refused(firstLine(e)) }
    problem(query.analyzed).foreach(refused)
    // The optimized plan is required: only the optimizer replaces all expressions without an evaluator.
    val bound =
      try inlined(query.optimizedPlan)
      catch { case NonFatal(e) => refused(firstLine(e)) }
    new BucketExpression(sql, bound.getOrElse(refused("it needs more data than the row")))
  }

  /** Returns an evaluator for several expressions over the same rows. */
  private[bucket] def projection(expressions: Seq[BucketExpression]): UnsafeProjection =
    UnsafeProjection.create(expressions.map(_.bound))

  // Uses an empty RDD as input. If the optimizer knew that the relation is empty, it would drop the
  // expression.
  private def selected(session: SparkSession, sql: String, schema: StructType): Dataset[Row] = {
    val columns = StructType(schema.map(_.copy(nullable = true)))
    val rows    = session.createDataFrame(session.sparkContext.emptyRDD[Row], columns)
    rows.select(expr(sql).cast("string")) match {
      case classic: Dataset[Row @unchecked] => classic
      case other => throw new IllegalStateException(s"this is not a session on the driver: ${other.getClass}")
    }
  }

  private def problem(analyzed: LogicalPlan): Option[String] = analyzed match {
    case Project(Seq(one), rows) if rows.children.isEmpty =>
      if (one.exists(_.isInstanceOf[SubqueryExpression])) Some("it contains a subquery")
      else if (!one.deterministic)
        Some("it is not deterministic: the same row would get another bucket when it is retried")
      else one.find(dependsOnQuery).map(e => s"${e.sql} depends on the time, machine or user of the query")
    case _ => Some("it needs other rows: it contains an aggregate, window or generator function")
  }

  // Matches expressions such as current_date. Spark treats current_date as deterministic because the value is
  // constant within a query, but a restarted query gets another value.
  private def dependsOnQuery(e: Expression): Boolean =
    e.containsPattern(TreePattern.CURRENT_LIKE) && !e.children.exists(dependsOnQuery)

  // The optimizer may compute common subexpressions in a separate projection. The subexpressions are
  // deterministic and can therefore be inlined.
  private def inlined(plan: LogicalPlan): Option[Expression] = plan match {
    case Project(Seq(one), child) => flattened(child, one)
    case _                        => None
  }

  private def flattened(plan: LogicalPlan, expression: Expression): Option[Expression] = plan match {
    case Project(list, child) =>
      val parts = AttributeMap(list.map(named => named.toAttribute -> named))
      flattened(child, expression.transform { case a: AttributeReference => parts.getOrElse(a, a) })
    case rows if rows.children.isEmpty =>
      Some(BindReferences.bindReference(withoutAliases(expression), rows.output))
    case _ => None
  }

  private def withoutAliases(expression: Expression): Expression = expression.transformUp {
    case alias: Alias => alias.child
  }

  private def firstLine(e: Throwable): String =
    Option(e.getMessage)
      .getOrElse(e.toString)
      .linesIterator
      .map(_.trim)
      .find(_.nonEmpty)
      .getOrElse(e.toString)
}
