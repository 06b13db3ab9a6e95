// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{FileNotFoundException, IOException, OutputStream}
import java.util.Arrays
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.{Random, Using}

import stoplog.storage.{FileStore, MoveOutcome, Moves, SinkDirectory, VisibleFiles}
import stoplog.storage.FileInfo.{Directory, File}
import stoplog.storage.MoveOutcome.{Moved, SourceGone, TargetTaken}
import stoplog.storage.PutOutcome.{Created, Taken}

/** The promises of [[stoplog.storage.FileStore]], on which the log, spool files, replaced files, markers, and
  * the state of a source depend.
  */
abstract class FileStoreLaws extends LawSuite {

  law("an unused directory has no files, and a deletion has no effect") { storage =>
    val store = storage.files()
    assert(others(store.names("")).isEmpty && store.names("b/c").isEmpty)
    assert(others(store.list("").map(_.name)).isEmpty && store.list("b", "x").isEmpty)
    assert(store.walk("")(_ => true).isEmpty && store.walk("b")(_ => true).isEmpty)
    assert(store.stat("b/x") === None)
    assert(!store.exists("b/x"))
    assert(store.read("b/x") === None)
    intercept[FileNotFoundException](store.open("b/x").close())
    assert(store.move("b/x", "c/x") === SourceGone)
    store.delete(Seq("b/x", "c/y"))
    store.delete(Nil)
    store.deleteTree("b")
    store.deleteEmpty("b/c")
  }

  law("a file is created once, in any directory, and never changed") { storage =>
    for (path <- Seq("_SUCCESS", "b/_SUCCESS", "a b/c=1%/ä/_SUCCESS", "_stoplog/main/manifests/1.manifest")) {
      assert(storage.files().read(path).isEmpty)
      assert(storage.files().putIfAbsent(path, utf8("first")) === Created, path)
      assert(storage.files().putIfAbsent(path, utf8("second")) === Taken, path)
      assert(storage.files().read(path).map(new String(_)) === Some("first"), path)
    }
  }

  law("a listing of visible files shows what readers see, markers, and no other hidden file") { storage =>
    val seen    = Vector("_x=1/f.txt", "a b/c=1%/ä.txt", "b/d/e.txt", "top.txt")
    val markers = Vector("_SUCCESS", "b/_SUCCESS.2")
    val hidden  =
      Seq("b/_part-1.in-progress", "b/.d.txt", "_stoplog/main/log/0", "b/_stoplog/main/log/0", ".h/x.txt")
    (seen ++ markers ++ hidden).foreach(storage.plant(_, utf8("12345")))
    storage.plant("b/d/_e.txt.valid-length", Array[Byte](0, 1, '3'))
    val visible = new VisibleFiles(storage.files())
    val listing = visible.list(VisibleFiles.Scope.Whole)
    assert(listing.files.map(_.path) === seen.sorted)
    assert(listing.files.map(_.storedBytes).distinct === Vector(5))
    assert(
      listing.files.filter(_.committedBytes != 5).map(f => f.path -> f.committedBytes) === Vector(
        "b/d/e.txt" -> 3
      )
    )
    assert(listing.markers.map(_.path) === markers)
    assert(listing.validLengths.map(_.path) === Vector("b/d/_e.txt.valid-length"))
    val some = visible.list(VisibleFiles.Scope.Directories(Vector("b", "b/d", "none", "_stoplog")))
    assert(some.files.map(_.path) === Vector("b/d/e.txt"))
    assert(some.markers.map(_.path) === Vector("b/_SUCCESS.2"))
  }

  law("a listing of chosen directories returns their files only") { storage =>
    val all = Seq("day=1/a.txt", "day=1/n/b.txt", "day=2/c.txt", "day=2/_SUCCESS", "top.txt", "_h/x.txt")
    all.foreach(storage.plant(_, utf8("12345")))
    def list(some: VisibleFiles.Scope) = new VisibleFiles(storage.files()).list(some).replaceable.map(_.path)
    assert(list(VisibleFiles.Scope.Exactly(Vector("day=1", "none"))) === Vector("day=1/a.txt"))
    assert(list(VisibleFiles.Scope.Selected(_ == "day=2")) === Vector("day=2/_SUCCESS", "day=2/c.txt"))
  }

