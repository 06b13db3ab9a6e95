// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.announce

import java.lang.reflect.{InvocationHandler, Proxy}
import java.time.Duration
import java.util.{List => JList, Map => JMap, Optional, ServiceLoader, UUID}
import java.util.concurrent.ExecutionException

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.kafka.clients.admin.{Admin, NewTopic}
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerInterceptor, ProducerRecord, RecordMetadata}
import org.apache.kafka.common.config.ConfigResource
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.announce.setting.Secrets
import stoplog.kafka.Broker
import stoplog.kafka.client.{KnownTopics, ProducerSettings}
import stoplog.laws.{PositionedTargetLaws, ReceiverUnderTest}
import stoplog.thread.Clock

class KafkaTargetLaws extends PositionedTargetLaws {

  override protected def newReceiver(): ReceiverUnderTest = new KafkaReceiver

  /** Longer than a request may be. */
  override protected def refused(after: Announcement): Option[Announcement] = Some(
    after.copy(
      id = after.id.copy(number = after.id.number + 1),
      change = Change.Removed("n=2", Vector("x" * 2000000))
    )
  )
}

/** A new topic. */
private final class KafkaReceiver extends ReceiverUnderTest {
  val topic: String = s"files-${UUID.randomUUID()}"
  Broker.shared.createTopic(topic)

  override def target(): AnnouncementTarget = KafkaTargetSuite.target(topic)

  override def received(): Seq[Int] =
    Broker.shared.records(topic).map(_.key).collect { case s"n=$number" => number.toInt }
}

class KafkaKilledDriverSuite extends KilledDriverLaws {
  override protected def newReceiver(): (ReceiverUnderTest, TargetElsewhere) = {
    val receiver = new KafkaReceiver
    (receiver, KafkaElsewhere(Broker.shared.servers, receiver.topic))
  }
}

private final case class KafkaElsewhere(servers: String, topic: String) extends TargetElsewhere {
  override def target(): AnnouncementTarget =
    new KafkaTargets().create("t", Map("kafka.bootstrap.servers" -> servers, "topic" -> topic).asJava)
}

/** Changes nothing. */
final class PassingInterceptor extends ProducerInterceptor[Array[Byte], Array[Byte]] {
  override def onSend(
      record: ProducerRecord[Array[Byte], Array[Byte]]
  ): ProducerRecord[Array[Byte], Array[Byte]] = record

  override def onAcknowledgement(metadata: RecordMetadata, e: Exception): Unit = ()

  override def configure(settings: JMap[String, _]): Unit = ()

  override def close(): Unit = ()
}

class KafkaTargetSuite extends AnyFunSuite {
  import KafkaTargetSuite._

  private val broker = Broker.shared

  private def added(n: Int, bucket: String = "dt=1"): Announcement = Announcement(
    AnnouncementId(LogId("main", "7d6f"), 1, n),
    "/data/events",
    "main",
    Change.Added(bucket, Vector(AnnouncedFile(s"$bucket/$n", Some(7), 70))),
    1769853600000L
  )

  private def newTopic(): String = {
    val topic = s"files-${UUID.randomUUID()}"
    broker.createTopic(topic)
    topic
  }

  test("a record has the bucket as its key and the announcement as its value") {
    val topic = newTopic()
    val all   = Vector(added(0), added(1, ""), added(2).copy(change = Change.Gap(1, 2)))
    Using.resource(target(topic))(target => assert(target.deliver(all) === Delivery.Delivered))
    assert(broker.records(topic).map(_.key) === Vector("dt=1", "", ""))
    assert(broker.committed(topic).map(AnnouncementJson.parse) === all)
    assert(broker.committed(s"$topic-position") === Vector("main/7d6f/1/2"))
  }

  test(
    "a position after an open transaction of another log is found when the brokers abort the transaction"
  ) {
    val topic    = newTopic()
    val settings = broker.settings(timeoutMillis = Broker.ShortMillis).transactional(s"other-$topic")
    Using.resource(target(topic)) { target =>
      assert(target.position("/data/events", "main") === None)
      val open = new KafkaProducer[Array[Byte], Array[Byte]](settings)
      open.initTransactions()
      open.beginTransaction()
      open.send(new ProducerRecord(s"$topic-position", "other".getBytes, "x".getBytes)).get()
      assert(target.deliver(Vector(added(0))) === Delivery.Delivered)
      open.close(Duration.ZERO)
    }
    Using.resource(target(topic)) { target =>
      assert(target.position("/data/events", "main") === Some(added(0).id))
    }
  }

