// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.source.ReadLimits

/** A driver that dies at any of its writes, with files that come, are renamed in with old times, change and go. */
class CrashSuite extends AnyFunSuite {

  private final class Died extends RuntimeException

  private val Seeds = if (LongRun.isOn) 40 else 15

  for (cleaning <- Seq(CleanSource.Keep, CleanSource.Delete, CleanSource.Archive("_away")))
    test(s"reads every line once if the driver dies at any write: $cleaning") {
      for (seed <- 1 to Seeds) {
        val random       = new Random(seed)
        val world        = new SourceWorld(cleaning = cleaning, heldFiles = 7)
        var fed          = Vector.empty[String]
        def feed(): Unit = {
          val name  = f"f${fed.size}%04d"
          val lines = Vector.tabulate(random.nextInt(9))(n => s"$name-$n")
          world.files.put(
            s"d${random.nextInt(3)}/$name",
            lines.map(_ + "\n").mkString,
            random.nextInt(1000).toLong
          )
          fed ++= lines :+ s"$name-end"
          world.files.put(s"d${random.nextInt(3)}/${name}e", s"$name-end", random.nextInt(1000).toLong)
        }
        for (_ <- 1 to 60) {
          if (random.nextBoolean()) feed()
          var left = random.nextInt(4)
          if (random.nextInt(4) == 0) world.state.beforePut = _ => {
            left -= 1
            if (left < 0) throw new Died
          }
          try world.batch(limits(random))
          catch {
            case _: Died => world.restart()
          }
          world.state.beforePut = _ => ()
          if (random.nextInt(9) == 0) { world.restart() }
        }
        world.all(limits(random))
        assert((world.read.diff(fed), fed.diff(world.read)) === ((Vector.empty, Vector.empty)), s"seed $seed")
      }
    }

  test("a file is cleaned only after its full commit and only if unchanged") {
    val world = new SourceWorld(cleaning = CleanSource.Archive("_away"))
    world.files.put("a", "1\n2\n3\n", 1)
    world.batch(ReadLimits.none.copy(records = Some(2)))
    assert(world.files.paths === Set("a"))
    world.batch(ReadLimits.none.copy(records = Some(2)))
    assert(world.files.paths === Set("_away/a"))
    world.files.appends = true
    world.files.put("b", "1\n", 1)
    assert(world.planInVain().size === 1)
    world.files.put("b", "1\n2\n", 2)
    world.batch()
    assert(world.files.paths === Set("_away/a", "b"))
  }

  test("a source of a single file is archived under its name") {
    val world = new SourceWorld(cleaning = CleanSource.Archive("_away"))
    world.files.put("", "1\n", 1)
    assert(world.batch() === Seq("1"))
    assert(world.files.paths === Set(s"_away/${world.files.describe("")}"))
  }

  private def limits(random: Random): ReadLimits = ReadLimits(
    Option.when(random.nextBoolean())(1L + random.nextInt(3)),
    None,
    Option.when(random.nextBoolean())(1L + random.nextInt(10))
  )
}
