// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.time.Duration
import java.util.{Collection => JCollection, List => JList}
import java.util.concurrent.{ConcurrentHashMap, ExecutionException}

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.kafka.clients.admin.{
  Admin, DescribeTransactionsResult, ListTransactionsOptions, TransactionState
}
import org.apache.kafka.clients.producer.KafkaProducer
import org.apache.kafka.common.{KafkaException, KafkaFuture}
import org.apache.kafka.common.errors.TransactionalIdNotFoundException

import stoplog.error.{Log, StoplogException}
import stoplog.kafka.client.{KafkaErrors, OpenTransaction, ProducerSettings, TransactionGone}
import stoplog.options.TimeSpan
import stoplog.part.RunId
import stoplog.sink.{CommitOutcome, Prepared, Staged, TwoPhaseCommitter}
import stoplog.thread.{Clock, StopSignal, Stopwatch}

/** The driver's part of the sink: commits transactions decided in the log, and aborts open transactions of
  * dead runs. Readers of committed records would otherwise wait for these transactions.
  *
  * @param ids    the ids of the sink
  * @param target for messages
  * @param runs   returns the runs named in the log
  * @param stop   ends the wait for the brokers if the query is stopped
  */
private[kafka] final class KafkaCommitter(
    transactions: Transactions,
    ids: TransactionalIds,
    target: String,
    runs: () => Set[RunId],
    timeoutMillis: Long,
    clock: Clock,
    stop: StopSignal = StopSignal.never
) extends TwoPhaseCommitter {
  private val grace = new CommitGrace(stop, clock)

  // Started after the last commit, or at the start of the run: no task of the next epoch is older.
  @volatile private var sinceCommit = new Stopwatch(clock)

  /** Queries the transactions only if the brokers may have aborted one of them because of its age. An open
    * transaction with little remaining time also fails, because the brokers may abort the transaction between
    * its record and its commit.
    *
    * An executor's clock may differ from the driver's. So the driver's own time decides whether a transaction
    * may be old, and bounds its age (P-24).
    *
    * Error: `STOPLOG_KAFKA_TRANSACTION_EXPIRED`.
    */
  override def refuseLost(tokens: Seq[String]): Unit = {
    val mostMillis                         = sinceCommit.longestMillis
    def boundedMillis(of: OpenTransaction) = ageMillis(of).min(mostMillis)
    if (mostMillis > timeoutMillis / 2) {
      val all = tokens.map(OpenTransaction.parse)
      all
        .maxByOption(boundedMillis)
        .filter(timeoutMillis - boundedMillis(_) < KafkaCommitter.marginMillis(timeoutMillis))
        .orElse(transactions.gone(all))
        .foreach { late =>
          throw KafkaErrors.transactionExpired(late, boundedMillis(late), timeoutMillis)
        }
    }
  }

  /** If the query is stopped while the brokers do not respond: `ExecutionException`, which Spark knows as the
    * effect of a stop. The end of the query tries again, and otherwise the next start.
    */
  override def commit(prepared: Prepared): CommitOutcome = {
    val open    = OpenTransaction.parse(prepared.token)
    val outcome =
      try StopSignal.interrupting(grace.begin(open))(transactions.commit(open))
      catch {
        case e: InterruptedException =>
          throw new ExecutionException(s"The query was stopped before transaction $open was committed.", e)
      }
    grace.ended(open)
    sinceCommit = new Stopwatch(clock)
    warnIfNearlyLost(open)
    outcome
  }

  /** Returns `STOPLOG_ROWS_LOST`. */
  override private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = {
    val oldest = gone.map(part => OpenTransaction.parse(part.token)).minBy(_.begunAtMillis)
    val count  = KafkaErrors.Lost(gone.size, gone.map(_.rows).sum, committed)
    Some(KafkaErrors.transactionLost(oldest, target, count, ageMillis(oldest), timeoutMillis))
  }

  /** Returns the transactions started by a run of this log in this place (I5). The run is necessary, because
    * places on different machines may have the same name. The place is necessary, because a copy of the log
    * names the same runs. The age of the transactions is irrelevant, because an abort fences the writer; so
    * `modifiedAtMillis` is 0.
    */
  override def staged(): Vector[Staged] = {
    val alike = transactions.open(ids.runOf(_).isDefined)
    val own   = if (alike.isEmpty) Set.empty[String] else runs().map(_.uid)
    alike.filter(ids.runOf(_).exists(own)).map(Staged(_, modifiedAtMillis = 0))
  }

  override def stagedOf(token: String): Set[String] = Set(OpenTransaction.idOf(token))

  override def abort(token: String): Unit = transactions.abort(OpenTransaction.idOf(token))

  override def close(): Unit = transactions.close()

  // After a crash, a restart has only the remaining time.
  private def warnIfNearlyLost(open: OpenTransaction): Unit = {
    val age = ageMillis(open)
    if (age > timeoutMillis / 2)
      Log.warn(
        s"A transaction of micro-batch ${open.batch.fold("")(_.toString)} was committed " +
          s"${TimeSpan.render(age)} after its start. transactionTimeout, which limits a commit and a " +
          s"restart together, is ${TimeSpan.render(timeoutMillis)}"
      )
  }

  private def ageMillis(open: OpenTransaction): Long = clock.millis() - open.begunAtMillis
}