  test("a driver that another driver has replaced cannot deliver with its old position") {
    val topic = newTopic()
    Using.resource(target(topic)) { old =>
      assert(old.position("/data/events", "main") === None)
      Using.resource(target(topic))(newer => assert(newer.deliver(Vector(added(0))) === Delivery.Delivered))
      assert(old.deliver(Vector(added(0))) === Delivery.Retry("another driver of the log has started"))
      assert(old.deliver(Vector(added(0), added(1))) === Delivery.Delivered)
    }
    assert(broker.committed(topic).size === 2)
  }

  test("delivers nothing as long as the position cannot be read") {
    val topic = newTopic()
    Using.resource(
      newTarget(
        "kafka.bootstrap.servers" -> broker.servers,
        "topic"                   -> topic,
        // The consumer of the positions fails.
        "kafka.auto.offset.reset" -> "sometime"
      )
    ) {
      case unread: PositionedTarget =>
        assert(Try(unread.check()).isFailure)
        assert(Try(unread.position("/data/events", "main")).isFailure)
        assert(unread.deliver(Vector(added(0))).isInstanceOf[Delivery.Retry])
      case other => fail(other.toString)
    }
    assert(broker.committed(topic) === Nil)
  }

  test("an interceptor of the producer does not prevent reading of the position") {
    val topic                             = newTopic()
    def intercepted(): AnnouncementTarget = newTarget(
      "kafka.bootstrap.servers"   -> broker.servers,
      "topic"                     -> topic,
      "kafka.interceptor.classes" -> classOf[PassingInterceptor].getName
    )
    Using.resource(intercepted()) { target =>
      target.check()
      assert(target.deliver(Vector(added(0))) === Delivery.Delivered)
    }
    Using.resource(intercepted()) {
      case next: PositionedTarget => assert(next.position("/data/events", "main") === Some(added(0).id))
      case other                  => fail(other.toString)
    }
  }

  test("the check does not wait for an open transaction") {
    val topic    = newTopic()
    val settings = broker.settings().transactional(s"open-$topic")
    Using.resource(target(topic)) { target =>
      target.check()
      val open = new KafkaProducer[Array[Byte], Array[Byte]](settings)
      open.initTransactions()
      open.beginTransaction()
      open.send(new ProducerRecord(s"$topic-position", "other".getBytes, "x".getBytes)).get()
      target.check()
      open.abortTransaction()
      open.close(Duration.ZERO)
    }
  }

  test("the check rejects a missing topic, and a topic of positions that is not compacted") {
    val missing = s"missing-${UUID.randomUUID()}"
    assert(intercept[IllegalArgumentException](target(missing).check()).getMessage.contains("does not exist"))
    val topic   = newTopic()
    val deleted = new NewTopic(s"$topic-position", Optional.of[Integer](1), Optional.empty[java.lang.Short]())
    broker.withAdmin(_.createTopics(JList.of(deleted)).all().get())
    val message = intercept[IllegalArgumentException](target(topic).check()).getMessage
    assert(message.contains("cleanup.policy=delete, and positions need compact"))
  }

  test("the position is found if a broker does not know the new topic yet") {
    val topic    = newTopic()
    val settings = broker.settings()
    Using.resource(target(topic)) { target =>
      assert(target.deliver(Vector(added(0))) === Delivery.Delivered)
    }
    val positions = new PositionTopic(s"$topic-position", settings, late(failures = 2), noPauses())
    positions.ensure()
    val key = s"$topic main /data/events"
    assert(positions.read(key) === Some(added(0).id))
    val never = new PositionTopic(s"$topic-position", settings, late(failures = 1000), noPauses())
    assert(
      intercept[ExecutionException](never.read(key)).getCause.isInstanceOf[UnknownTopicOrPartitionException]
    )
  }

  test("the newest position is found after partitions were added to the topic of positions") {
    val begun = Clock.system.millis() - 60000
    for (newest <- 0 to 1) {
      val topic = broker.createTopic(s"positions-${UUID.randomUUID()}", partitions = 2)
      Using.resource(new KafkaProducer[Array[Byte], Array[Byte]](broker.settings().plain)) { producer =>
        for ((partition, number) <- Seq(1 - newest -> 1, newest -> 2)) {
          val (at, id) = (Long.box(begun + number), added(number).id.toString.getBytes)
          producer.send(new ProducerRecord(topic, partition, at, "log".getBytes, id)).get()
        }
      }
      assert(new PositionTopic(topic, broker.settings()).read("log") === Some(added(2).id), newest)
    }
  }

