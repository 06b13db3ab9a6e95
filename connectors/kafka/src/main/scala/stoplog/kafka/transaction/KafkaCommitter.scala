// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.time.Duration
import java.util.{List => JList}
import java.util.concurrent.{CompletionException, ConcurrentHashMap, ExecutionException}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.kafka.clients.admin.{
  Admin, DescribeTransactionsResult, ListTransactionsOptions, TransactionState
}
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors._

import stoplog.error.{Log, StoplogException}
import stoplog.kafka.client.{KafkaErrors, OpenTransaction, ProducerSettings}
import stoplog.options.TimeSpan
import stoplog.part.RunId
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}
import stoplog.thread.Clock

/** The driver's half of the sink: commits what the log has decided, and aborts what dead runs have left open, for which
  * readers of committed records wait.
  *
  * @param target for messages
  * @param runs   those that the log names
  */
private[kafka] final class KafkaCommitter(
    transactions: Transactions,
    target: String,
    runs: () => Set[RunId],
    timeoutMillis: Long,
    clock: Clock
) extends TwoPhaseCommitter {

  /** The brokers are asked about those alone that they may have aborted for their age. One that is open yet and has hardly any
    * time left may be aborted between its record and its commit.
    *
    * Error: `STOPLOG_KAFKA_TRANSACTION_EXPIRED`.
    */
  override def refuseLost(tokens: Seq[String]): Unit = {
    val old    = tokens.map(OpenTransaction.parse).filter(ageMillis(_) > timeoutMillis / 2)
    val oldest = old.maxByOption(ageMillis)
    oldest
      .filter(leftMillis(_) < KafkaCommitter.marginMillis(timeoutMillis))
      .orElse(transactions.gone(old))
      .foreach { late =>
        throw KafkaErrors.transactionExpired(late, ageMillis(late), timeoutMillis)
      }
  }

  override def commit(prepared: Prepared): CommitOutcome = {
    val open    = OpenTransaction.parse(prepared.token)
    val outcome = transactions.commit(open)
    warnIfNearlyLost(open)
    outcome
  }

  /** `STOPLOG_KAFKA_TRANSACTION_LOST` */
  override private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = {
    val oldest = gone.map(part => OpenTransaction.parse(part.token)).minBy(_.begunAtMillis)
    val count  = KafkaErrors.Lost(gone.size, gone.map(_.rows).sum, committed)
    Some(KafkaErrors.transactionLost(oldest, target, count, ageMillis(oldest), timeoutMillis))
  }

  /** Those that a run of this log has begun (I5), whatever their ids begin with: a run may have had another prefix, and logs at
    * different places may have paths of one text. Of age 0, all of them: to abort one keeps its writer out.
    */
  override def staged(): Vector[Staged] = {
    val alike = transactions.open(TransactionalIds.runOf(_).isDefined)
    val own   = if (alike.isEmpty) Set.empty[String] else runs().map(_.uid)
    alike.filter(TransactionalIds.runOf(_).exists(own)).map(Staged(_, modifiedAtMillis = 0))
  }

  override def stagedOf(token: String): Set[String] = Set(OpenTransaction.idOf(token))

  override def abort(token: String): Unit = transactions.abort(OpenTransaction.idOf(token))

  override def close(): Unit = transactions.close()

  // After a crash, what is left of the time is all that a restart has.
  private def warnIfNearlyLost(open: OpenTransaction): Unit = {
    val age = ageMillis(open)
    if (age > timeoutMillis / 2)
      Log.warn(
        s"A transaction of micro-batch ${open.batch.fold("")(_.toString)} was committed ${TimeSpan.render(age)} after it " +
          s"was begun, of the ${TimeSpan.render(timeoutMillis)} that transactionTimeout leaves to it and to a restart"
      )
  }

  private def ageMillis(open: OpenTransaction): Long = clock.millis() - open.begunAtMillis

  private def leftMillis(open: OpenTransaction): Long = timeoutMillis - ageMillis(open)
}

private[kafka] object KafkaCommitter {

  /** The time that a record leaves to the commit of its transactions, or to a restart: a tenth of it all, half a minute at
    * most.
    */
  def marginMillis(timeoutMillis: Long): Long = (timeoutMillis / 10).min(MostMarginMillis)

  private final val MostMarginMillis = 30000L
}

