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
            "path", metavar="PATH", type=non_empty, help="the path of the sink, as in the query"
        )
        parser.add_argument(
            "--sink-id",
            metavar="ID",
            type=non_empty,
            default="main",
            help="the sink id (default: main)",
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
        help="continue even if a driver may be alive; a live driver is fenced, and its query fails",
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
        yield "Nothing was changed. A driver is alive, so --yes is rejected: stop the query first."
    elif hasattr(given, "dry_run"):
        yield "Nothing was changed. Add --yes to carry out the plan."


FINALIZE = tool("finalize", "Finish the open parts of a stopped query.", lambda sink, given: sink.finalize())


CLEAN = tool(
    "clean",
    "Delete unfinished files that no record needs, and print why each other file is kept.",
    lambda sink, given: sink.clean(),
)


def _of_adopt(parser: ArgumentParser) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--checkpoint", metavar="DIR", type=non_empty, help="the checkpoint of the new query")
    who.add_argument(
        "--query-id",
        metavar="ID",
        type=non_empty,
        help="the id of the new query, if its checkpoint cannot be read from here",
    )
    parser.add_argument(
        "--batch", metavar="N", type=int, help="with --query-id: the first batch of the query (default: 0)"
    )
    parser.add_argument(
        "--and-repeat",
        action="store_true",
        help="adopt even if the query will write rows of the log again; the plan prints the number of rows",
    )


def _plan_adopt(sink: SinkAdmin, given: Namespace) -> AdminPlan:
    if given.checkpoint is None:
        by_id = sink.adopt_and_repeat if given.and_repeat else sink.adopt
        return by_id(given.query_id, given.batch or 0)
    if given.batch is not None:
        raise StoplogError(
            "STOPLOG_INVALID_OPTIONS",
            "--batch has no effect with --checkpoint, which has the batch: remove it.",
        )
    return (sink.adopt_and_repeat_by if given.and_repeat else sink.adopt_by)(given.checkpoint)


ADOPT = tool("adopt", "Transfer a sink to another query.", _plan_adopt, _of_adopt)


FORK = tool(
    "fork",
    "Print a free sink id for a second query on this path.",
    lambda sink, given: sink.fork(),
    changes=False,
)


def _of_reset(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--open",
        choices=[each.value for each in OpenRows],
        default=OpenRows.FINISH.value,
        help="the handling of rows in open parts: publish or hide (default: finish)",
    )


RESET = tool(
    "reset",
    "Restart the log of a sink. Finished files stay.",
    lambda sink, given: sink.reset(OpenRows(given.open)),
    _of_reset,
)


def _of_rewind(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--epoch", metavar="N", type=int, required=True, help="the last epoch to keep; -1 for none"
    )


REWIND = tool(
    "rewind",
    "Go back to the end of an older epoch, and move newer files aside.",
    lambda sink, given: sink.rewind(given.epoch),
    _of_rewind,
)


def _of_announce(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="instead, send a test announcement without files to each target",
    )


ANNOUNCE = tool(
    "announce",
    "Deliver announcements that are still pending.",
    lambda sink, given: sink.try_announcement() if given.trial else sink.announce(),
    _of_announce,
)


RELOCATE = tool(
    "relocate",
    "Check that a moved or copied directory is complete.",
    lambda sink, given: sink.relocate(),
    changes=False,
)