  law("a file may be empty") { storage =>
    assert(storage.files().putIfAbsent("b/_SUCCESS", utf8("")) === Created)
    assert(storage.files().putIfAbsent("b/_SUCCESS", utf8("")) === Taken)
    assert(storage.files().read("b/_SUCCESS").map(_.length) === Some(0))
    storage.files().create("b/empty")(_ => ())
    assert(storage.files().stat("b/empty").map(_.kind) === Some(File(0)))
  }

  law("exactly one of many concurrent callers creates a file, with its own bytes") { storage =>
    for (round <- 0 to 30) {
      val outcomes = together(8) { thread =>
        thread -> storage.files().putIfAbsent(s"b/_SUCCESS.$round", utf8(s"by $thread"))
      }
      val winners = outcomes.collect { case (thread, Created) => thread }
      assert(winners.size === 1, s"file $round")
      val content = storage.files().read(s"b/_SUCCESS.$round").map(new String(_))
      assert(content === Some(s"by ${winners.head}"))
    }
    assert(storage.files().names("b").toSet === (0 to 30).map(round => s"_SUCCESS.$round").toSet)
  }

  law("of two processes exactly one creates each file, and both together move each once") { storage =>
    val (created, moved) = (200, 50)
    FileStoreLaws.toMove(moved).foreach { case (from, _) => storage.plant(from, utf8(from)) }
    val there = Elsewhere.start(RaceElsewhere(storage, created, moved))
    val here  = FileStoreLaws.race(storage.files(), created, moved, "here")
    try {
      val sums =
        there.answer.split(' ').map(_.toInt).zip(here.split(' ').map(_.toInt)).map { case (a, b) => a + b }
      assert(sums(0) === created)
      assert(sums(1) >= moved)
      if (storage.files().capabilities.moves == Moves.Atomically) assert(sums(1) === moved)
    } finally there.kill()
    for ((from, to) <- FileStoreLaws.toMove(moved)) assert(text(storage, to) === from)
    assert(storage.files().names("from").isEmpty)
  }

  law("a file that is being created is visible completely or not at all") { storage =>
    val large = new Array[Byte](1 << 20)
    new Random(1).nextBytes(large)
    val done = new AtomicBoolean(false)
    together(4) {
      case 0 =>
        try (0 until 20).foreach(n => storage.files().putIfAbsent(s"b/$n", large))
        finally done.set(true)
      case _ =>
        val store = storage.files()
        while (!done.get())
          store.names("b").foreach(name => assert(store.read(s"b/$name").exists(Arrays.equals(_, large))))
    }
  }

  law("each process reads a created file: empty, short, and ten mebibytes") { storage =>
    for (size <- Seq(0, 1, 4097, 10 << 20)) {
      val content = new Array[Byte](size)
      new Random(size).nextBytes(content)
      storage.files().create(s"b/$size")(_.write(content))
      val copy = Copied(storage.files())
      assert(Arrays.equals(Using.resource(copy.open(s"b/$size"))(_.readAllBytes()), content), size)
      assert(copy.read(s"b/$size").exists(Arrays.equals(_, content)), size)
      assert(Arrays.equals(storage.bytes(s"b/$size"), content), size)
      assert(copy.stat(s"b/$size").map(_.kind) === Some(File(size.toLong)))
    }
  }

