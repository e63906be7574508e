"""What a fit says about itself, and how it is steered (also with the oldest scikit-learn)."""

import warnings

import numpy as np
import pytest
import s3gd
from cases import layouts, sample
from s3gd._advice import in_words_of
from sklearn.exceptions import ConvergenceWarning, NotFittedError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, Y, TARGETS, WEIGHTS = sample(rows=3000, cols=10)
X3, Y3, _, _ = sample(rows=3000, cols=10, classes=3)


def test_a_summary_reads_well():
    summary = s3gd.LogisticRegression(C=0.5).fit(X, Y).summary_
    assert summary.status == "converged" and summary.converged
    assert summary.certificate["kind"] == "duality_gap" and 0 <= summary["certificate"]["relative_gap"] <= 1e-4
    assert summary.stages and {"name", "seconds", "iterations", "ended"} <= set(summary.stages[0])
    assert set(summary.seconds) >= {"graph", "solve", "evaluate", "total"}
    text = str(summary)
    for word in ("status", "converged", "minimised", "log(1 + exp", "certificate", "within", "stages", "time"):
        assert word in text, word
    assert repr(summary).startswith("<s3gd.Summary: converged, within")
    page = summary._repr_html_()
    assert page.startswith("<table>") and page.count("<tr>") == len(text.splitlines())
    assert "status" in summary and "status" in dir(summary) and summary.to_dict()["status"] == "converged"
    with pytest.raises(AttributeError, match="no 'colour'"):
        summary.colour


def test_the_summary_states_the_objective_that_was_minimised():
    """lambda = 1 / (2 C S), and the value at the coefficients is the objective reported."""
    model = s3gd.LogisticRegression(C=0.5).fit(X, Y, WEIGHTS)
    margins = X @ model.coef_[0] + model.intercept_
    signs = np.where(Y == "birch", 1, -1)
    total = WEIGHTS.sum()
    value = WEIGHTS @ np.logaddexp(0, -signs * margins) / total + (model.coef_**2).sum() / (2 * 0.5 * total)
    assert model.summary_.objective == pytest.approx(value, rel=1e-9)
    assert f"{1 / (2 * 0.5 * total):.3g}"[:4] in model.summary_.formula


def test_a_fit_that_falls_short_warns_with_advice():
    model = s3gd.LinearModel(solver="sgd", max_iter=2, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match="did not reach tol=1e-09: .*solver='auto' finishes exactly") as caught:
        model.fit(X, Y)
    assert "--" not in str(caught[0].message) and caught[0].filename == __file__
    assert model.summary_.status == "out_of_passes" and model.n_iter_ in (2, 3)
    assert model.score(X, Y) > 0.6
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        s3gd.LinearModel(solver="sgd", max_iter=10**6, max_seconds=0.05, tol=1e-12).fit(X, Y)


@pytest.mark.parametrize("rows", [100, 3000], ids=["small", "large"])
def test_a_warning_names_the_tolerance_that_was_asked_for(rows):
    """Small problems are solved further than asked, which is nobody's business where they fall short."""
    with pytest.warns(ConvergenceWarning, match="did not reach tol=0.0001: .*short of the tolerance: allow a larger max_iter") as caught:
        s3gd.LogisticRegression(max_iter=1).fit(X[:rows], Y[:rows])
    assert "e-16" not in str(caught[0].message)
    with pytest.warns(ConvergenceWarning, match="rounding allows no more.*StandardScaler"):
        s3gd.LogisticRegression().fit(1e30 * X[:rows], Y[:rows])


@pytest.mark.parametrize("model", [s3gd.LogisticRegression(C=1e30), s3gd.LogisticRegression(C=1e90), s3gd.LinearSVC(C=1e42),
                                   s3gd.LogisticRegression(l1_ratio=1, C=1e42), s3gd.Ridge(1e-42), s3gd.Lasso(1e-18),
                                   s3gd.LinearModel(alpha=1e-40, penalty_factor=np.ones(10))], ids=repr)
