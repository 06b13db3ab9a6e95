// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.lang.reflect.{Field, InvocationTargetException}
import java.util.{Set => JSet}

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.KafkaProducer

import stoplog.kafka.client.{KafkaErrors, OpenTransaction}

/** A producer's knowledge of its transaction, which its public interface neither tells nor takes.
  *
  * A broker commits for any client that names the transactional id, the producer id and its epoch. The client of Kafka has no
  * way to say so (KIP-939 is in no release), so the three are read from the producer that wrote, and put into another one
  * that has written nothing. The fields are the same in clients 3.9 to 4.4; classes that have moved between them are
  * taken from the fields' types.
  */
private[kafka] final class ProducerState(producer: KafkaProducer[_, _]) {
  private val manager = ProducerState.read(producer, "transactionManager")

  /** The id that the brokers gave to this producer. */
  def producerId: Long = ofIdentity("producerId").longValue

  /** The number of times that the producer id was handed out. */
  def epoch: Short = ofIdentity("epoch").shortValue

  /** From now on this producer, which is new or has just committed, has begun the transaction and has sent something. */
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

  /** From now on this producer, which has sent all that it was given, has begun nothing, and its transactions can be
    * initialized like those of a new one. It keeps its connections.
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

  // Clients since 4.0 end a transaction by the newer protocol (KIP-890) once they have heard that the brokers know it. One
  // that hears of it between two transactions gets itself a new epoch with the commit, after which the brokers have
  // forgotten that anything was committed: who asks again, because the answer was lost, would take it for lost, too. When
  // a producer hears is chance, so one that commits for another never does, and its commit can be repeated. Clients
  // before 4.0 know one protocol, and have no such field.
  private def keepIdAfterCommit(): Unit =
    ProducerState
      .fieldIn(manager.getClass, "latestFinalizedFeaturesEpoch")
      .foreach(_.setLong(manager, Long.MaxValue))

  // The client's own thread looks at all of it under this lock.
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

  // By the client's own check of which state may follow which.
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

  /** Of those that not all clients have. */
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
