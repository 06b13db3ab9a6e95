// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.fault.Step
import stoplog.kafka.Broker

/** The broker is killed where it hurts most, and comes back with what it has on its disk. */
class BrokerRestartSuite extends AnyFunSuite with BeforeAndAfterAll with LongRun {
  private lazy val broker = Broker.start()

  override protected def afterAll(): Unit = broker.kill()

  test("prepared transactions survive a broker restart and are committed afterwards") {
    val topic = broker.createTopic("restart-prepared", partitions = 2)
    val lives = new RestartedQuery(broker, topic)
    try {
      assert(lives.live(more = 1)(between = broker.restart()))
      assert(broker.committed(topic).sorted === lives.rows.sorted)
    } finally lives.close()
  }

  test("a query killed after its record recovers after a broker restart") {
    val topic = broker.createTopic("restart-both", partitions = 2)
    val lives = new RestartedQuery(broker, topic)
    try {
      assert(!lives.live(more = 2, RestartedQuery.dying(Step.PartPublished, 3))())
      broker.restart()
      assert(lives.live(more = 2)())
      assert(broker.committed(topic).sorted === lives.rows.sorted)
      assert(!broker.isHeldUp(topic))
    } finally lives.close()
  }
}