def test_a_penalty_that_is_lost_in_rounding_is_none(model):
    y = TARGETS if isinstance(model, (s3gd.Ridge, s3gd.Lasso)) else Y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X[:200], y[:200])
    loss = {s3gd.LinearSVC: "squared_hinge", s3gd.Ridge: "squared_error", s3gd.Lasso: "squared_error"}.get(type(model), "log_loss")
    without = s3gd.LinearModel(loss, penalty=None).fit(X[:200], y[:200])
    np.testing.assert_allclose(np.ravel(model.coef_), np.ravel(without.coef_), rtol=1e-5)
    assert model.summary_.certificate["kind"] == "prox_gradient"


def test_a_fit_that_gets_there_does_not_warn():
    for model in (s3gd.LogisticRegression(), s3gd.LinearSVC(), s3gd.Lasso(alpha=0.1)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X[:100], TARGETS[:100] if isinstance(model, s3gd.Lasso) else Y[:100])


def test_advice_speaks_of_the_estimators_parameters():
    apart = np.where(Y == "ash", -1.0, 1.0)[:, None] + 0.01 * X
    advice = s3gd.LogisticRegression(penalty=None, max_iter=30).fit(apart, Y).summary_.advice
    assert any("penalty='l2' with a smaller C" in sentence for sentence in advice)
    advice = s3gd.Lasso(alpha=1e6).fit(X, TARGETS).summary_.advice
    assert any("all weights are zero" in sentence and "give a smaller alpha" in sentence for sentence in advice)
    wild = X * np.array([1e7] + [1] * 9)
    advice = s3gd.LinearSVC().fit(wild, Y).summary_.advice
    assert any("StandardScaler" in sentence for sentence in advice)


def test_a_trace_has_columns():
    model = s3gd.LinearModel(solver="s3gd", alpha=1e-3, max_iter=3, tol=0.5, trace=True, trace_gradients=True).fit(X, Y)
    trace = model.trace_
    assert len(trace) >= 3 and all(len(trace[name]) == len(trace) for name in trace.columns)
    assert (np.diff(trace.passes) > 0).all() and trace.train_objective[-1] < trace.train_objective[0]
    assert np.isnan(trace.test_objective).all() and trace.stage[-1] == "s3gd"
    assert (np.abs(trace.correlation[np.isfinite(trace.correlation)]) <= 1).all()
    assert trace.variance_ratio[-1] < 1  # S3GD's estimate is better than plain SGD's
    assert repr(trace).startswith(f"<s3gd.Trace: {len(trace)} rows of iteration")
    with pytest.raises(AttributeError, match="no column 'colour'"):
        trace.colour
    with pytest.raises(KeyError, match="no column 'colour'; it has iteration, passes"):
        trace.plot(y="colour")


def test_a_trace_in_a_notebook_shows_its_first_and_last_rows():
    columns = {"passes": np.arange(40.0), "gap": np.full(40, np.nan), "stage": np.array(["a<b"] * 40)}
    page = s3gd.Trace(columns)._repr_html_()
    assert page.count("<tr>") == 1 + 6 + 1 + 6 and page.startswith("<table><tr><th>passes</th>")
    assert "<td>5</td><td></td><td>a&lt;b</td>" in page and "<td>6</td>" not in page and "<td>39</td>" in page
    assert s3gd.Trace({name: column[:12] for name, column in columns.items()})._repr_html_().count("<tr>") == 13


def test_a_trace_as_a_frame():
    pandas = pytest.importorskip("pandas")
    trace = s3gd.LinearModel(trace=True).fit(X, Y).trace_
    frame = trace.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == trace.columns and len(frame) == len(trace)


def test_a_trace_as_a_drawing():
    pytest.importorskip("matplotlib").use("Agg")
    trace = s3gd.LinearModel(trace=True, solver="sgd", max_iter=3, tol=0.9).fit(X, Y, X_val=X[:500], y_val=Y[:500]).trace_
    axes = trace.plot(x="cpu_seconds")
    assert [line.get_label() for line in axes.lines] == ["train objective", "test objective"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), trace.train_objective)
    assert axes.get_xlabel() == "cpu seconds" and axes.get_ylabel() == "objective"
    assert trace.plot(y="gap").get_yscale() == "log"