  law("a failure during the creation of a file fails the call, and the remains can be deleted") { storage =>
    val store = storage.files()
    store.create("b/kept")(_.write(utf8("kept")))
    def half(out: OutputStream): Unit = {
      out.write(utf8("half"))
      throw new IOException("no more")
    }
    intercept[Exception](store.create("b/half")(half))
    intercept[Exception](store.createIfAbsent("b/half-too")(half))
    assert(store.read("b/half-too") === None)
    store.delete(Seq("b/half"))
    assert(store.names("b") === Vector("kept"))
    assert(store.read("b/kept").map(new String(_)) === Some("kept"))
  }

  law("a process that is killed while it creates a file leaves only files that can be deleted") { storage =>
    val store = storage.files()
    store.create("_stoplog/main/beside/kept")(_.write(utf8("kept")))
    val killed = Elsewhere.start(new HalfElsewhere(storage, "_stoplog/main/beside/half"))
    try assert(killed.answer === "half")
    finally killed.kill()
    store.delete(store.list("_stoplog/main/beside").map(_.path).filterNot(_.endsWith("/kept")))
    assert(store.names("_stoplog/main/beside") === Vector("kept"))
    assert(store.read("_stoplog/main/beside/kept").map(new String(_)) === Some("kept"))
  }

  law("the files of one directory are listed by the beginning of their names, with their times") { storage =>
    val store = storage.files()
    assert(store.list("b", "_SUCCESS").isEmpty)
    put(store, "_SUCCESS", "b/_SUCCESS", "b/_SUCCESS.2", "b/c/_SUCCESS", "b/other")
    assert(store.list("b", "_SUCCESS").map(_.path).toSet === Set("b/_SUCCESS", "b/_SUCCESS.2"))
    assert(store.list("", "_SUCCESS").map(_.name) === Vector("_SUCCESS"))
    assert(store.listOnly("b")(_.endsWith(".2")).map(_.path) === Vector("b/_SUCCESS.2"))
    val latest = System.currentTimeMillis() + 60000
    assert(store.list("b", "_SUCCESS").forall(_.modifiedMillis.exists(at => at > 0 && at <= latest)))
    assert(store.list("b", "_SUCCESS").forall(_.kind == File(1)))
  }

  law("a listing and the names include directories, without their entries") { storage =>
    put(storage.files(), "b/one", "b/c/two", "b/d/e/three", "bc/four")
    val listed = storage.files().list("b").map(entry => entry.path -> entry.kind).toMap
    assert(listed === Map("b/one" -> File(1), "b/c" -> Directory, "b/d" -> Directory))
    assert(storage.files().names("b").toSet === Set("one", "c", "d"))
    assert(others(storage.files().names("")).toSet === Set("b", "bc"))
  }

  law("a walk finds files at any depth, and enters the chosen directories") { storage =>
    val store = storage.files()
    put(store, "top", "b/one", "b/c/two", "b/d/e/three", "b/d/e f/ü=1", "bc/four")
    assert(
      store.walk("b")(_ => true).map(_.path).toSet ===
        Set("b/one", "b/c/two", "b/d/e/three", "b/d/e f/ü=1")
    )
    assert(store.walk("")(_ => true).size === 6)
    assert(store.walk("b")(_ => true).forall(_.kind == File(1)))
    assert(store.walk("b")(directory => directory != "b/d").map(_.path).toSet === Set("b/one", "b/c/two"))
    assert(
      store.walk("b")(directory => directory != "b/d/e").map(_.path).toSet ===
        Set("b/one", "b/c/two", "b/d/e f/ü=1")
    )
  }

  law("returns the length of a file, or its absence; a directory is no file") { storage =>
    storage.plant("b/part-1.txt", utf8("rows"))
    val store = storage.files()
    assert(store.stat("b/part-1.txt").map(_.kind) === Some(File(4)))
    assert(store.exists("b/part-1.txt"))
    assert(store.stat("b/part-2.txt") === None)
    assert(store.stat("c/part-1.txt") === None)
    assert(!store.exists("b") && !store.exists("b/part-2.txt"))
    assert(store.stat("b").forall(_.isDirectory))
    if (store.capabilities.directories) assert(store.stat("b").isDefined)
  }