private[kafka] object KafkaCommitter {

  /** Returns the minimum remaining time for the commit of a recorded transaction, or for a restart: a tenth
    * of the timeout, at most 30 s.
    */
  def marginMillis(timeoutMillis: Long): Long = (timeoutMillis / 10).min(MostMarginMillis)

  private final val MostMarginMillis = 30000L
}

/** Ends transactions started by other processes. Thread-safe. */
private[kafka] final class Transactions(settings: ProducerSettings, clock: Clock) extends AutoCloseable {
  private val startedAtMillis = clock.millis()
  private val tried           = ConcurrentHashMap.newKeySet[OpenTransaction]()
  private val idle            = new ConcurrentHashMap[String, KafkaProducer[Array[Byte], Array[Byte]]]()
  private var created         = Option.empty[Admin]

  /** Commits the transaction; idempotent. Returns `Lost` if the brokers have aborted or forgotten the
    * transaction.
    *
    * Errors: `STOPLOG_UNKNOWN_OUTCOME` if the outcome is unknown
    */
  def commit(transaction: OpenTransaction): CommitOutcome =
    if (mayBeCommitted(transaction) && isCommitted(transaction)) CommitOutcome.AlreadyCommitted
    else {
      val producer = Option(idle.remove(transaction.id)).getOrElse {
        try new KafkaProducer[Array[Byte], Array[Byte]](settings.transactional(transaction.id))
        catch {
          case e: KafkaException => throw KafkaErrors.commit(transaction.toString, settings.servers, e)
        }
      }
      try {
        new ProducerState(producer).resume(transaction)
        producer.commitTransaction()
        keep(transaction.id, producer)
        CommitOutcome.Committed
      } catch {
        case e: Throwable =>
          producer.close(Duration.ZERO)
          e match {
            // If the brokers commit a transaction but the response is lost, the brokers reject a repetition.
            case gone if TransactionGone.is(gone) && isCommitted(transaction) =>
              CommitOutcome.AlreadyCommitted
            case gone if TransactionGone.is(gone) => CommitOutcome.Lost
            case e: KafkaException => throw KafkaErrors.commit(transaction.toString, settings.servers, e)
            case other             => throw other
          }
      }
    }

  /** Returns a transaction that is no longer open because the brokers have aborted or forgotten it, if any.
    * Error: `STOPLOG_UNKNOWN_OUTCOME`.
    */
  def gone(all: Seq[OpenTransaction]): Option[OpenTransaction] =
    if (all.isEmpty) None
    else
      withAdmin("the transactions of a micro-batch") { admin =>
        val described = admin.describeTransactions(all.map(_.id).asJava)
        all.find(open => !isIn(Transactions.Open, open, described))
      }

  /** Returns the transactional ids with records that are neither committed nor aborted, as far as the brokers
    * respond.
    *
    * Error: `STOPLOG_UNKNOWN_OUTCOME` if no broker responds.
    */
  def open(isOwn: String => Boolean): Vector[String] = withAdmin("transactions") { admin =>
    val ongoing = new ListTransactionsOptions().filterStates(JList.of(TransactionState.ONGOING))
    val brokers = admin.listTransactions(ongoing).byBrokerId().get().asScala.toMap
    Transactions.listed(brokers).map(_.transactionalId).filter(isOwn).sorted
  }

  /** Aborts the open transaction of the id and fences its writer. Does nothing if no transaction is open. */
  def abort(id: String): Unit = withAdmin(id) { admin =>
    admin.fenceProducers(JList.of(id)).all().get()
    ()
  }

  override def close(): Unit = {
    synchronized(created).foreach(_.close(Duration.ZERO))
    idle.keySet.forEach(id => Option(idle.remove(id)).foreach(_.close(Duration.ZERO)))
  }

  // If a transaction was started after this object was created, and this object has not tried to commit the
  // transaction, no driver has committed it. The clocks of two machines may differ. In this case, a commit is
  // repeated, without effect.
  private def mayBeCommitted(transaction: OpenTransaction): Boolean =
    transaction.begunAtMillis <= startedAtMillis || !tried.add(transaction)

  // The next epoch uses the id again, and a kept producer already knows the coordinator. The number is
  // limited, because each producer has a thread.
  private def keep(id: String, producer: KafkaProducer[Array[Byte], Array[Byte]]): Unit = {
    tried.removeIf(_.id == id)
    if (idle.size < Transactions.KeptProducers) { idle.put(id, producer); () }
    else producer.close(Duration.ZERO)
  }

  // The brokers assign a later epoch to the next user of the id, which cannot exist before this transaction
  // is settled. A decided transaction remains decided, although the brokers may still be writing the markers
  // for readers.
  private def isCommitted(transaction: OpenTransaction): Boolean = withAdmin(transaction.toString) { admin =>
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

  private def withAdmin[A](what: String)(question: Admin => A): A =
    try question(admin())
    catch {
      case e: ExecutionException   => throw KafkaErrors.commit(what, settings.servers, e.getCause)
      case e: InterruptedException => throw e
      case NonFatal(e)             => throw KafkaErrors.commit(what, settings.servers, e)
    }

  private def admin(): Admin = synchronized {
    val made = created.getOrElse(Admin.create(settings.admin))
    created = Some(made)
    made
  }
}

private object Transactions {
  private val KeptProducers = 64

  private val Open: Set[TransactionState] = Set(TransactionState.ONGOING)

  private val Decided: Set[TransactionState] =
    Set(TransactionState.PREPARE_COMMIT, TransactionState.COMPLETE_COMMIT)

  /** Returns the listings of the brokers that respond. The next sweep, or the timeout, ends the transactions
    * of the other brokers. Throws a broker's failure if no broker responds.
    *
    * @param brokers the response of each broker, by the id of the broker
    */
  def listed[A](brokers: Map[Integer, KafkaFuture[JCollection[A]]]): Vector[A] = {
    val responses = brokers.toVector.sortBy(_._1.intValue).map { case (id, listing) =>
      id -> Try(listing.get())
    }
    val failures = responses.collect { case (id, Failure(e)) => id -> e }
    if (failures.size == responses.size) failures.headOption.foreach { case (_, e) => throw e }
    failures.foreach { case (id, e) =>
      Log.warn(s"Broker $id did not list its transactions. Readers may wait until they time out", e)
    }
    responses.collect { case (_, Success(found)) => found.asScala }.flatten
  }
}
