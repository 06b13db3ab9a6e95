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
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.Errors

/** Buckets by the value of a SQL expression, which is the bucket's path; null is [[BucketId.OfNull]].
  */
private[stoplog] final class ExpressionBucketAssigner(expression: BucketExpression) extends BucketAssigner {

  @transient private var projection: UnsafeProjection = _
  @transient private var latest: UTF8String           = _
  @transient private var latestId: String             = _

  override def open(schema: StructType): Unit = projection = expression.projection()

  // The value of one row is mostly that of the row before: it is compared as bytes, and no String is made.
  override def bucket(row: InternalRow, context: BucketContext): String = {
    val result = projection(row)
    if (result.isNullAt(0)) BucketId.OfNull
    else {
      val value = result.getUTF8String(0)
      if (latest == null || !latest.equals(value)) {
        latest = value.clone()
        latestId = value.toString
      }
      latestId
    }
  }

  override def toString: String = s"expression($expression)"
}

/** A SQL expression over the sink's rows, as a string: checked on the driver, evaluated in the tasks. */
private[stoplog] final class BucketExpression private (val sql: String, private val bound: Expression)
    extends Serializable {

  /** A new evaluator for one task, compiled where that is possible; its rows have one string, and are reused. */
  private[bucket] def projection(): UnsafeProjection = BucketExpression.projection(Seq(this))

  /** The expression with another zone than the session's for all times in it. */
  private[bucket] def in(zone: ZoneId): BucketExpression =
    new BucketExpression(
      sql,
      bound.transform { case timed: TimeZoneAwareExpression => timed.withTimeZone(zone.getId) }
    )

  override def toString: String = sql
}

private[stoplog] object BucketExpression {

  /** Reads the expression with the session's parser, functions, time zone and settings, and casts it to a
    * string.
    *
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_BUCKET_EXPRESSION` if Spark cannot resolve it, or if one row
    *   alone, at any time, does not determine its value
    */
  def bind(session: SparkSession, sql: String, schema: StructType): BucketExpression = {
    def refused(why: String) = throw Errors.bucketExpression(sql, why)
    val query                =
      try selected(session, sql, schema).queryExecution
      catch { case NonFatal(e) => refused(firstLine(e)) }
    problem(query.analyzed).foreach(refused)
    // The optimizer, because only after it is every expression one that can be evaluated.
    val bound =
      try inlined(query.optimizedPlan)
      catch { case NonFatal(e) => refused(firstLine(e)) }
    new BucketExpression(sql, bound.getOrElse(refused("it needs more than the row itself")))
  }

  /** One evaluator for several expressions over the same rows. */
  private[bucket] def projection(expressions: Seq[BucketExpression]): UnsafeProjection =
    UnsafeProjection.create(expressions.map(_.bound))

  // Over rows that the optimizer knows nothing of; were they known to be none, it would drop the expression.
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
      if (one.exists(_.isInstanceOf[SubqueryExpression])) Some("it has a subquery in it")
      else if (!one.deterministic)
        Some("it is not deterministic: the same row would get another bucket when it is retried")
      else one.find(dependsOnQuery).map(e => s"${e.sql} depends on when, where or by whom the query is run")
    case _ => Some("it needs other rows: it has an aggregate, window or generator function in it")
  }

  // Such as current_date: constant for one query, so Spark calls it deterministic, but another one after a restart.
  private def dependsOnQuery(e: Expression): Boolean =
    e.containsPattern(TreePattern.CURRENT_LIKE) && !e.children.exists(dependsOnQuery)

  // The optimizer may compute common parts in a projection of their own. Deterministic, they can be put back in place.
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
