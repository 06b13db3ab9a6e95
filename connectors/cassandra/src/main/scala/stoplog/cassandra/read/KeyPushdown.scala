// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.nio.ByteBuffer

import scala.util.Try

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataTypes => Cql}
import com.datastax.oss.driver.api.core.data.ByteUtils
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.schema.{TableColumn, TableInfo}
import stoplog.cassandra.types.ColumnWriter

/** The conditions of a query that Cassandra can evaluate: conditions on partitions, and on rows of a
  * partition. Spark evaluates all conditions again, including the conditions that were pushed down.
  *
  * @param pushed the conditions that Cassandra evaluates
  */
private[cassandra] final case class KeyPushdown(
    keys: PartitionKeys,
    within: ClusteringFilter,
    pushed: Vector[Predicate]
)

private[cassandra] object KeyPushdown {
  val nothing: KeyPushdown = KeyPushdown(PartitionKeys.All, ClusteringFilter.all, Vector.empty)

  /** The maximum number of partitions that are read individually; for more partitions, a scan of the whole
    * table is faster.
    */
  private[read] final val MostKeys = 10000

  /** Pushes down conditions only if they determine the whole partition key, because Cassandra looks up whole
    * partition keys.
    */
  def of(table: TableInfo, columns: ReadColumns, predicates: Seq[Predicate]): KeyPushdown = {
    val terms  = predicates.flatMap(Term.of(columns, _))
    val values = table.partitionKey.map(column => equal(terms, column))
    if (values.exists(_.isEmpty) || values.map(each => BigInt(each.get.size)).product > MostKeys) nothing
    else {
      val keys = values.map(_.get).foldLeft(Vector(Vector.empty[ByteBuffer])) { (keys, column) =>
        for {
          key   <- keys
          value <- column
        } yield key :+ value
      }
      val inside = withinTerms(table.clustering, terms)
      val used   = terms.filter(term => table.partitionKey.contains(term.column)) ++ inside
      KeyPushdown(
        PartitionKeys.Known(keys),
        ClusteringFilter(
          inside.map(term => s"${term.column.quoted} ${term.operator} ?"),
          inside.map(term => ByteUtils.getArray(term.values.head))
        ),
        used.map(_.predicate).toVector.distinct
      )
    }
  }

  /** Returns the allowed values of a column without duplicates; `None` if unrestricted. A duplicate partition
    * would be returned twice.
    */
  private def equal(terms: Seq[Term], column: TableColumn): Option[Vector[ByteBuffer]] =
    terms
      .filter(term => term.column == column && term.operator == "=")
      .map(_.values.distinct)
      .reduceOption(_ intersect _)
      // Single-column partition keys are never empty, and a query for an empty key is an error.
      .filter(_.forall(_.hasRemaining))

  /** Returns equalities of the first clustering columns, followed by the bounds of the next column. */
  private def withinTerms(clustering: Vector[TableColumn], terms: Seq[Term]): Vector[Term] =
    clustering match {
      case first +: others =>
        val own = terms.filter(term => term.column == first && term.values.size == 1)
        own.find(_.operator == "=") match {
          case Some(term) => term +: withinTerms(others, terms)
          case None       =>
            own.find(_.isLower).toVector ++ own.find(_.isUpper)
        }
      case _ => Vector.empty
    }

  /** A condition on a column. */
  private final case class Term(
      column: TableColumn,
      operator: String,
      values: Vector[ByteBuffer],
      predicate: Predicate
  ) {
    def isLower: Boolean = operator.startsWith(">")
    def isUpper: Boolean = operator.startsWith("<")
  }

  private object Term {
    def of(columns: ReadColumns, predicate: Predicate): Option[Term] = for {
      operator           <- operators.get(predicate.name)
      (column, literals) <- sides(columns, predicate.children.toSeq)
      if operator == "=" && isExact(column) || ordered(column.cql)
      values <- encoded(column, literals)
    } yield Term(column, operator, values, predicate)

    private val operators =
      Map("=" -> "=", "<=>" -> "=", "IN" -> "=", "<" -> "<", "<=" -> "<=", ">" -> ">", ">=" -> ">=")

    private def sides(
        columns: ReadColumns,
        children: Seq[Expression]
    ): Option[(TableColumn, Seq[Literal[_]])] =
      children match {
        case (reference: NamedReference) +: values if values.forall(_.isInstanceOf[Literal[_]]) =>
          val names = reference.fieldNames
          Option
            .when(names.length == 1)(names(0))
            .flatMap(columns.named)
            .map(_ -> values.collect { case literal: Literal[_] => literal })
        case _ => None
      }

    /** Returns the encoded values; `None` if a value has no equal in Cassandra. */
    private def encoded(column: TableColumn, literals: Seq[Literal[_]]): Option[Vector[ByteBuffer]] = {
      val values = literals.filter(_.value != null).toVector
      val all    = values.flatMap { literal =>
        for {
          writer <- ColumnWriter.of(literal.dataType, column.cql, ProtocolVersion.DEFAULT).toOption
          if isWhole(column, literal.value)
          bytes <- Try(writer.bytes(InternalRow(literal.value), 0)).toOption
        } yield bytes
      }
      Option.when(all.nonEmpty && all.size == values.size)(all)
    }

    // Cassandra stores milliseconds.
    private def isWhole(column: TableColumn, value: Any): Boolean = value match {
      case micros: Long if column.cql == Cql.TIMESTAMP => micros % 1000 == 0
      case _                                           => true
    }

    // Equal numbers may be different keys: 1.0 and 1.00, 0 and -0.
    private def isExact(column: TableColumn): Boolean =
      ordered(column.cql) || Seq(Cql.UUID, Cql.TIMEUUID, Cql.INET, Cql.BLOB, Cql.BOOLEAN).contains(column.cql)

    // Types with the same order in Spark and Cassandra.
    private val ordered = Set[Any](
      Cql.TINYINT,
      Cql.SMALLINT,
      Cql.INT,
      Cql.BIGINT,
      Cql.VARINT,
      Cql.TEXT,
      Cql.ASCII,
      Cql.DATE,
      Cql.TIME,
      Cql.TIMESTAMP
    )
  }
}
