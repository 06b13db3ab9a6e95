// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.announce

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.{Map => JMap}
import java.util.zip.CRC32

import scala.util.control.NonFatal

import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.errors.{
  AuthorizationException, InvalidTopicException, RecordBatchTooLargeException, RecordTooLargeException
}

import stoplog.announce._
import stoplog.announce.setting.Secrets
import stoplog.error.{Causes, Redaction}
import stoplog.kafka.client.{FirstFailure, KafkaErrors, ProducerSettings, TransactionGone}
import stoplog.kafka.transaction.BrokerLimits
import stoplog.thread.Clock

/** The factory of `announce.<name>` = `kafka`. */
private[stoplog] final class KafkaTargets extends TargetFactory {
  override def kind: String = "kafka"

  override def settings: Set[String] = KafkaTargetSettings.names

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget =
    new KafkaTarget(KafkaTargetSettings.parse(settings), Secrets.ofProcess)
}

/** Sends the announcements of a call and the position of the log in one transaction. All drivers of a log use
  * one transactional id, so that the producer of a driver fences the producers of earlier drivers.
  */
private[announce] final class KafkaTarget(settings: KafkaTargetSettings, secrets: Secrets)
    extends PositionedTarget {
  private var current = Option.empty[LogProducer]

  override def check(): Unit = {
    val producer  = settings.producer(secrets)
    val positions = new PositionTopic(settings.positionTopic, producer)
    BrokerLimits.check(producer)
    if (!positions.hasTopic(settings.topic))
      throw new IllegalArgumentException(s"the topic ${settings.topic} does not exist")
    positions.ensure()
    positions.tryRead()
  }

  override def position(path: String, logName: String): Option[AnnouncementId] = {
    close()
    opened(path, logName).position
  }

  override def deliver(announcements: Vector[Announcement]): Delivery = {
    var isCommitting = false
    val (path, log)  = (announcements.head.path, announcements.head.id.log)
    try {
      val producer = current.filter(_.isOf(path, log.name)).getOrElse(opened(path, log.name))
      producer.position match {
        case Some(stored) if stored.log != log =>
          Delivery.Refused(
            s"the topic ${settings.positionTopic} has a position of the log ${stored.log}, not of $log"
          )
        case stored =>
          val later = announcements.filter(announcement => stored.forall(announcement.id.isAfter))
          if (later.nonEmpty) producer.send(settings.topic, later) { isCommitting = true }
          Delivery.Delivered
      }
    } catch {
      case NonFatal(e) =>
        // The next producer with this id aborts the open transaction.
        close()
        if (isCommitting) Delivery.Unknown(reason(e))
        else if (Causes.of(e).exists(KafkaTarget.isRefusal)) Delivery.Refused(reason(e))
        else if (Causes.of(e).exists(TransactionGone.is))
          Delivery.Retry("another driver of the log has started")
        else Delivery.Retry(reason(e))
    }
  }

  override def close(): Unit = {
    current.foreach(_.close())
    current = None
  }

  private def opened(path: String, logName: String): LogProducer = {
    close()
    val made = new LogProducer(settings, settings.producer(secrets), path, logName)
    // A producer with an unread position would repeat announcements.
    try made.start()
    catch {
      case e: Throwable =>
        made.close()
        throw e
    }
    current = Some(made)
    made
  }

  private def reason(e: Throwable): String = Redaction.text(Causes.of(e).last.toString).stripSuffix(".")
}

private object KafkaTarget {

  private def isRefusal(e: Throwable): Boolean = e match {
    case _: RecordTooLargeException | _: RecordBatchTooLargeException => true
    case _: AuthorizationException | _: InvalidTopicException         => true
    case _                                                            => false
  }
}

/** The producer of a log. */
private[announce] final class LogProducer(
    target: KafkaTargetSettings,
    settings: ProducerSettings,
    path: String,
    logName: String
) extends AutoCloseable {
  private val key       = s"${target.topic} $logName ${path.stripSuffix("/")}"
  private val positions = new PositionTopic(target.positionTopic, settings)
  private val producer: KafkaProducer[Array[Byte], Array[Byte]] =
    settings.newProducer(settings.transactional(LogProducer.transactionalId(target.idPrefix, key)))
  private var stored = Option.empty[AnnouncementId]

  /** Fences and aborts earlier producers of the log, and then reads the position. */
  def start(): Unit = {
    positions.ensure()
    producer.initTransactions()
    stored = positions.read(key)
  }

  def position: Option[AnnouncementId] = stored

  def isOf(otherPath: String, otherLog: String): Boolean = path == otherPath && logName == otherLog

  /** @param committing called before the outcome can be unknown */
  def send(topic: String, announcements: Vector[Announcement])(committing: => Unit): Unit = {
    val failure = new FirstFailure(KafkaErrors.write(settings.servers, _))
    val last    = announcements.last.id
    producer.beginTransaction()
    announcements.foreach { announcement =>
      val bucket = announcement.change.bucket.getOrElse("")
      val value  = AnnouncementJson.text(announcement).getBytes(UTF_8)
      producer.send(new ProducerRecord(topic, bucket.getBytes(UTF_8), value), failure)
    }
    producer.send(positions.record(key, last), failure)
    settings.flush(producer, Clock.system)
    failure.throwIfAny()
    committing
    producer.commitTransaction()
    stored = Some(last)
  }

  override def close(): Unit = producer.close(Duration.ZERO)
}

private object LogProducer {

  /** Returns the id of all producers of the log. Ids have a limited length. */
  private def transactionalId(prefix: String, key: String): String = {
    val sum = new CRC32
    sum.update(key.getBytes(UTF_8))
    f"$prefix-announce-${sum.getValue}%08x-${key.hashCode}%08x"
  }
}