  law("a mark is made once, and is an empty file") { storage =>
    put(storage.files(), "b/record")
    assert(storage.files().mark("b/record.published") === Created)
    assert(storage.files().mark("b/record.published") === Taken)
    assert(storage.files().exists("b/record.published"))
    assert(storage.files().stat("b/record.published").map(_.bytes) === Some(0L))
  }

  law("exactly one of many concurrent callers sets a mark") { storage =>
    put(storage.files(), "b/record")
    for (round <- 1 to 30) {
      val outcomes = together(8)(_ => storage.files().mark(s"b/$round.published"))
      assert(outcomes.count(_ == Created) === 1, s"mark $round")
    }
  }

  law("a file is moved into any directory, once") { storage =>
    val store = storage.files()
    storage.plant("b/one", utf8("one"))
    assert(store.move("b/one", "c/d e/ö=1") === Moved)
    assert(storage.visible() === Set("c/d e/ö=1"))
    assert(text(storage, "c/d e/ö=1") === "one")
    assert(store.move("b/one", "c/d e/ö=1") === SourceGone)
    assert(Copied(store).move("c/d e/ö=1", "b/one") === Moved)
    assert(text(storage, "b/one") === "one")
  }

  law("a file is never moved over another one (I6)") { storage =>
    for (other <- Seq("another", "oen", "")) {
      storage.plant("b/one", utf8("one"))
      storage.plant("b/two", utf8(other))
      assert(storage.files().move("b/one", "b/two") === TargetTaken, other)
      assert(text(storage, "b/one") === "one")
      assert(text(storage, "b/two") === other)
    }
  }

  law("an interrupted move is completed by the next move") { storage =>
    storage.plant("b/one", utf8("one"))
    storage.plant("b/two", utf8("one"))
    val outcome = storage.files().move("b/one", "b/two")
    if (storage.files().capabilities.moves != Moves.Atomically) {
      assert(outcome === Moved)
      assert(storage.visible() === Set("b/two"))
    }
    assert(text(storage, "b/two") === "one")
  }

  law("concurrent moves of one file move the file once") { storage =>
    val names = (1 to 8).map(n => s"part-$n.txt")
    names.foreach(name => storage.plant(s"b/$name", utf8(name)))
    val outcomes = together(4)(_ => names.map(name => storage.files().move(s"b/$name", s"c/d/$name")))
    assert(outcomes.flatten.toSet.subsetOf(Set[MoveOutcome](Moved, SourceGone)))
    val movers = names.indices.map(number => outcomes.count(_(number) == Moved))
    assert(movers.forall(_ > 0))
    if (storage.files().capabilities.moves == Moves.Atomically) assert(movers.forall(_ == 1))
    assert(storage.visible() === names.map(name => s"c/d/$name").toSet)
    for (name <- names) assert(text(storage, s"c/d/$name") === name)
  }

  law("a file keeps its bytes under a second path, independent of the first") { storage =>
    storage.plant("b/one", utf8("one"))
    (1 to 2).foreach(_ => storage.files().duplicate("b/one", "c/d e/two"))
    assert(storage.visible() === Set("b/one", "c/d e/two"))
    storage.files().delete(Seq("b/one"))
    assert(text(storage, "c/d e/two") === "one")
  }

  law("removing files that exist, and files that do not") { storage =>
    val store = storage.files()
    put(store, "b/_SUCCESS", "b/other")
    store.delete(Seq("b/_SUCCESS", "b/_SUCCESS.2"))
    store.delete(Seq("b/_SUCCESS"))
    assert(store.read("b/_SUCCESS").isEmpty)
    assert(store.names("b") === Vector("other"))
    assert(store.putIfAbsent("b/_SUCCESS", utf8("y")) === Created)
  }

