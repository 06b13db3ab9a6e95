// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path, Paths}

import org.apache.commons.lang3.SerializationUtils
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.storage.{Machine, NewPart, PartLayout}

class TaskHostSuite extends AnyFunSuite {
  private val driver = Machine("driver", "boot-1")
  private val worker = Machine("worker", "boot-2")

  test("rejects a task under another kernel on a file system without a block device") {
    val refused = intercept[StoplogException](storeOf(worker, hasDevice = _ => false).refuseHost())
    assert(refused.getCondition === "STOPLOG_NETWORK_FILE_SYSTEM")
    assert(refused.getMessage.contains("the task on worker and its driver on driver"))
  }

  test("accepts tasks under the driver's kernel, and any task on a block device") {
    storeOf(driver, hasDevice = _ => false).refuseHost()
    storeOf(driver.copy(name = "container"), hasDevice = _ => false).refuseHost()
    storeOf(worker, hasDevice = _ => true).refuseHost()
  }

  test("computes the major number of a device like the C library") {
    assert(TaskHost.major(0x801) === 8)
    assert(TaskHost.major(0x35) === 0)
    assert(TaskHost.major(0x0000100000000000L) === 0x1000)
  }

  test("serializes the driver's machine with the storage for the tasks") {
    val machine = worker // alone: the functions are sent, too
    val own     = new TaskHost(driver, () => machine, (_: Path) => false)
    val storage = new LocalStorage("out", directory(), LocalForcing.Process, Faults.none, own)
    val task    = SerializationUtils.clone(storage).parts("main", PartLayout.Staging("main"))
    assert(intercept[StoplogException](task.refuseHost()).getCondition === "STOPLOG_NETWORK_FILE_SYSTEM")
  }

  test("accepts the driver's own tasks") {
    val store = storeAt(directory(), TaskHost.ofThisDriver)
    store.refuseHost()
    store.enter(RunId.random()).close()
  }

  test("rejects a batch task that cannot see the announcement of its driver") {
    val run        = RunId.random()
    val (one, two) = (directory(), directory())
    val announced  = storeAt(one, TaskHost.ofThisDriver).enter(run)
    try {
      storeAt(one, hostOf(worker, _ => true)).refuseUnannounced(run)
      val refused =
        intercept[StoplogException](storeAt(two, hostOf(worker, _ => true)).refuseUnannounced(run))
      assert(refused.getCondition === "STOPLOG_PATH_NOT_SHARED")
      Seq("driver (the driver)", "worker (a task)").foreach(host => assert(refused.getMessage.contains(host)))
    } finally announced.close()
    assert(!Files.exists(Paths.get(two, "_stoplog")), "the task leaves nothing on its host")
  }

  test("rejects a commit with a closed part that the driver cannot see") {
    val (one, two)   = (directory(), directory())
    val (here, away) = (storeAt(one, TaskHost.ofThisDriver), storeAt(two, TaskHost.ofThisDriver))
    val token        = closed(here)
    here.refuseLost(Seq(token))
    val refused = intercept[StoplogException](away.refuseLost(Seq(token)))
    assert(refused.getCondition === "STOPLOG_PATH_NOT_SHARED")
    assert(refused.getMessage.contains(token))
  }

  private def closed(store: LocalPartStore): String = {
    val part = store.create(NewPart("b", "part-0", RunId.random()))
    part.write(Array[Byte](1), 0, 1)
    part.finish().token
  }

  private def directory(): String = Files.createTempDirectory("stoplog-hosts").toString

  private def hostOf(machine: Machine, hasDevice: Path => Boolean) =
    new TaskHost(driver, () => machine, hasDevice)

  private def storeOf(machine: Machine, hasDevice: Path => Boolean): LocalPartStore =
    storeAt(directory(), hostOf(machine, hasDevice))

  private def storeAt(root: String, host: TaskHost): LocalPartStore =
    new LocalPartStore(root, "main", PartLayout.Staging("main"), LocalForcing.Process, Faults.none, host)
}
