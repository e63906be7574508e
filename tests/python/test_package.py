"""The package as a whole: what importing it costs, and whether the types say what the compiled part does."""

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import s3gd
from s3gd import _compare, _core, _data, datasets

STUB = Path(__file__).resolve().parents[2] / "python" / "s3gd" / "_core.pyi"


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import s3gd", {"sklearn", "scipy", "pandas", "matplotlib"}),
        ("import s3gd; s3gd.load('gen:manifold?rows=20&cols=3', layout='dense')", {"sklearn", "scipy", "pandas"}),
        ("import s3gd; s3gd.inspect([[1.0], [2.0]], [0, 1])", {"sklearn", "scipy", "pandas"}),
        ("import s3gd; s3gd.datasets.names()", {"sklearn", "scipy", "pandas"}),
    ],
)
def test_what_is_not_needed_is_not_imported(statement, unwanted):
    program = f"{statement}; import sys; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not unwanted & set(ended.stdout.split())


def stub_functions():
    return {node.name: [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.FunctionDef)}


def test_the_types_name_every_function_and_its_arguments():
    functions = stub_functions()
    compiled = {name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("_")}
    assert compiled - {"Error", "Model"} == set(functions)
    for name, arguments in functions.items():
        signature = getattr(_core, name).__doc__.splitlines()[0]
        found = [first or second for first, second in re.findall(r"\((\w+):|[,*] (\w+):", signature)]
        assert found == arguments, signature


def test_versions_agree():
    assert s3gd.__version__ == _core.version
    assert re.fullmatch(r"\d+\.\d+\.\d+", _core.version)


@pytest.mark.parametrize("module", [_compare, _data, datasets])
def test_the_examples_of_the_documentation_are_right(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
