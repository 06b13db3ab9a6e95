// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry
import org.scalatest.funsuite.AnyFunSuite

class RunGaugesSuite extends AnyFunSuite {

  test("a gauge reads the present figure, and is removed with the run") {
    attached { registry =>
      var rows = 1L
      RunGauges.show("run-1", "sink", "stoplog[/data/out]")(() => Seq("rows" -> rows))
      rows = 2
      assert(values(registry) === Map("fencedRuns" -> 0L, "sink.data_out.rows" -> 2L))
      RunGauges.hide("run-1")
      assert(values(registry) === Map("fencedRuns" -> 0L))
    }
  }

  test("figures that appear later get a gauge") {
    attached { registry =>
      var figures = Seq("rows" -> 1L)
      (1 to 2).foreach { _ =>
        RunGauges.show("run-1", "source", "stoplog[/in]")(() => figures)
        figures = Seq("rows" -> 1L, "files" -> 5L)
      }
      assert(values(registry) === Map("fencedRuns" -> 0L, "source.in.rows" -> 1L, "source.in.files" -> 5L))
    }
  }

  test("two runs with the same name have different gauges, and each removes only its own gauges") {
    attached { registry =>
      RunGauges.show("run-1", "sink", "stoplog[/data/a-b]")(() => Seq("rows" -> 1L))
      RunGauges.show("run-2", "sink", "stoplog[/data/a_b]")(() => Seq("rows" -> 2L))
      RunGauges.hide("run-1")
      assert(values(registry) === Map("fencedRuns" -> 0L, "sink.data_a_b_2.rows" -> 2L))
    }
  }

  test("fenced runs are counted after their end") {
    attached { registry =>
      for (run <- Seq("run-1", "run-2"))
        RunGauges.show(run, "sink", s"stoplog[/$run]")(() => Seq("fencedRuns" -> 1L))
      RunGauges.hide("run-1")
      assert(values(registry) === Map("fencedRuns" -> 2L, "sink.run_2.fencedRuns" -> 1L))
    }
  }

  test("of equal names, the gauge shows the last figure, as the progress does") {
    attached { registry =>
      RunGauges.show("run-1", "sink", "stoplog[/out]")(() => Seq("openParts" -> 7L, "openParts" -> 1L))
      assert(values(registry) === Map("fencedRuns" -> 0L, "sink.out.openParts" -> 1L))
    }
  }

  test("a figure that cannot be read is 0") {
    attached { registry =>
      var fails = false
      RunGauges.show("run-1", "sink", "stoplog[/out]") { () =>
        if (fails) throw new IllegalStateException("closed") else Seq("rows" -> 1L)
      }
      fails = true
      assert(values(registry) === Map("fencedRuns" -> 0L, "sink.out.rows" -> 0L))
    }
  }

  test("calls without the plugin, and after its end, have no effect") {
    RunGauges.show("run-1", "sink", fail("no name is needed"))(() => fail("no figure is needed"))
    val ended = attached { registry =>
      RunGauges.show("run-1", "sink", "stoplog[/out]")(() => Seq("rows" -> 1L))
      registry
    }
    assert(values(ended).isEmpty)
  }

  private def attached[A](test: MetricRegistry => A): A = {
    val registry = new MetricRegistry
    RunGauges.attach(registry)
    try test(registry)
    finally RunGauges.detach()
  }

  private def values(registry: MetricRegistry): Map[String, Any] =
    registry.getGauges.asScala.map { case (name, gauge) => name -> gauge.getValue }.toMap
}
