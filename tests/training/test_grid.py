import pytest

np = pytest.importorskip("numpy")

from training.grid import FILES, Grid  # noqa: E402
from training.lowbit import round_groups  # noqa: E402
from training.pack import write_packed  # noqa: E402

NAME = "layers.0.q.weight"


@pytest.fixture
def grid(tmp_path):
    matrix = np.random.default_rng(5).standard_normal((8, 128)).astype(np.float32)
    stored = {NAME: round_groups(matrix, 4, 64), "words.weight": round_groups(matrix, 3, 128)}
    write_packed(stored, *(tmp_path / name for name in FILES))
    return Grid.of_run(tmp_path)


def test_a_run_of_full_weights_has_no_grid(tmp_path):
    assert Grid.of_run(tmp_path) is None


def test_matrices_go_by_the_networks_own_names(grid):
    assert set(grid.stored) == {NAME, "words.weight"}


@pytest.mark.parametrize("seed", range(5))
def test_scattered_weights_settle_where_they_came_from(grid, seed):
    full = grid.scattered(NAME, np.random.default_rng(seed))
    assert not np.array_equal(full, grid.stored[NAME].values)
    assert np.array_equal(grid.settled(NAME, full).codes, grid.stored[NAME].codes)


def test_what_is_settled_stays_as_it_is(grid):
    once = grid.settled(NAME, np.random.default_rng(1).standard_normal((8, 128)).astype(np.float32)).values
    assert np.array_equal(grid.settled(NAME, once).values, once)


def test_a_small_change_of_all_shows_in_as_many_codes_as_it_is_large(grid):
    """A tenth of a step moves about a tenth of the weights by a whole one: on the mean, nothing is lost."""
    steps = np.abs(np.repeat(grid.stored[NAME].scales.astype(np.float32), 64, axis=1))
    full = grid.scattered(NAME, np.random.default_rng(2)) + 0.1 * steps
    moved = grid.settled(NAME, full).values - grid.stored[NAME].values
    assert 0.05 < float((moved / steps).mean()) < 0.15


def test_codes_never_leave_their_bits(grid):
    far = grid.settled("words.weight", np.full((8, 128), 1e3, dtype=np.float32))
    assert far.codes.min() >= -4
    assert far.codes.max() <= 3


def test_a_mean_wants_the_bundle_that_the_run_began_from(tmp_path):
    average = pytest.importorskip("training.average").average
    second = tmp_path / "second"
    second.mkdir()
    (second / FILES[0]).write_bytes(b"one grid")
    (tmp_path / "weights.bin").write_bytes(b"another")
    with pytest.raises(SystemExit, match="did not grow out of"):
        average(tmp_path / "graph.onnx", tmp_path, second, 0.5, tmp_path / "out", 0)
    assert not (tmp_path / "out").exists()
