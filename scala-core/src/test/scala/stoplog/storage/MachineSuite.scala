// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import org.scalatest.funsuite.AnyFunSuite

class MachineSuite extends AnyFunSuite {

  test("compares machines by the boot of their kernels") {
    val host      = Machine.of(Some("node"), Some("boot-1"), "a")
    val container = Machine.of(Some("pod"), Some("boot-1"), "b")
    val twin      = Machine.of(Some("node"), Some("boot-2"), "c")
    assert(host.isSameAs(container) && !host.isSameAs(twin))
  }

  test("compares machines by name if the kernel has no boot id") {
    assert(Machine.of(Some("mac"), None, "a").isSameAs(Machine.of(Some("mac"), None, "b")))
  }

  test("two machines without a name are different") {
    assert(!Machine.of(None, None, "a").isSameAs(Machine.of(None, None, "b")))
  }

  test("the error names both hosts of an unshared path, or another place on the host") {
    val driver = Machine("node-1", "boot-1")
    val shared = HostPaths.unseenByTask("/out", "a.commit", driver, Machine("node-2", "boot-2")).getMessage
    assert(Seq("STOPLOG_PATH_NOT_SHARED", "node-1 (the driver)", "node-2 (a task)").forall(shared.contains))
    assert(
      HostPaths.unseenByTask("/out", "a.commit", driver, driver).getMessage.contains("STOPLOG_PLACE_CHANGED")
    )
  }

  test("a container with the name of its host has its own files") {
    val driver    = Machine("node-1", "boot-1", "mnt:[1]")
    val container = driver.copy(mounts = "mnt:[2]")
    assert(driver.isSameAs(container))
    val refused = HostPaths.unseenByTask("/out", "a.commit", driver, container).getMessage
    assert(refused.contains("STOPLOG_PATH_NOT_SHARED"))
  }

  test("identifies the machine of this process") {
    assert(Machine.here.isSameAs(Machine.here) && Machine.here.name.nonEmpty)
  }
}
