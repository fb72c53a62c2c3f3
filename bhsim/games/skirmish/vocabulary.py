"""The words of an effect row, and which of them each operation understands.

The order of every tuple below is the integer code used in the compiled tables, so both engines,
the files and the reference page in docs/ read the same list. Imports nothing.
"""

STATES = ("red", "blue", "gray", "offline", "server0", "server1")
ONLINE = STATES[:3]
HACKABLE = STATES[:4]

OPS = (
    "hack", "change_state", "damage", "heal", "attack", "damage_bonus", "bypass", "flip",
    "draw", "discard", "return_card", "exhaust", "ready", "move", "place", "swap", "transfer",
    "signal", "score", "another_turn", "stat", "forbid",
)  # fmt: skip

TRIGGERS = (
    "played", "flipped", "signature", "common", "passive",
    "after_moving", "damaged", "disconnected", "disconnecting", "securing", "extracting",
    "end_of_round", "start_of_round",
)  # fmt: skip
CARD_TRIGGERS = ("played", "flipped")
EVENT_TRIGGERS = TRIGGERS[5:]
RUNNER_TRIGGERS = ("signature", "passive", *EVENT_TRIGGERS)
RIG_TRIGGERS = ("passive", *EVENT_TRIGGERS)

WHO = (
    "self",  # the runner whose text this is (of a flipped card: the attacker)
    "own",  # an own runner, the source included
    "ally",  # another own runner; on a card without a source: an own runner
    "enemy",
    "any",  # any runner, the source included
    "other",  # any runner but the source
    "own_carrier",  # the own runner that carries data
    "enemy_carrier",  # the enemy runner that carries data
    "attack_target",  # flipped only: what is attacked (of data: its carrier)
    "previous",  # the runner that the row before chose
    "culprit",  # damaged, disconnected: the runner that did it
    "own_data",  # attack and damage only: the data taken from the own server
)

WITHIN = ("anywhere", "subnet", "neighbouring", "distance", "chosen_subnet")
DURATIONS = ("turn", "round", "next_attack", "always")

STATS = (
    "attack", "security", "speed", "bypass", "exposed", "borders", "damage", "data_bypass",
)  # fmt: skip
LARGEST = ("bypass", "exposed", "data_bypass")  # of several, the largest counts; others add up

FORBIDDABLE = (
    "transfer", "extract", "attack", "crossing", "secure", "signature", "common", "move",
)  # fmt: skip

FILTERS = (
    "ready", "exhausted", "carrying", "not_carrying", "below_full", "on_red", "on_blue", "on_gray",
)  # fmt: skip

CONDITIONS = (
    "carrying", "below_full", "target_carries", "on_red", "on_blue", "on_gray",
    "behind", "ahead", "tied", "allies_in_subnet", "enemies_in_subnet",
)  # fmt: skip
COUNTED_CONDITIONS = ("allies_in_subnet", "enemies_in_subnet")

PLAYERS = ("own", "opponent", "both")
HOW = ("random", "chosen")
DIRECTIONS = ("any", "away", "toward")
PLACES = ("subnet", "neighbouring", "home", "beside")

# Fields beyond op, trigger and conditions that each operation reads. "!" marks a required one.
_TARGETED = ("target!", "all", "within", "distance", "filter", "optional")
OP_FIELDS = {
    "hack": ("count!", "up_to", "connected", "states!", "within", "distance"),
    "change_state": ("count!", "up_to", "connected", "states!", "within", "distance"),
    "damage": (*_TARGETED, "amount!", "past_security"),
    "heal": (*_TARGETED, "amount!"),
    "attack": ("by", "target", "data", "within", "distance", "filter", "optional", "amount", "bypass"),
    "damage_bonus": ("amount!", "target", "filter"),
    "bypass": ("amount!", "target", "filter"),
    "flip": ("amount!", "target", "filter"),
    "draw": ("count!", "player"),
    "discard": ("count!", "player", "how"),
    "return_card": ("count!", "how"),
    "exhaust": _TARGETED,
    "ready": _TARGETED,
    "move": (*_TARGETED, "amount!", "direction"),
    "place": (*_TARGETED, "to!"),
    "swap": ("target!", "other!", "within", "distance", "filter", "optional"),
    "transfer": ("target!", "within", "distance", "filter", "optional"),
    "signal": ("target!", "amount!"),
    "score": ("amount!", "player"),
    "another_turn": (),
    "stat": (*_TARGETED, "stat!", "amount!", "duration!"),
    "forbid": (*_TARGETED, "what!", "duration!"),
}

MOVES_ONE_AT_A_TIME = ("attack", "swap", "transfer")  # operations that take no "all"
