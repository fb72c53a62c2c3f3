"""Board files: a text picture of hex rows, or a plain list of nodes with their neighbours.

A picture has one line a row and one token a node, separated by spaces: ``r``, ``b``, ``g`` (red, blue,
gray) or ``x`` (offline), followed by ``0`` or ``1`` when the node belongs to the home row of that seat;
``0`` and ``1`` alone are the servers; ``.`` is a hole. Every other row is shifted right by half a node.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bhsim.errors import BadInput, Fault
from bhsim.games.skirmish import actions, legality
from bhsim.games.skirmish import vocabulary as v
from bhsim.games.skirmish.model import Board
from bhsim.inputs.document import Document
from bhsim.inputs.explain import explained
from bhsim.inputs.models import Flag, Name

_LETTERS = {"r": "red", "b": "blue", "g": "gray", "x": "offline"}
_TOKEN = re.compile(r"^(?:([rbgx])([01]?)|([01]))$")
TOKENS = "r b g x, with 0 or 1 for a home row; 0 and 1 for servers; . for a hole"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: Name
    house_values: Flag = False


class PictureFile(_File):
    """A board drawn as text; ``shifted``: which rows stand half a node to the right, counted from 0."""

    picture: Annotated[str, Field(min_length=1)]
    shifted: Literal["odd", "even"] = "odd"


class Node(BaseModel):
    """A node of a board given as a graph; nodes are numbered from 0 in the file's order."""

    model_config = ConfigDict(extra="forbid")
    state: Literal[v.STATES]
    neighbors: list[Annotated[int, Field(strict=True, ge=0, le=actions.MAX_NODES - 1)]]
    home: Annotated[int, Field(strict=True, ge=0, le=1)] | None = None
    place: tuple[Annotated[int, Field(strict=True)], Annotated[int, Field(strict=True)]] | None = None


class GraphFile(_File):
    """A board of any shape."""

    nodes: Annotated[list[Node], Field(min_length=1, max_length=actions.MAX_NODES)]


def board_of(document: Document) -> Board:
    """The board that a file describes; ``BadInput`` lists every fault of the file and of the board (SK-2)."""
    form = GraphFile if "nodes" in document.data and "picture" not in document.data else PictureFile
    try:
        written = form.model_validate(document.data)
    except ValidationError as error:
        raise BadInput(*(document.located(f) for f in explained(error, form, document.data))) from None
    board = _from_graph(written) if isinstance(written, GraphFile) else _from_picture(written, document)
    faults = [document.located(_in_file_terms(f, form)) for f in legality.check_board(board)]
    if faults:
        raise BadInput(*faults)
    return board


def _in_file_terms(fault: Fault, form: type[_File]) -> Fault:
    """Board faults speak of nodes by number; a graph file has a field for that, a picture only the whole."""
    field = "picture"
    if form is GraphFile:
        number = re.fullmatch(r"(?:neighbors|states)\.(\d+)", fault.field or "")
        field = f"nodes.{number.group(1)}" if number else "nodes"
    return Fault(fault.message, field=field, value=fault.value, allowed=fault.allowed)


def _from_graph(file: GraphFile) -> Board:
    width = max(1, round(len(file.nodes) ** 0.5))
    return Board(
        name=file.name,
        house_values=file.house_values,
        states=[node.state for node in file.nodes],
        neighbors=[sorted(node.neighbors) for node in file.nodes],
        home=tuple([n for n, node in enumerate(file.nodes) if node.home == side] for side in (0, 1)),
        place=[node.place or divmod(n, width) for n, node in enumerate(file.nodes)],
    )


def _from_picture(file: PictureFile, document: Document) -> Board:
    states: list[str] = []
    home: tuple[list[int], list[int]] = ([], [])
    place: list[tuple[int, int]] = []
    faults = []
    rows = [row.split() for row in file.picture.strip("\n").split("\n")]
    for row, tokens in enumerate(rows):
        for column, token in enumerate(tokens):
            if token == ".":
                continue
            found = _TOKEN.match(token)
            if not found:
                message = f"row {row + 1}, token {column + 1}: unknown token"
                faults.append(Fault(message, str(document.path), _row_line(file, document, row), "picture", token, TOKENS))
                continue
            letter, mark, server = found.groups()
            if mark:
                home[int(mark)].append(len(states))
            states.append(_LETTERS[letter] if letter else f"server{server}")
            place.append((row, column))
    if faults:
        raise BadInput(*faults)
    return Board(
        name=file.name,
        house_values=file.house_values,
        states=states,
        neighbors=hex_neighbors(place, 1 if file.shifted == "odd" else 0),
        home=home,
        place=place,
    )


def _row_line(file: PictureFile, document: Document, row: int) -> int | None:
    """Line of a row of the picture; a picture in triple quotes usually starts one line below its key."""
    start = document.lines.line(("picture",))
    if start is None:
        return None
    opening = document.path.read_text(encoding="utf-8-sig").splitlines()[start - 1].rstrip()
    leading = len(file.picture) - len(file.picture.lstrip("\n"))
    return start + row + leading + (1 if opening.endswith(("'''", '"""')) else 0)


def hex_neighbors(place: list[tuple[int, int]], shifted: int) -> list[list[int]]:
    """Neighbours of each node of a hex picture.

    place: (row, column) per node. shifted: parity of the rows that stand half a node to the right.
    """
    number = {where: n for n, where in enumerate(place)}
    result = []
    for row, column in place:
        right = 1 if row % 2 == shifted else 0
        around = [(row, column - 1), (row, column + 1)]
        for other in (row - 1, row + 1):
            around += [(other, column - 1 + right), (other, column + right)]
        result.append(sorted(number[where] for where in around if where in number))
    return result
