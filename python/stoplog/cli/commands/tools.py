# SPDX-License-Identifier: Apache-2.0
"""Commands of the jar. Each plans a change of a sink; `--yes` carries the plan out."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping

from stoplog._text.words import size
from stoplog.admin import AdminPlan, DriverCheck, OpenRows, SinkAdmin, administer
from stoplog.cli.command import Answer, Command, ExitCode, add_doing, add_jvm, add_limit, jvm_of, non_empty
from stoplog.cli.progress import Latest, watched
from stoplog.cli.table import limited, table
from stoplog.errors import StoplogError

Plan = Callable[[SinkAdmin, Namespace], AdminPlan]


def tool(
    name: str,
    summary: str,
    plan: Plan,
    arguments: Callable[[ArgumentParser], None] = lambda parser: None,
    *,
    changes: bool = True,
) -> Command:
    """Creates a command that runs a tool of the jar.

    Args:
        name: the name of the command on the command line.
        summary: one line for `stoplog --help`.
        plan: a function that requests the plan.
        arguments: a function that adds the command's own arguments.
        changes: true for a command whose plan can be carried out.
    """

    def every(parser: ArgumentParser) -> None:
        parser.add_argument(
            "path", metavar="PATH", type=non_empty, help="the sink's path, as the query has it"
        )
        parser.add_argument(
            "--sink-id",
            metavar="ID",
            type=non_empty,
            default="main",
            help="which sink of the path (default: main)",
        )
        arguments(parser)
        if changes:
            _changing(parser)
        add_jvm(parser)
        add_limit(parser)

    return Command(name, summary, every, lambda given: _run(given, plan))


def _changing(parser: ArgumentParser) -> None:
    add_doing(parser)
    parser.add_argument(
        "--driver-is-dead",
        action="store_true",
        help="do it even if a driver may be alive, which is then fenced: its query fails, and no row is lost",
    )


def _run(given: Namespace, ask: Plan) -> Answer:
    latest = Latest()
    sink = administer(
        given.path, given.sink_id, jvm=jvm_of(given), options=dict(given.option), watch=latest.to
    )
    with watched(given.command.name, "part", latest.poll):
        plan = ask(sink, given)
        if not getattr(given, "dry_run", True):
            driver = DriverCheck.DRIVER_IS_DEAD if given.driver_is_dead else DriverCheck.REFUSE_IF_ALIVE
            plan = plan.carry_out(driver)
    code = ExitCode.FINDINGS if plan.problems else ExitCode.OK
    return Answer({"plan": _public(plan)}, lambda: _lines(plan, given), code)


def _public(plan: AdminPlan) -> Mapping[str, object]:
    return {
        "path": plan.path,
        "sink_id": plan.sink_id,
        "driver": plan.driver,
        "driver_alive": plan.driver_alive,
        "carried_out": plan.carried_out,
        "actions": plan.actions,
    }


def _lines(plan: AdminPlan, given: Namespace) -> Iterator[str]:
    yield f"Sink {plan.sink_id} under {plan.path}: {plan.driver}."
    if not plan.actions:
        yield "There is nothing to do."
        return
    shown = plan.actions[: given.limit or None]
    yield from limited(
        table(
            ("ACTION", "WHAT", "ROWS", "BYTES", "WHY"),
            [
                (
                    each.action,
                    each.subject,
                    "" if each.rows is None else str(each.rows),
                    "" if each.size_bytes is None else size(each.size_bytes),
                    each.reason if each.to is None else f"{each.reason}; kept as {each.to}",
                )
                for each in shown
            ],
        ),
        len(plan.actions),
        given.limit,
        "actions",
    )
    if plan.carried_out:
        yield "Done."
    elif hasattr(given, "dry_run") and plan.driver_alive:
        yield "Nothing was changed. A driver is alive, so --yes alone is refused: stop the query first."
    elif hasattr(given, "dry_run"):
        yield "Nothing was changed. Add --yes to do it."


FINALIZE = tool("finalize", "Finish the open parts of a stopped query.", lambda sink, given: sink.finalize())


CLEAN = tool(
    "clean",
    "Remove unfinished files that no record needs, and name the rule that spares each other one.",
    lambda sink, given: sink.clean(),
)


def _of_adopt(parser: ArgumentParser) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument(
        "--checkpoint", metavar="DIR", type=non_empty, help="of the query that is to own the sink"
    )
    who.add_argument(
        "--query-id",
        metavar="ID",
        type=non_empty,
        help="its id, where the checkpoint cannot be read from here",
    )
    parser.add_argument(
        "--batch", metavar="N", type=int, help="with --query-id: the batch it begins with (default: 0)"
    )
    parser.add_argument(
        "--and-repeat",
        action="store_true",
        help="do it even if the query writes rows again that are in the log; the plan says how many",
    )


def _plan_adopt(sink: SinkAdmin, given: Namespace) -> AdminPlan:
    if given.checkpoint is None:
        by_id = sink.adopt_and_repeat if given.and_repeat else sink.adopt
        return by_id(given.query_id, given.batch or 0)
    if given.batch is not None:
        raise StoplogError(
            "STOPLOG_INVALID_OPTIONS", "--batch has no effect beside --checkpoint, which tells it: remove it."
        )
    return (sink.adopt_and_repeat_by if given.and_repeat else sink.adopt_by)(given.checkpoint)


ADOPT = tool("adopt", "Let another query go on with a sink.", _plan_adopt, _of_adopt)


FORK = tool(
    "fork",
    "Say under which sink id another query can write beside this one.",
    lambda sink, given: sink.fork(),
    changes=False,
)


def _of_reset(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--open",
        choices=[each.value for each in OpenRows],
        default=OpenRows.FINISH.value,
        help="what becomes of rows in open parts: made visible, or kept out of sight (default: finish)",
    )


RESET = tool(
    "reset",
    "Begin a sink's log anew: finished files stay, the next query owns it.",
    lambda sink, given: sink.reset(OpenRows(given.open)),
    _of_reset,
)


def _of_rewind(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--epoch", metavar="N", type=int, required=True, help="the last epoch to stay; -1 for none"
    )


REWIND = tool(
    "rewind",
    "Go back to the end of an older epoch, and move aside what is newer.",
    lambda sink, given: sink.rewind(given.epoch),
    _of_rewind,
)


def _of_announce(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="send one test announcement without files to each target instead",
    )


ANNOUNCE = tool(
    "announce",
    "Deliver the announcements that a stopped query has left.",
    lambda sink, given: sink.try_announcement() if given.trial else sink.announce(),
    _of_announce,
)


RELOCATE = tool(
    "relocate",
    "Look whether a directory that was moved or copied is whole.",
    lambda sink, given: sink.relocate(),
    changes=False,
)
