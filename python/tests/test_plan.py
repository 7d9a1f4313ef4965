"""Plans on ranks that are not there, and contractions that are prepared once."""
import json
import subprocess
import warnings

import ashlar
import numpy as np
import pytest
from ashlar._command import command


def test_a_plan_is_the_commands():
    plan = ashlar.plan(1740, 1750, 3730, ranks=12, dtype="float32", memory="40 MB", strategy="all")
    said = json.loads(subprocess.run([command(), "plan", "1740", "1750", "3730", "--ranks=12", "--type=s",
                                      "--memory=40MB", "--strategy=all", "--json"], text=True, check=True,
                                     stdout=subprocess.PIPE).stdout)
    assert (plan.m, plan.n, plan.k, plan.ranks) == (1740, 1750, 3730, 12)
    assert (plan.bound_words, plan.bound_case) == (said["bound"]["words"], said["bound"]["case"])
    assert plan.chosen == said["chosen"] == plan.proposal.name
    assert [each.name for each in plan.proposals] == [each["name"] for each in said["strategies"]]
    assert [each.words_max for each in plan.proposals] == [each["words_max"] for each in said["strategies"]]
    assert plan.proposal.grid == tuple(next(each["grid"] for each in said["strategies"]
                                            if each["name"] == said["chosen"]))
    assert str(plan).startswith("problem  s NN   m 1740  n 1750  k 3730") and "\nchosen   " in str(plan)
    assert plan._repr_html_().startswith("<svg") or plan._repr_html_().startswith("<?xml")
    assert f"<td>words max</td><td>{plan.proposal.words_max:,}</td>" in plan.proposal._repr_html_()
    with pytest.raises(AttributeError):
        plan.m = 3


@pytest.mark.parametrize("how, text", [
    ({"ranks": 0}, "0"), ({"ranks": 4, "strategy": "fast"}, "fast"), ({"ranks": 4, "memory": 64}, "7575 would do"),
    ({"ranks": 4, "dtype": "int32"}, "int32"),
])
def test_what_cannot_be_planned(how, text):
    with pytest.raises(ashlar.ArgumentError, match=text):
        ashlar.plan(100, 100, 100, **how)


def test_a_contraction_is_run_as_often_as_one_likes():
    a, b, out = np.ones((20, 30)), np.ones((30, 10)), np.zeros((20, 10))
    with ashlar.Contraction("ij,jk->ik", a, b, out=out) as product:
        assert product.run() is out and np.all(out == 30)
        a[...] = 2
        assert product.run(alpha=0.5, beta=1) is out and np.all(out == 60)
        assert product.measured.words_total == product.predicted.words_total == 0
        assert product.measured.seconds > 0
        assert product.predicted.memory_words >= 20 * 30 + 30 * 10 + 20 * 10
        assert "ij,jk->ik" in product.explanation and product.explanation in repr(product)
        assert f"<td>memory words</td><td>{product.predicted.memory_words:,}</td>" in product.predicted._repr_html_()
        assert product._repr_html_().startswith("<pre>&lt;ashlar.Contraction to shape (20, 10), 1 ranks&gt;")
    with pytest.raises(ashlar.ArgumentError, match="the contraction was closed"):
        product.run()
    assert repr(product) == "<ashlar.Contraction, closed>"


def test_a_contraction_that_is_not_closed_warns():
    product = ashlar.Contraction("ij->ji", np.ones((2, 3)))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        held = product._job
        del product
    assert [str(each.message) for each in warned] == ["an ashlar.Contraction was not closed: its plan is not freed"]
    held.close()