def test_validation_rows_are_traced_and_end_the_fit():
    noise = np.random.default_rng(0).normal(size=(60, 200))
    y = np.random.default_rng(1).integers(0, 2, size=60)
    model = s3gd.LinearModel(alpha=1e-6, trace=True).fit(noise[:30], y[:30], X_val=noise[30:], y_val=y[30:])
    assert np.isfinite(model.trace_.test_objective).all() and len(model.trace_) > 1
    stopped = s3gd.LinearModel(alpha=1e-6, patience=2).fit(noise[:30], y[:30], X_val=noise[30:], y_val=y[30:])
    assert stopped.summary_.status == "early_stopped"
    loss = [np.mean(np.logaddexp(0, -np.where(y[30:], 1, -1) * m.decision_function(noise[30:]))) for m in (stopped, model)]
    assert loss[0] < loss[1]
    for wrong, words in [({"X_val": X}, "go together"), ({"X_val": X[:, :3], "y_val": Y}, "features"),
                         ({"X_val": X, "y_val": np.full(len(X), "elm")}, "elm")]:
        with pytest.raises(ValueError, match=words):
            s3gd.LogisticRegression().fit(X, Y, **wrong)


def test_a_callback_sees_every_look_and_ends_the_fit():
    seen = []
    s3gd.LinearModel(solver="sgd", max_iter=3, tol=0.9).fit(X, Y, callback=seen.append)
    assert len(seen) > 1 and {"passes", "train_objective", "gap", "stage"} <= set(seen[0])

    def enough(row):
        return row["passes"] < 1

    model = s3gd.LinearModel(solver="sgd", max_iter=50, tol=1e-9).fit(X, Y, callback=enough)
    assert model.summary_.status == "interrupted" and model.n_iter_ < 10
    assert model.score(X, Y) > 0.5

    def fails(row):
        raise RuntimeError("enough of this")

    with pytest.raises(RuntimeError, match="enough of this"):
        s3gd.LinearModel(solver="sgd").fit(X, Y, callback=fails)


def test_what_ends_the_fit_of_one_class_ends_that_of_the_rest():
    seen = []
    model = s3gd.LinearSVC(class_weight="balanced", solver="sgd", max_iter=50, tol=1e-9, warm_start=True)
    model.fit(X3, Y3, callback=lambda row: seen.append(row) or len(seen) < 3)
    assert model.summary_.status == "interrupted" and len(seen) == 3
    assert model.coef_[0].any() and not model.coef_[1:].any()
    assert set(model.predict(X3)) <= {"ash", "birch", "cedar"} and np.isfinite(model.decision_function(X3)).all()
    before = model.set_params(solver="auto").fit(X3, Y3).coef_.copy()
    model.fit(X3, Y3, callback=lambda row: False)
    np.testing.assert_allclose(model.coef_[1:], before[1:])


def test_classes_have_their_names_in_what_is_said_of_them():
    model = s3gd.LinearModel(solver="sgd", max_iter=2, tol=1e-9, trace=True).fit(X3, Y3)
    assert {stage.split(":")[0] for stage in model.trace_.stage} == set(Y3)
    assert [one["class"] for one in model.summary_.class_fits] == sorted(set(Y3))
    said = in_words_of(model, "9 % of the rows labelled \x02f2\x1f\x03 look like a typical \x02f0\x1f\x03: give a \x02blambda\x1f\x03")
    assert said == "9 % of the rows labelled cedar look like a typical ash: give a smaller alpha"
    assert in_words_of(s3gd.LogisticRegression(), "a \x02blambda\x1f\x03 or \x02apenalty\x1fl2\x03") == "a larger C or penalty='l2'"


def test_a_certificate_that_there_is_none_of_is_not_called_infinite():
    summary = s3gd.LogisticRegression().fit(X, Y).summary_.to_dict()
    summary["certificate"] = {"kind": "duality_gap", "relative_gap": np.inf}
    assert "inf" not in repr(s3gd.Summary(summary)) and "not known" in str(s3gd.Summary(summary))


