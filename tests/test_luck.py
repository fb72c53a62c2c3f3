"""The addressed random streams: published splitmix64 vectors, shuffles, and independence of addresses."""

from __future__ import annotations

from bhsim.games import luck


def stream_at(base: int) -> luck.Stream:
    """A stream with a known base, whatever its address."""
    stream = luck.Stream(0, 0)
    stream.base = base
    return stream


def test_draws_are_splitmix64():
    """Outputs of the published generator for seeds 0 and 1234567."""
    assert [stream_at(0).draw(j) for j in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [stream_at(1234567).draw(j) for j in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_addresses_are_mixed_twice():
    """key = mix(mix(root + G) + (k + 1) G), stream = mix(key + (p + 1) G): spelled out once more."""
    root, k, purpose = 7, 3, luck.EFFECT + 1
    first = luck.mix((root + luck.GOLDEN) & luck.MASK)
    key = luck.mix((first + 4 * luck.GOLDEN) & luck.MASK)
    assert luck.key_of(root, k) == key
    assert luck.Stream(key, purpose).base == luck.mix((key + 18 * luck.GOLDEN) & luck.MASK)


def test_mix_stays_within_64_bits_and_does_not_collide():
    outputs = {luck.mix(x) for x in range(10_000)}
    assert len(outputs) == 10_000
    assert max(outputs) <= luck.MASK
    assert luck.mix(luck.MASK + 1 + 5) == luck.mix(5)


def test_below_covers_its_range_evenly():
    stream = luck.Stream(luck.key_of(1, 0), luck.BOT)
    counts = [0] * 6
    for j in range(6000):
        counts[stream.below(j, 6)] += 1
    assert min(counts) > 850 and max(counts) < 1150
    assert stream.below(0, 1) == 0


def test_shuffle_is_a_permutation_from_the_top():
    stream = luck.Stream(luck.key_of(1, 2), luck.DECK)
    pile = list(range(20))
    stream.shuffle(pile, 0)
    assert sorted(pile) == list(range(20)) and pile != list(range(20))
    top = stream.below(0, 20)  # draw 0 settles the top card
    assert pile[-1] == top


def test_shuffles_have_draws_of_their_own():
    stream = luck.Stream(luck.key_of(1, 2), luck.DECK)
    piles = []
    for number in range(3):
        pile = list(range(60))
        stream.shuffle(pile, number)
        piles.append(tuple(pile))
    assert len(set(piles)) == 3
    again = list(range(60))
    stream.shuffle(again, 1)
    assert tuple(again) == piles[1]


def test_streams_of_purposes_seats_and_keys_differ():
    bases = {
        luck.Stream(luck.key_of(root, key), purpose).base
        for root in range(3)
        for key in range(20)
        for purpose in (luck.FIRST_PLAYER, luck.DECK, luck.DECK + 1, luck.EFFECT, luck.EFFECT + 1, luck.BOT, luck.BOT + 1)
    }
    assert len(bases) == 3 * 20 * 7


def test_first_players_are_even_over_keys():
    firsts = sum(luck.Stream(luck.key_of(1, k), luck.FIRST_PLAYER).below(0, 2) for k in range(4000))
    assert 1850 < firsts < 2150