  test("brokers that do not respond receive the announcements again") {
    val target = newTarget(
      "kafka.bootstrap.servers"      -> "127.0.0.1:1",
      "topic"                        -> "t",
      "kafka.max.block.ms"           -> "200",
      "kafka.request.timeout.ms"     -> "100",
      "kafka.default.api.timeout.ms" -> "200"
    )
    assert(target.deliver(Vector(added(0))).isInstanceOf[Delivery.Retry])
    assert(intercept[Exception](target.check()).getMessage.contains("127.0.0.1:1"))
    val none =
      newTarget("kafka.bootstrap.servers" -> "x:1", "topic" -> "t", "jaasConfigFrom" -> "env:STOPLOG_NONE")
    val why = "the environment variable STOPLOG_NONE is missing or empty"
    assert(none.deliver(Vector(added(0))) match {
      case Delivery.Retry(reason, None) => reason.endsWith(why)
      case _                            => false
    })
  }

  test("all problems of the settings are reported together, without secrets") {
    val message = intercept[IllegalArgumentException](
      newTarget("kafka.acks" -> "1", "jaasConfigFrom" -> "hunter2", "transactionTimeout" -> "5")
    ).getMessage
    for (
      part <- Seq("kafka.bootstrap.servers is missing", "topic is not set", "kafka.acks",
        "does not name a secret", "transactionTimeout = '5'")
    ) assert(message.contains(part), message)
    assert(!message.contains("hunter2"))
    val same = intercept[IllegalArgumentException](
      newTarget(
        "kafka.bootstrap.servers" -> "b:1",
        "topic"                   -> "t",
        "positionTopic"           -> "t",
        "jaasConfigFrom"          -> "env:A",
        "kafka.sasl.jaas.config"  -> "x"
      )
    ).getMessage
    assert(same.contains("positionTopic is the topic of the announcements") && same.contains("are both set"))
  }

  test("the settings include those of Kafka's clients") {
    assert(Set("topic", "kafka.bootstrap.servers", "kafka.security.protocol").subsetOf(factory.settings))
  }

  /** Returns requests whose time passes only in pauses. */
  private def noPauses(): KnownTopics = {
    var now   = 0L
    val clock = new Clock {
      override def millis(): Long        = now
      override def elapsedMillis(): Long = now
    }
    new KnownTopics(timeoutMillis = 5000, clock, pause => now += pause)
  }

  /** Returns clients of a broker that learns of topics late.
    *
    * @param failures the number of first requests of each kind for which the topic is unknown
    */
  private def late(failures: Int)(settings: ProducerSettings): Admin = {
    val real                     = Admin.create(settings.admin)
    val unknownTopic             = s"unknown-${UUID.randomUUID()}"
    val asked                    = mutable.Map.empty[String, Int].withDefaultValue(0)
    val calls: InvocationHandler = (_, method, arguments) => {
      asked(method.getName) += 1
      val isKnown = asked(method.getName) > failures
      method.getName match {
        case "describeConfigs" if !isKnown =>
          real.describeConfigs(JList.of(new ConfigResource(ConfigResource.Type.TOPIC, unknownTopic)))
        case "describeTopics" if !isKnown => real.describeTopics(JList.of(unknownTopic))
        case _                            => method.invoke(real, Option(arguments).toSeq.flatten: _*)
      }
    }
    Proxy.newProxyInstance(getClass.getClassLoader, Array(classOf[Admin]), calls) match {
      case admin: Admin => admin
      case other        => fail(other.toString)
    }
  }

  private def newTarget(settings: (String, String)*): AnnouncementTarget =
    factory.create("t", settings.toMap.asJava)

  private def factory: TargetFactory =
    ServiceLoader.load(classOf[TargetFactory]).asScala.find(_.kind == "kafka").get
}

private object KafkaTargetSuite {
  def target(topic: String): KafkaTarget = new KafkaTarget(
    KafkaTargetSettings.parse(
      Map("kafka.bootstrap.servers" -> Broker.shared.servers, "topic" -> topic).asJava
    ),
    Secrets.ofProcess
  )
}
