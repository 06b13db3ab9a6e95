// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Collections => JCollections, List => JList, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import io.openlineage.spark.extension.OpenLineageExtensionProvider
import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan}
import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.StructType

import stoplog.engine.Dataset

/** What OpenLineage's listener for Spark sees of sinks and sources.
  *
  * The listener reads the dataset of a table from the table's properties, but only in plans of batch queries.
  * [[OpenLineage.Visitor]] shows the listener each other sink and source as a batch query would contain the
  * sink or source. Without the listener, nothing loads these classes.
  */
private[spark] object OpenLineage {

  /** Returns the properties of a table for the listener. The listener adds the columns of the table. */
  def properties(dataset: Dataset): JMap[String, String] = JMap.of(
    "openlineage.dataset.namespace",
    dataset.namespace,
    "openlineage.dataset.name",
    dataset.name,
    "openlineage.dataset.facets.storage",
    new ObjectMapper().writeValueAsString(
      JMap.of(
        "storageLayer",
        "stoplog",
        "fileFormat",
        dataset.format,
        "_producer",
        Producer,
        "_schemaURL",
        StorageFacet
      )
    )
  )

  private final val Producer = "pkg:maven/io.github.stoplog/stoplog_2.13"

  private final val StorageFacet =
    "https://openlineage.io/spec/facets/1-0-1/StorageDatasetFacet.json#/$defs/StorageDatasetFacet"

  /** The listener finds this class as a service. */
  final class Provider extends OpenLineageExtensionProvider {
    override def shadedPackage(): String       = classOf[Visitor].getPackageName
    override def getVisitorClassName(): String = classOf[Visitor].getName
  }

  /** Called by the listener, by reflection.
    *
    * The listener makes the same calls for the inputs and for the outputs of a plan, and treats nodes in the
    * result as plans of their own: a scan is always an input, and an append is always an output.
    */
  final class Visitor {

    /** @param node the root of an analyzed or optimized plan, or another object of Spark
      */
    def isDefinedAt(node: Any): Boolean = batchNodes(node).nonEmpty

    def apply(node: Any, event: String): JMap[String, JList[_]] =
      JMap.of("datasets", JCollections.emptyList(), "delegateNodes", batchNodes(node).asJava)

    /** Called for sources of Spark's first API, which stoplog does not have. */
    def apply(node: Any, event: String, sqlContext: Any, parameters: Any): JMap[String, AnyRef] =
      JCollections.emptyMap()

    private def batchNodes(node: Any): Seq[LogicalPlan] = node match {
      // The optimized plan of a micro-batch lacks the table. The listener then visits the analyzed plan.
      case plan: LogicalPlan if plan.nodeName == "WriteToDataSourceV2" => Nil
      case plan: LogicalPlan => appends(plan) ++ plan.collectLeaves().flatMap(scans)
      case _                 => Nil
    }
  }

  /** Returns the write of a micro-batch as an append. The listener looks only at the target of the append.
    * Versions of Spark keep the target as a table, as a relation or as an optional relation.
    */
  private def appends(root: LogicalPlan): Seq[LogicalPlan] =
    if (!root.isStreaming) Nil
    else
      root.productIterator
        .collect {
          case table: SinkTable[_]                                  => relation(table)
          case target: DataSourceV2Relation if isSink(target)       => target
          case Some(target: DataSourceV2Relation) if isSink(target) => target
        }
        .take(1)
        .map(target => withDefaults(AppendData, "byName", target, target))
        .toSeq

  private def isSink(target: DataSourceV2Relation) = target.table.isInstanceOf[SinkOfQuery]

  /** Returns the scans of a source that its table does not describe. */
  private def scans(leaf: LogicalPlan): Seq[LogicalPlan] =
    leaf.productIterator.toSeq.collect { case scan: SourceScan[_] => scan }.flatMap { scan =>
      if (!leaf.isStreaming && scan.datasets.size == 1) Nil
      else
        scan.datasets.map { dataset =>
          val read = relation(new ReadTable(dataset, scan.readSchema()))
          withDefaults(DataSourceV2ScanRelation, "apply", read, new PlainScan(scan.readSchema()), read.output)
        }
    }

  private def relation(table: Table) = DataSourceV2Relation.create(table, None, None)

  /** Calls a method of a companion with default arguments for all further parameters: newer versions of Spark
    * have more parameters.
    */
  private def withDefaults(companion: AnyRef, method: String, first: AnyRef*): LogicalPlan = {
    val all  = companion.getClass.getMethods
    val call = all.find(each => each.getName == method && !each.isBridge).get
    val rest = (first.size + 1 to call.getParameterCount).map { number =>
      all.find(_.getName == s"$method$$default$$$number").get.invoke(companion)
    }
    call.invoke(companion, first ++ rest: _*).asInstanceOf[LogicalPlan]
  }

  /** A scan that is no [[SourceScan]]: the listener asks for the parts of each node that it receives. */
  private final class PlainScan(columns: StructType) extends Scan {
    override def readSchema(): StructType = columns
  }

  /** One dataset of a source. */
  private final class ReadTable(dataset: Dataset, columns: StructType) extends Table {
    override def name(): String                        = dataset.name
    override def schema(): StructType                  = columns
    override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)
    override def properties(): JMap[String, String]    = OpenLineage.properties(dataset)
  }
}
