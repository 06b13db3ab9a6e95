// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.lang.reflect.{Field, InvocationTargetException}
import java.util.{Set => JSet}

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.KafkaProducer

import stoplog.kafka.client.{KafkaErrors, OpenTransaction}

/** A producer's transaction state, which has no public interface for reading or writing.
  *
  * A broker accepts a commit from any client with the transactional id, the producer id and its epoch.
  * Kafka's client has no interface for such a commit (no release contains KIP-939). So the state is read from
  * the producer that wrote the records, and set in another producer that has written nothing. The fields are
  * the same in clients 3.9 to 4.4. Classes that moved between these versions are derived from the types of
  * the fields.
  */
private[kafka] final class ProducerState(producer: KafkaProducer[_, _]) {
  private val manager = ProducerState.read(producer, "transactionManager")

  /** The producer id assigned by the brokers. */
  def producerId: Long = ofIdentity("producerId").longValue

  /** The number of times that the producer id was assigned. */
  def epoch: Short = ofIdentity("epoch").shortValue

  /** Makes this producer resume the transaction as if the producer had started the transaction and sent
    * records. The producer must be new or have just committed.
    */
  def resume(transaction: OpenTransaction): Unit = changing {
    keepIdAfterCommit()
    if (stateName != "READY") transitTo("INITIALIZING")
    val identity = ProducerState.field(manager.getClass, "producerIdAndEpoch")
    identity.set(
      manager,
      identity.getType
        .getConstructor(classOf[Long], classOf[Short])
        .newInstance(Long.box(transaction.producerId), Short.box(transaction.epoch))
    )
    if (stateName != "READY") transitTo("READY")
    transitTo("IN_TRANSACTION")
    ProducerState.field(manager.getClass, "transactionStarted").setBoolean(manager, true)
  }

  /** Resets this producer to the state of a new producer, so that its transactions can be initialized again.
    * The producer must have sent all records. The connections remain open.
    */
  def forget(): Unit = changing {
    val identity = ProducerState.field(manager.getClass, "producerIdAndEpoch")
    identity.set(manager, identity.getType.getField("NONE").get(null))
    val sequences = ProducerState.read(manager, "txnPartitionMap")
    val reset     = sequences.getClass.getDeclaredMethod("reset")
    reset.setAccessible(true)
    reset.invoke(sequences)
    for (partitions <- Seq("newPartitions", "pendingPartitions", "partitions"))
      ProducerState.read(manager, s"${partitions}InTransaction").asInstanceOf[JSet[_]].clear()
    ProducerState.field(manager.getClass, "transactionStarted").setBoolean(manager, false)
    ProducerState.field(manager.getClass, "pendingTransition").set(manager, null)
    ProducerState.field(manager.getClass, "currentState").set(manager, stateNamed("UNINITIALIZED"))
  }

  // Since 4.0, clients end transactions with the newer protocol (KIP-890) after learning that the brokers
  // support the protocol. If a producer learns this between two transactions, the commit assigns a new epoch
  // to the producer. The brokers then forget that anything was committed. If the response is lost, a retry
  // would report the transaction as lost. The time at which a producer learns of the protocol is random. So a
  // producer that commits for another process never learns of the protocol, and its commit can be repeated.
  // Clients before 4.0 have a single protocol and no such field.
  private def keepIdAfterCommit(): Unit =
    ProducerState
      .fieldIn(manager.getClass, "latestFinalizedFeaturesEpoch")
      .foreach(_.setLong(manager, Long.MaxValue))

  // The client's own thread accesses the state under this lock.
  private def changing(change: => Unit): Unit = ProducerState.orUnsupported(manager.synchronized(change))

  private def ofIdentity(name: String): Number = {
    val identity = ProducerState.read(manager, "producerIdAndEpoch")
    ProducerState.read(identity, name).asInstanceOf[Number]
  }

  private def stateName: String = ProducerState.read(manager, "currentState").toString

  private def stateNamed(name: String): AnyRef = {
    val states = ProducerState.field(manager.getClass, "currentState").getType
    states.getEnumConstants
      .map(_.asInstanceOf[AnyRef])
      .find(_.toString == name)
      .getOrElse(throw new NoSuchFieldException(s"$states.$name"))
  }

  // Uses the client's own check of valid state transitions.
  private def transitTo(state: String): Unit = {
    val next       = stateNamed(state)
    val states     = ProducerState.field(manager.getClass, "currentState").getType
    val transition = manager.getClass.getDeclaredMethod("transitionTo", states)
    transition.setAccessible(true)
    transition.invoke(manager, next)
    ()
  }
}

private object ProducerState {

  private def read(owner: AnyRef, name: String): AnyRef = orUnsupported(
    field(owner.getClass, name).get(owner)
  )

  private def field(owner: Class[_], name: String): Field =
    fieldIn(owner, name).getOrElse(throw new NoSuchFieldException(s"${owner.getName}.$name"))

  /** Returns a field which not all clients have. */
  private def fieldIn(owner: Class[_], name: String): Option[Field] = {
    val found = owner.getDeclaredFields.find(_.getName == name)
    found.foreach(_.setAccessible(true))
    found
  }

  /** Error: `STOPLOG_KAFKA_CLIENT_UNSUPPORTED`. */
  private def orUnsupported[A](access: => A): A =
    try access
    catch {
      case e: InvocationTargetException => throw KafkaErrors.clientUnsupported(e.getCause)
      case NonFatal(e)                  => throw KafkaErrors.clientUnsupported(e)
    }
}