/** Ends transactions that other processes have begun. Safe to be used by many threads. */
private[kafka] final class Transactions(settings: ProducerSettings, clock: Clock) extends AutoCloseable {
  private val startedAtMillis       = clock.millis()
  private val tried                 = ConcurrentHashMap.newKeySet[OpenTransaction]()
  private val idle                  = new ConcurrentHashMap[String, KafkaProducer[Array[Byte], Array[Byte]]]()
  private lazy val admin            = Admin.create(settings.admin)
  @volatile private var isAdminUsed = false

  /** Commits it, as often as it is called. `Lost` if the brokers have aborted it, or know it no more.
    *
    * Errors: `STOPLOG_KAFKA_COMMIT`, when the outcome is not known
    */
  def commit(transaction: OpenTransaction): CommitOutcome =
    if (mayBeCommitted(transaction) && isCommitted(transaction)) CommitOutcome.AlreadyCommitted
    else {
      val producer =
        Option(idle.remove(transaction.id)).getOrElse(new KafkaProducer(settings.committing(transaction.id)))
      try {
        new ProducerState(producer).resume(transaction)
        producer.commitTransaction()
        keep(transaction.id, producer)
        CommitOutcome.Committed
      } catch {
        case e: Throwable =>
          producer.close(Duration.ZERO)
          e match {
            // A commit that the brokers have carried out and could not answer is refused when it is repeated later.
            case Transactions.Gone() if isCommitted(transaction) => CommitOutcome.AlreadyCommitted
            case Transactions.Gone()                             => CommitOutcome.Lost
            case e: KafkaException => throw KafkaErrors.commit(transaction.toString, settings.servers, e)
            case other             => throw other
          }
      }
    }

  /** One of them that is not open any more: the brokers have aborted it, or know it no more. Error: `STOPLOG_KAFKA_COMMIT`. */
  def gone(all: Seq[OpenTransaction]): Option[OpenTransaction] =
    if (all.isEmpty) None
    else
      asked("the transactions of a micro-batch") { admin =>
        val described = admin.describeTransactions(all.map(_.id).asJava)
        all.find(open => !isIn(Transactions.Open, open, described))
      }

  /** The transactional ids with records that are neither committed nor aborted.
    *
    * Error: `STOPLOG_KAFKA_COMMIT`.
    */
  def open(isMine: String => Boolean): Vector[String] = asked("transactions") { admin =>
    val ongoing = new ListTransactionsOptions().filterStates(JList.of(TransactionState.ONGOING))
    admin.listTransactions(ongoing).all().get().asScala.map(_.transactionalId).filter(isMine).toVector.sorted
  }

  /** Aborts the transaction that is open under the id, and fences its writer. Nothing open is no error. */
  def abort(id: String): Unit = asked(id) { admin =>
    admin.fenceProducers(JList.of(id)).all().get()
    ()
  }

  override def close(): Unit = {
    if (isAdminUsed) admin.close(Duration.ZERO)
    idle.keySet.forEach(id => Option(idle.remove(id)).foreach(_.close(Duration.ZERO)))
  }

  // No driver has committed a transaction that was begun after this one, and which it has not tried to commit. The clocks of
  // two machines may differ: then a commit is repeated, which changes nothing.
  private def mayBeCommitted(transaction: OpenTransaction): Boolean =
    transaction.begunAtMillis <= startedAtMillis || !tried.add(transaction)

  // An id comes back in the next epoch, and its producer knows the coordinator by then. Each has a thread of its own.
  private def keep(id: String, producer: KafkaProducer[Array[Byte], Array[Byte]]): Unit = {
    tried.removeIf(_.id == id)
    if (idle.size < Transactions.KeptProducers) { idle.put(id, producer); () }
    else producer.close(Duration.ZERO)
  }

  // Brokers give a later epoch to the next user of the id, and there is none before this transaction is settled. A decided
  // one stays so: the markers for readers may be on their way.
  private def isCommitted(transaction: OpenTransaction): Boolean = asked(transaction.toString) { admin =>
    isIn(Transactions.Decided, transaction, admin.describeTransactions(JList.of(transaction.id)))
  }

  private def isIn(
      states: Set[TransactionState],
      transaction: OpenTransaction,
      described: DescribeTransactionsResult
  ): Boolean =
    try {
      val found = described.description(transaction.id).get()
      states(found.state) && found.producerId == transaction.producerId &&
      found.producerEpoch == transaction.epoch
    } catch {
      case e: ExecutionException if e.getCause.isInstanceOf[TransactionalIdNotFoundException] => false
    }

  private def asked[A](what: String)(question: Admin => A): A = {
    isAdminUsed = true
    try question(admin)
    catch {
      case e: ExecutionException   => throw KafkaErrors.commit(what, settings.servers, e.getCause)
      case e: InterruptedException => throw e
      case NonFatal(e)             => throw KafkaErrors.commit(what, settings.servers, e)
    }
  }
}

private object Transactions {
  private val KeptProducers = 64

  private val Open: Set[TransactionState] = Set(TransactionState.ONGOING)

  private val Decided: Set[TransactionState] =
    Set(TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT)

  /** The broker's ways to say that a transaction was aborted, or that the id was used since then, or is forgotten. */
  private object Gone {
    def unapply(e: Throwable): Boolean = e match {
      case _: ProducerFencedException | _: InvalidProducerEpochException | _: InvalidTxnStateException |
          _: InvalidPidMappingException | _: UnknownProducerIdException =>
        true
      case wrapped @ (_: KafkaException | _: CompletionException) =>
        wrapped.getCause != null && (wrapped.getCause ne wrapped) && unapply(wrapped.getCause)
      case _ => false
    }
  }
}
