# SPDX-License-Identifier: Apache-2.0
"""Extracts prose from sources: comments, docstrings, messages, pages, error texts and names of tests."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator

_SCALA_TOKEN = re.compile(
    r"""(?P<comment>/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)
    |(?P<string>\"{3}.*?\"{3,}|"(?:\\.|[^"\\\n])*"|'(?:\\u+[0-9a-fA-F]{4}|\\.|[^'\\\n])')""",
    re.DOTALL | re.VERBOSE,
)
_SCALADOC_CODE = re.compile(r"\{\{\{.*?\}\}\}|\[\[.*?\]\]|`[^`]*`", re.DOTALL)
_SCALADOC_TAG = re.compile(r"@(?:t?param|throws)\s+\S+|@\w+")
_COMMENT_SIGN = re.compile(r"^\s*(?:/\*\*?|\*/|\*(?!/)|//)|\*/\s*$", re.MULTILINE)
_SCALA_TEST = re.compile(
    r'\b(?:test|law)\(\s*[fs]?("(?:\\.|[^"\\\n])*"(?:\s*\+\s*[fs]?"(?:\\.|[^"\\\n])*")*)'
)
_PYTHON_CODE = re.compile(r"^\s*>>>.*?(?:\n\s*\n|\Z)|`[^`]*`", re.DOTALL | re.MULTILINE)
_PYTHON_TEST = re.compile(r"^\s*(?:async\s+)?def\s+test_(\w+)", re.MULTILINE)
_MARKDOWN_CODE = re.compile(
    r"^\s*```.*?^\s*```|<!--.*?-->|`[^`\n]*`|(?<=\])\([^)\s]*\)", re.DOTALL | re.MULTILINE
)
_MARKDOWN_BLOCKS_OF_CODE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_OUTPUT = frozenset(["console", "text"])
_MARKDOWN_BLOCK = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+|^\s*$", re.MULTILINE)
_NOT_A_SENTENCE = re.compile(r"^\s*(?:#|\||<).*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[*)\"']*\s+")
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_PARAMETER = re.compile(r"<\w+>")
_SCALA_PLUS = re.compile(r'"\s*\+\s*[sf]?"')
_SCALA_VALUE = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\w+")
_MESSAGE_WORDS = 4
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def words(prose: str) -> list[str]:
    """Returns the words in lower case.

    >>> words("Returns the driver's run, or `None`.")
    ['returns', 'the', "driver's", 'run', 'or', 'none']
    """
    return _WORD.findall(prose.lower())


def scala_comments(source: str) -> str:
    """Returns the text of all comments, without the licence line, code and the names of tags."""
    comments = (m["comment"] for m in _SCALA_TOKEN.finditer(source) if m["comment"])
    prose = "\n".join(_COMMENT_SIGN.sub(" ", c) for c in comments if "SPDX-License-Identifier" not in c)
    return _SCALADOC_TAG.sub(" ", _SCALADOC_CODE.sub(" ", prose))


def scala_code(source: str) -> str:
    """Returns the source without comments and strings.

    >>> scala_code('val asked = "told"; // mine').split()
    ['val', 'asked', '=', ';']
    """
    return _SCALA_TOKEN.sub(" ", source)


def scala_comment_lines(source: str) -> Iterator[str]:
    """Returns each line that contains a comment, from the start of the line."""
    lines = source.split("\n")
    numbers: set[int] = set()
    for match in _SCALA_TOKEN.finditer(source):
        if match["comment"]:
            first = source.count("\n", 0, match.start())
            numbers.update(range(first, first + match["comment"].count("\n") + 1))
    return (lines[number] for number in sorted(numbers))


def scala_test_names(source: str) -> str:
    """Returns the names that the source passes to `test` and `law`.

    >>> scala_test_names('test("resumes a part") {}; law(s"keeps $n rows") {}')
    'resumes a part keeps $n rows'
    """
    literals = (
        part for name in _SCALA_TEST.findall(source) for part in re.findall(r'"((?:\\.|[^"\\])*)"', name)
    )
    return " ".join(literals)


def scala_messages(source: str) -> str:
    """Returns the strings of at least four words, without the values that a string inserts.

    >>> scala_messages('fail(s"$name has no log: " + "start ${sink.id} first"); key("a.b"); "count(*) AS n"')
    'has no log: start first'
    """
    code = _SCALA_PLUS.sub("", _SCALA_VALUE.sub(" ", source))
    return _messages(m["string"].strip('"') for m in _SCALA_TOKEN.finditer(code) if m["string"])


def python_messages(source: str) -> str:
    """Returns the strings of at least four words, without docstrings and the values that a string inserts.

    >>> python_messages('fail(f"{name} has no " "log: start it"); "A docstring is no message"; key("a.b c")')
    'has no log: start it'
    """
    return _messages(_python_strings(ast.parse(source)))


def python_docstrings(source: str) -> str:
    """Returns all docstrings, including docstrings of attributes, without code and doctests."""
    return _PYTHON_CODE.sub(" ", "\n\n".join(_python_statements(ast.parse(source))))


def python_names(source: str) -> str:
    """Returns the identifiers of the source, in order, with keywords."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return " ".join(token.string for token in tokens if token.type == tokenize.NAME)


def python_test_names(source: str) -> str:
    """Returns the names of the test functions as words.

    >>> python_test_names("def test_resumes_a_part() -> None: ...")
    'resumes a part'
    """
    return " ".join(_PYTHON_TEST.findall(source)).replace("_", " ")


def markdown(page: str) -> str:
    """Returns the page without code, HTML comments and targets of links."""
    return _MARKDOWN_CODE.sub(" ", page)


def code_lines(page: str) -> Iterator[str]:
    """Returns the lines of blocks that a reader may copy. The output of a command keeps its width.

    >>> list(code_lines("```python\\na = 1\\n```\\n```console\\n$ ls\\n```\\n```\\nout\\n```"))
    ['a = 1']
    """
    for language, block in _MARKDOWN_BLOCKS_OF_CODE.findall(page):
        if language and language not in _OUTPUT:
            yield from block.splitlines()


def sentences(page: str) -> list[str]:
    """Returns the sentences of paragraphs and list items, without headings and tables.

    A semicolon does not end a sentence, and a piece of code in a sentence is one word.

    >>> sentences("# Title\\n\\n- A driver claims. A task\\n  writes `n / 2`; it ends.\\n- A run:\\n")
    ['A driver claims.', 'A task writes code; it ends.', 'A run:']
    """
    prose = _NOT_A_SENTENCE.sub("", markdown(_CODE_SPAN.sub("code", page)))
    blocks = (" ".join(block.split()) for block in _MARKDOWN_BLOCK.split(prose))
    return [sentence for block in blocks for sentence in _SENTENCE_END.split(block) if words(sentence)]


def error_messages(conditions: str) -> str:
    """Returns the messages, causes and ways out of a file of error conditions, without their parameters."""
    messages = (
        line
        for condition in json.loads(conditions).values()
        for line in (
            *condition.get("message", ()),
            *condition.get("ways", {}).values(),
            *(f"{cause}." for cause in condition.get("causes", ())),
        )
    )
    return _PARAMETER.sub(" ", "\n".join(messages))


def _python_statements(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


def _messages(strings: Iterable[str]) -> str:
    return "\n".join(
        " ".join(string.split()) for string in strings if len(_WORD.findall(string)) >= _MESSAGE_WORDS
    )


def _python_strings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
        return
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.JoinedStr):
        yield " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        children = (part for part in node.values if isinstance(part, ast.FormattedValue))
    for child in children:
        yield from _python_strings(child)