  law("a directory is deleted with its entries, and its neighbours stay") { storage =>
    val store = storage.files()
    put(store, "a/b/one", "a/b/c/two", "a/b/c/d/three", "a/bc/four", "a/five")
    (1 to 2).foreach(_ => store.deleteTree("a/b"))
    assert(store.walk("")(_ => true).map(_.path).toSet === Set("a/bc/four", "a/five"))
    assert(store.stat("a/b") === None)
  }

  law("only empty directories are deleted, and never files") { storage =>
    val store = storage.files()
    put(store, "a/one", "a/b/c/two")
    store.deleteEmpty("a/b/c")
    assert(store.read("a/b/c/two").isDefined)
    store.delete(Seq("a/b/c/two"))
    store.deleteEmpty("a/b/c")
    if (store.capabilities.moves != Moves.Checked)
      assert(Seq("a/b/c", "a/b").flatMap(store.stat(_)) === Nil)
    assert(store.walk("")(_ => true).map(_.path) === Vector("a/one"))
    store.delete(Seq("a/one"))
    store.deleteEmpty("a")
    store.deleteEmpty("")
    assert(store.walk("")(_ => true).map(_.path) === Vector.empty)
    put(store, "still-there")
  }

  law("a created file is closed, or the store reports that the state is unknown") { storage =>
    put(storage.files(), "b/one")
    assert(storage.files().isClosed("b/one").forall(identity))
  }

  law("markers and manifests are no data to a reader") { storage =>
    put(storage.files(), "b/_SUCCESS", "_stoplog/main/manifests/1.manifest")
    assert(storage.visible().isEmpty)
  }

  law("messages name the path") { storage =>
    assert(storage.files().describe("b/part-1.txt").endsWith("b/part-1.txt"))
  }

  law("a path that leads outside the directory is rejected by name, and no file is changed") { storage =>
    val store = storage.files()
    storage.plant("b/part-1.txt", utf8("rows"))
    for (path <- PathLaws.elsewhere) {
      def refused(action: => Any): Unit = {
        assert(condition(action) === "STOPLOG_PATH_ELSEWHERE", path)
        ()
      }
      refused(store.list(path, "_SUCCESS"))
      refused(store.names(path))
      refused(store.walk(path)(_ => true))
      refused(store.stat(path))
      refused(store.exists(path))
      refused(store.open(path))
      refused(store.read(path))
      refused(store.create(path)(_.write(1)))
      refused(store.putIfAbsent(path, utf8("x")))
      refused(store.mark(path))
      refused(store.move(path, "b/moved"))
      refused(store.move("b/part-1.txt", path))
      refused(store.duplicate(path, "_stoplog/main/aside/a"))
      refused(store.duplicate("b/part-1.txt", path))
      refused(store.delete(Seq(path)))
      refused(store.deleteTree(path))
    }
    assert(storage.visible() === Set("b/part-1.txt"))
  }

  /** Removes the sink's own directory, which contains drafts of files. */
  private def others(names: Vector[String]): Vector[String] = names.filterNot(_ == SinkDirectory.Root)

  private def put(store: FileStore, paths: String*): Unit =
    paths.foreach(path => assert(store.putIfAbsent(path, utf8("x")) === Created, path))
}

private object FileStoreLaws {

  /** The sources and targets of moves. */
  def toMove(count: Int): Seq[(String, String)] = (0 until count).map(n => s"from/$n" -> s"to/$n")

  /** Returns the number of files that this call has created, and the number of files that this call has
    * moved.
    */
  def race(store: FileStore, create: Int, move: Int, by: String): String = {
    val created = (0 until create).count(n => store.putIfAbsent(s"b/$n", by.getBytes) == Created)
    val moved   = toMove(move).count { case (from, to) => store.move(from, to) == Moved }
    s"$created $moved"
  }
}

private final case class RaceElsewhere(storage: StorageUnderTest, create: Int, move: Int)
    extends Elsewhere.Task {
  override def run(): String = FileStoreLaws.race(storage.files(), create, move, "there")
}
