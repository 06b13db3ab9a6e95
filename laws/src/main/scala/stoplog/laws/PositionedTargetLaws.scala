// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import stoplog.announce._

/** The laws of every target that stores its position, for which each announcement takes effect exactly once.
  */
abstract class PositionedTargetLaws extends AnnouncementTargetLaws {

  /** Returns an announcement that follows this announcement and that the system rejects, for example because
    * of its length; `None` if the system rejects no announcement.
    */
  protected def refused(after: Announcement): Option[Announcement]

  law("the position is the id of the last delivered announcement") { receiver =>
    withPositioned(receiver) { target =>
      assert(position(target, receiver) === None)
      deliver(target, added(receiver, 1 to 3))
      assert(position(target, receiver) === Some(added(receiver, 3 to 3).head.id))
    }
    withPositioned(receiver) { target =>
      assert(position(target, receiver) === Some(added(receiver, 3 to 3).head.id))
    }
  }

  law("announcements that are not after the position have no effect") { receiver =>
    withTarget(receiver) { target =>
      deliver(target, added(receiver, 1 to 3))
      deliver(target, added(receiver, 1 to 2))
      deliver(target, added(receiver, 2 to 4))
    }
    withTarget(receiver)(deliver(_, added(receiver, 1 to 5)))
    assert(receiver.received() === (1 to 5))
  }

  law("each log and each path has its position") { receiver =>
    val first = added(receiver, 1 to 1)
    val other = added(receiver, 2 to 2).map(inLog(_, LogId("batch-1", "other")))
    withPositioned(receiver) { target =>
      deliver(target, first)
      deliver(target, other)
      assert(position(target, receiver) === Some(first.head.id))
      assert(target.position(receiver.path, "batch-1") === Some(other.head.id))
      assert(target.position(receiver.path + "-2", "main") === None)
      assert(target.position(receiver.path, "MAIN") === None)
    }
    assert(receiver.received().sorted === (1 to 2))
  }

  law("the position of another log identity is visible, and its announcements are rejected") { receiver =>
    val again = added(receiver, 1 to 4).map(a => inLog(a, LogId(a.id.log.name, "another-identity")))
    withTarget(receiver)(deliver(_, added(receiver, 1 to 2)))
    withPositioned(receiver) { target =>
      assert(position(target, receiver).map(_.log) === Some(added(receiver, 1 to 1).head.id.log))
      target.deliver(again) match {
        case Delivery.Refused(reason, _) =>
          assert(reason.contains(added(receiver, 1 to 1).head.id.log.identity))
        case other => fail(other.toString)
      }
    }
    assert(receiver.received() === (1 to 2))
  }

  law("all announcements of a call take effect, or none") { receiver =>
    val first = added(receiver, 1 to 1)
    refused(first.head).foreach { wrong =>
      withPositioned(receiver) { target =>
        assert(target.deliver(first :+ wrong).isInstanceOf[Delivery.Refused])
        assert(receiver.received() === Nil)
        assert(position(target, receiver) === None)
        deliver(target, first)
      }
      assert(receiver.received() === Seq(1))
    }
  }

  law("two drivers in turn deliver each announcement once") { receiver =>
    withPositioned(receiver) { one =>
      withPositioned(receiver) { other =>
        assert(position(one, receiver) === position(other, receiver))
        for (n <- 1 to 5) {
          deliver(one, added(receiver, n to n + 1))
          deliver(other, added(receiver, n to n + 2))
        }
      }
    }
    assert(receiver.received() === (1 to 7))
  }

  law("two drivers at the same time deliver each announcement once") { receiver =>
    val barrier = new CyclicBarrier(2)
    val pool    = Executors.newFixedThreadPool(2)
    try {
      val drivers = Seq.fill(2)(
        pool.submit(
          (
              () =>
                withTarget(receiver) { target =>
                  barrier.await()
                  added(receiver, 1 to 12).grouped(4).foreach(deliver(target, _))
                }
          ): Callable[Unit]
        )
      )
      drivers.foreach(_.get())
    } finally pool.shutdownNow()
    assert(receiver.received() === (1 to 12))
  }

  private def withPositioned[A](receiver: ReceiverUnderTest)(work: PositionedTarget => A): A =
    withTarget(receiver) {
      case target: PositionedTarget => work(target)
      case other                    => fail(s"$other has no position")
    }

  private def position(target: PositionedTarget, receiver: ReceiverUnderTest): Option[AnnouncementId] =
    target.position(receiver.path, "main")

  private def inLog(announcement: Announcement, log: LogId): Announcement =
    announcement.copy(id = announcement.id.copy(log = log))
}
