from . import datasets as datasets
from ._compare import Comparison as Comparison
from ._compare import compare as compare
from ._data import Dataset as Dataset
from ._data import inspect as inspect
from ._data import load as load
from ._data import save as save
from ._model import SavedModel as SavedModel
from ._model import export as export
from ._model import load_model as load_model
from ._model import save_model as save_model
from ._results import Summary as Summary
from ._results import Trace as Trace
from .huber import HuberRegressor as HuberRegressor
from .linear_model import LinearModel as LinearModel
from .logistic import LogisticRegression as LogisticRegression
from .logistic_cv import LogisticRegressionCV as LogisticRegressionCV
from .path import enet_path as enet_path
from .path import lasso_path as lasso_path
from .path import logistic_path as logistic_path
from .poisson import PoissonRegressor as PoissonRegressor
from .regression import ElasticNet as ElasticNet
from .regression import Lasso as Lasso
from .regression import Ridge as Ridge
from .svm import LinearSVC as LinearSVC

__version__: str
