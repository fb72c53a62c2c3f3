"""Boards: pictures, graphs and what a board needs."""

from pathlib import Path

import pytest

from bhsim.errors import BadInput
from bhsim.games.skirmish import files, legality
from bhsim.games.skirmish.boards import hex_neighbors

FROZEN = Path(__file__).parent / "data" / "frozen"
SHIPPED = Path(files.__file__).parents[2] / "data" / "boards"


def board_faults(tmp_path, text):
    path = tmp_path / "b.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        files.read_board(path)
    return caught.value.faults


def picture(rows, **more):
    extra = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    return f"name = \"B\"\n{extra}picture = '''\n{rows}\n'''\n"


def test_the_house_board_is_as_described():
    board = files.read_board(FROZEN / "boards/house.toml")
    count = len(board.states)
    assert count == 59
    assert [len([p for p in board.place if p[0] == row]) for row in range(9)] == [7, 6, 7, 6, 7, 6, 7, 6, 7]
    assert [len(row) for row in board.home] == [6, 6]
    assert (board.servers(0), board.servers(1)) == ([3], [55])
    turned = {"server0": "server1", "server1": "server0"}
    for node, state in enumerate(board.states):
        assert board.states[count - 1 - node] == turned.get(state, state)
        assert sorted(count - 1 - n for n in board.neighbors[node]) == board.neighbors[count - 1 - node]
    share = [board.states.count(colour) for colour in ("red", "blue", "gray")]
    assert max(share) - min(share) <= 2
    assert board.states.count("offline") == 2
    assert all(2 <= size <= 5 for size in subnet_sizes(board))


def subnet_sizes(board):
    left = {n for n, s in enumerate(board.states) if s in ("red", "blue", "gray")}
    while left:
        stack = [left.pop()]
        size = 1
        while stack:
            node = stack.pop()
            for other in board.neighbors[node]:
                if other in left and board.states[other] == board.states[node]:
                    left.remove(other)
                    stack.append(other)
                    size += 1
        yield size


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda p: p.name)
def test_shipped_boards_read(path):
    assert legality.check_board(files.read_board(path)) == []


def test_hex_neighbours_of_shifted_rows():
    #  0   1   2
    #    3   4   5
    #  6   7   8
    place = [(r, c) for r in range(3) for c in range(3)]
    odd = hex_neighbors(place, 1)
    assert odd[4] == [1, 2, 3, 5, 7, 8]
    assert odd[1] == [0, 2, 3, 4]
    assert odd[0] == [1, 3]
    even = hex_neighbors(place, 0)
    assert even[4] == [0, 1, 3, 5, 6, 7]
    assert even[0] == [1, 3, 4]


def test_holes_and_shift(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text(picture("r0 0 .\n. b x\ng1 1 r", shifted="even"))
    board = files.read_board(path)
    assert board.states == ["red", "server0", "blue", "offline", "gray", "server1", "red"]
    assert board.home == ([0], [4])
    assert board.place[2] == (1, 1)
    assert board.neighbors[2] == [0, 1, 3, 4, 5]


def test_unknown_tokens_have_their_line(tmp_path):
    found = board_faults(tmp_path, picture("r0 0 q\nb r2 g\ng1 1 r"))
    assert [(f.line, f.value) for f in found] == [(3, "q"), (4, "r2")]
    assert "servers" in found[0].allowed


GRAPH = """name = "G"
nodes = [
  { state = "server0", neighbors = [1, 5] },
  { state = "red", neighbors = [0, 2], home = 0 },
  { state = "blue", neighbors = [1, 3] },
  { state = "server1", neighbors = [2, 4] },
  { state = "red", neighbors = [3, 5], home = 1 },
  { state = "blue", neighbors = [4, 0] },
]
"""


def test_a_graph_that_cannot_be_crossed_without_servers_is_refused(tmp_path):
    (tmp_path / "g.toml").write_text(GRAPH)
    board = files.read_board(tmp_path / "g.toml")
    assert board.home == ([1], [4])
    assert board.neighbors[0] == [1, 5]
    cut = GRAPH.replace("[1, 3] }", "[1] }").replace("[2, 4] }", "[4] }")
    found = board_faults(tmp_path, cut)
    assert "no way from the home row of seat 0 to the server of seat 1" in found[0].message


@pytest.mark.parametrize(
    ("old", "new", "words", "line"),
    [
        ("[1, 3] }", "[1] }", "does not name 3 in return", 6),
        ("[1, 3] }", "[1, 3, 2] }", "no neighbor of itself", 5),
        ("[1, 3] }", "[1, 3, 3] }", "stands twice", 5),
        ("[1, 3] }", "[1, 3, 9] }", "no such node", 5),
        ("[1, 3] }", "[1, 3, 127] }", "out of range", 5),
        ('"blue", neighbors = [1', '"pink", neighbors = [1', "unknown word", 5),
        ("home = 1", "home = 2", "out of range", 7),
        ("home = 1", "hom = 1", "unknown key; did you mean 'home'", 7),
        ('"server1"', '"blue"', "no server of seat 1", 2),
        (", home = 1", "", "home row of seat 1 has no online node", 2),
        ('"server0", neighbors = [1, 5]', '"server0", neighbors = [1, 5], home = 0', "includes a server", 2),
    ],
)
def test_faults_of_a_graph(tmp_path, old, new, words, line):
    assert old in GRAPH
    found = board_faults(tmp_path, GRAPH.replace(old, new))
    assert any(words in f.message and f.line == line for f in found), [str(f) for f in found]


@pytest.mark.rule("SK-2.1")
def test_too_many_nodes(tmp_path):
    rows = "\n".join(["r " * 12] * 10 + ["r0 0 1 r1 r r r r"])
    found = board_faults(tmp_path, picture(rows))
    assert (found[0].value, found[0].allowed) == (128, "1 to 127")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("r0 b r1\n1 b g", "no server of seat 0"),
        ("r0 0 b\nb 1 g", "home row of seat 1 has no online node"),
        ("x0 0 b\nr1 1 g", "home row of seat 0 has no online node"),
        ("r0 r . 0\nr1 1 . b", "no way from the home row of seat 0 to the server of seat 0"),
    ],
)
def test_faults_of_a_picture(tmp_path, rows, words):
    found = board_faults(tmp_path, picture(rows))
    assert any(words in f.message for f in found), [str(f) for f in found]
    assert all(f.line and f.file for f in found)


def test_overlapping_home_rows():
    board = files.read_board(FROZEN / "boards/house.toml")
    overlapping = board.model_copy(update={"home": ([0, 1, 2], [2, 58])})
    (fault,) = legality.check_board(overlapping)
    assert "home rows overlap" in fault.message
    assert fault.value == [2]


def test_offline_nodes_count_as_passable(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text(picture("r0 0 x x 1 r1"))
    with pytest.raises(BadInput, match="no way"):
        files.read_board(path)
    path.write_text(picture("r0 0 x x 1 r1\n x x x x x x"))
    assert len(files.read_board(path).states) == 12
