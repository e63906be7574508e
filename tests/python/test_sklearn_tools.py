"""The estimators inside scikit-learn's tools (also with the oldest scikit-learn)."""

import pickle

import joblib
import numpy as np
import pytest
import s3gd
from cases import sample
from sklearn import linear_model
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
ALL = [s3gd.LogisticRegression(C=0.5), s3gd.LogisticRegressionCV(Cs=2, cv=2), s3gd.LinearSVC(C=0.5), s3gd.Ridge(2.0),
       s3gd.Lasso(0.1), s3gd.ElasticNet(0.1), s3gd.LinearModel("smooth_hinge"), s3gd.LinearModel("squared_error"),
       s3gd.HuberRegressor()]


def data_for(model):
    X, y, targets, _ = sample(classes=3)
    return X, y if is_classifier(model) else targets


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_pickle_and_clone(model):
    X, y = data_for(model)
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(again.coef_, fitted.coef_)
    assert again.summary_ == fitted.summary_ and again.trace_.columns == fitted.trace_.columns
    fresh = clone(fitted)
    assert fresh.get_params() == model.get_params() and not hasattr(fresh, "coef_")


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_cross_val_score_in_two_processes_is_that_in_one(model):
    X, y = data_for(model)
    one = cross_val_score(model, X, y, cv=3, n_jobs=1)
    two = cross_val_score(model, X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(one, two)
    assert one.mean() > 0.4


def test_grid_search_over_a_pipeline_finds_what_scikit_learn_finds():
    X, y, _, _ = sample(classes=3)
    X = X * np.array([1, 100, 1, 1, 0.01, 1, 1, 1])
    grid = {"logisticregression__C": [0.01, 0.1, 1.0], "logisticregression__fit_intercept": [True, False]}
    results = [GridSearchCV(make_pipeline(StandardScaler(), model), grid, scoring="neg_log_loss", cv=3, n_jobs=2).fit(X, y)
               for model in (s3gd.LogisticRegression(tol=1e-10), linear_model.LogisticRegression(tol=1e-8, max_iter=1000))]
    ours, theirs = (result.cv_results_["mean_test_score"] for result in results)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert results[0].best_params_ == results[1].best_params_
    assert results[0].best_estimator_.score(X, y) > 0.6


@pytest.mark.parametrize("model", [s3gd.LinearSVC(), s3gd.LogisticRegression()], ids=repr)
def test_calibration(model):
    X, y, _, _ = sample(classes=2)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X, y)
    probabilities = calibrated.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert ((probabilities[:, 1] > 0.5) == (y == "birch")).mean() > 0.6


def test_selection_of_features_and_meta_estimators():
    X, y, targets, _ = sample(classes=3)
    for model in (s3gd.LogisticRegression(), s3gd.LogisticRegression("l1", C=0.05), s3gd.LogisticRegressionCV(Cs=2), s3gd.LinearSVC()):
        assert 0 < SelectFromModel(model).fit(X, y).get_support().sum() <= X.shape[1]
    chosen = SelectFromModel(s3gd.Lasso(alpha=0.3)).fit(X, targets).get_support()
    assert 0 < chosen.sum() < X.shape[1]
    each = OneVsRestClassifier(s3gd.LogisticRegression(tol=1e-12)).fit(X, y)
    together = s3gd.LinearModel(multi_class="ovr", alpha=1 / len(X), tol=1e-12).fit(X, y)
    np.testing.assert_allclose(np.vstack([e.coef_ for e in each.estimators_]), together.coef_, rtol=1e-5)
    np.testing.assert_allclose(each.predict_proba(X), together.predict_proba(X), rtol=1e-4)
    assert len(cross_val_predict(s3gd.Ridge(), X, targets, cv=3)) == len(X)


def test_fits_in_joblib_threads_and_processes_are_the_same():
    X, y, _, _ = sample(rows=4000)
    models = [s3gd.LogisticRegression(C=C) for C in (0.1, 1.0, 10.0)]
    alone = [clone(model).fit(X, y).coef_ for model in models]
    for prefer in ("threads", "processes"):
        fits = joblib.Parallel(n_jobs=2, prefer=prefer)(joblib.delayed(clone(model).fit)(X, y) for model in models)
        for fit, coef in zip(fits, alone):
            np.testing.assert_array_equal(fit.coef_, coef)


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_cv_chooses_as_grid_search_does(classes):
    X, y, _, weights = sample(classes=classes)
    folds = StratifiedKFold(3)
    Cs = [0.001, 0.01, 0.1, 1.0]
    ours = s3gd.LogisticRegressionCV(Cs=Cs, cv=folds, scoring="neg_log_loss", tol=1e-12).fit(X, y)
    search = GridSearchCV(linear_model.LogisticRegression(tol=1e-10, max_iter=5000), {"C": Cs}, cv=folds,
                          scoring="neg_log_loss").fit(X, y)
    np.testing.assert_allclose(ours.scores_.mean(axis=(0, 1)), search.cv_results_["mean_test_score"], rtol=1e-4)
    assert ours.C_ == search.best_params_["C"]
    np.testing.assert_allclose(ours.coef_, search.best_estimator_.coef_, atol=1e-4 * np.abs(ours.coef_).max())
    outputs = 1 if classes == 2 else classes
    assert ours.coefs_paths_.shape == (3, 1, 4, outputs, X.shape[1] + 1)
    assert ours.n_iter_.shape == ours.scores_.shape == (3, 1, 4)
    averaged = s3gd.LogisticRegressionCV(Cs=Cs, cv=folds, scoring="neg_log_loss", refit=False).fit(X, y, weights)
    best = averaged.scores_[:, 0].argmax(axis=1)
    mean = np.mean([averaged.coefs_paths_[fold, 0, c] for fold, c in enumerate(best)], axis=0)
    np.testing.assert_allclose(averaged.coef_, mean[:, :-1])
    np.testing.assert_allclose(averaged.intercept_, mean[:, -1])


def test_logistic_regression_cv_tries_every_share_of_the_one_norm():
    X, y, _, _ = sample()
    model = s3gd.LogisticRegressionCV(Cs=[0.01, 1.0], l1_ratios=[0.0, 0.5, 1.0], cv=3, scoring="neg_log_loss").fit(X, y)
    assert model.scores_.shape == (3, 3, 2)
    r, c = np.unravel_index(model.scores_.mean(axis=0).argmax(), (3, 2))
    assert (model.l1_ratio_, model.C_) == (model.l1_ratios_[r], model.Cs_[c])
    assert (model.coefs_paths_[:, 2, 0, 0, :-1] == 0).any()


def test_logistic_regression_cv_passes_validation_rows_to_the_last_fit():
    X, y, _, _ = sample(rows=1000)
    model = s3gd.LogisticRegressionCV(Cs=2, cv=2, patience=3, trace=True).fit(X[:500], y[:500], X_val=X[500:], y_val=y[500:])
    assert np.isfinite(model.trace_.test_objective).all() and len(model.trace_) > 0
    assert not hasattr(model.set_params(refit=False).fit(X, y), "trace_")


@pytest.mark.filterwarnings("error")
def test_validation_rows_of_a_frame_have_the_names_of_the_others():
    pandas = pytest.importorskip("pandas")
    X, y, _, _ = sample()
    frame = pandas.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])])
    for model in (s3gd.LogisticRegression(), s3gd.LogisticRegressionCV(Cs=2, cv=2)):
        model.fit(frame, y, X_val=frame, y_val=y)
        with pytest.raises(ValueError, match="feature names"):
            model.fit(frame, y, X_val=frame[frame.columns[::-1]], y_val=y)