def test_a_callback_is_told_of_each_class_by_its_name(capsys):
    seen = []
    s3gd.LinearSVC(verbose=1).fit(X3, Y3, callback=seen.append)
    assert {row["class"] for row in seen} == set(Y3) and {row["status"] for row in seen} == {"converged"}
    assert {line.split()[2] for line in capsys.readouterr().out.splitlines()} == {f"{name}:" for name in set(Y3)}


@pytest.mark.parametrize("model", [s3gd.LogisticRegression(verbose=1), s3gd.LinearSVC(verbose=1)], ids=repr)
def test_verbose_prints_lines(model, capsys):
    model.fit(X3, Y3)
    lines = capsys.readouterr().out.splitlines()
    assert lines and all(line.startswith("[s3gd] ") and "objective" in line for line in lines)


def test_the_same_bits_for_any_number_of_threads_and_each_time():
    for model in (s3gd.LogisticRegression(), s3gd.LinearModel(solver="s3gd", max_iter=2, tol=0.5)):
        fits = [model.set_params(n_jobs=n).fit(X3, Y3).coef_.copy() for n in (1, 2, -1, None, None)]
        assert all((fit == fits[0]).all() for fit in fits)
    stochastic = s3gd.LinearModel(solver="sgd", max_iter=2, tol=0.9)
    assert (stochastic.set_params(random_state=1).fit(X, Y).coef_ != fits[0][:1]).any()
    generators = [stochastic.set_params(random_state=np.random.RandomState(7)).fit(X, Y).coef_ for _ in range(2)]
    assert (generators[0] == generators[1]).all()


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("make", [s3gd.LogisticRegression, s3gd.LinearSVC], ids=lambda c: c.__name__)
@pytest.mark.parametrize("rows, y", [(X, Y), (X3, Y3)], ids=["two", "three"])
def test_a_warm_start_begins_where_the_last_fit_ended(rows, y, make, layout):
    rows = layouts(rows)[layout]
    cold = make(tol=1e-8).fit(rows, y)
    warm = make(tol=1e-8, warm_start=True).fit(rows, y).fit(rows, y)
    assert np.max(warm.n_iter_) < np.max(cold.n_iter_)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-3)
    warm.fit(rows[:, :5], y)  # another shape: from nothing
    assert warm.coef_.shape[1] == 5


@pytest.mark.parametrize("model", [s3gd.Lasso(alpha=0.05), s3gd.LogisticRegression(l1_ratio=1.0, C=0.01), s3gd.LinearSVC()],
                         ids=repr)
def test_sparsify_and_densify(model):
    with pytest.raises(NotFittedError):
        model.sparsify()
    y = TARGETS if isinstance(model, s3gd.Lasso) else Y
    model.fit(X, y)
    dense, predicted = model.coef_.copy(), model.predict(X)
    model.sparsify()
    assert model.coef_.nnz == (dense != 0).sum()
    np.testing.assert_array_equal(model.predict(X), predicted)
    np.testing.assert_array_equal(model.densify().coef_, dense)
    assert model.coef_.shape == dense.shape


def test_probabilities_are_right_far_out():
    model = s3gd.LogisticRegression().fit(X, Y)
    far = 1e4 * X[:50]
    logs = model.predict_log_proba(far)
    assert np.isfinite(logs).all() and logs.min() < -1000
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)
    ovr = s3gd.LinearModel(multi_class="ovr").fit(X3, Y3)
    np.testing.assert_allclose(np.exp(ovr.predict_log_proba(X3)), ovr.predict_proba(X3), rtol=1e-10)
    np.testing.assert_allclose(ovr.predict_proba(X3).sum(axis=1), 1)


def test_penalty_factors_free_a_feature():
    factors = np.ones(10)
    factors[4] = 0
    strong = s3gd.LinearModel(alpha=100.0).fit(X, Y)
    freed = s3gd.LinearModel(alpha=100.0, penalty_factor=factors).fit(X, Y)
    assert np.abs(freed.coef_[0, 4]) > 50 * np.abs(strong.coef_[0, 4])
    assert np.abs(np.delete(freed.coef_[0], 4)).max() < 2 * np.abs(strong.coef_[0]).max()
