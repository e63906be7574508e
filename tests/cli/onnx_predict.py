"""Checks an ONNX file and evaluates it by the reference: onnx_predict.py MODEL ROWS.npz prints one JSON object. ROWS are
dense (.npy) or as `s3gd convert` writes sparse rows (.npz); they are made dense some at a time, so that wide ones fit.

Run with the Python of build/tests/venv (tools/setup test)."""
import json
import sys

import numpy
import onnx
from onnx.reference import ReferenceEvaluator

ENTRIES_AT_ONCE = 20_000_000


def blocks(path, width):
    """The rows as dense blocks of `width` columns: files may lack columns of zeros, or have some that the model does not."""
    stored = numpy.load(path)
    at_once = max(1, ENTRIES_AT_ONCE // width)
    if not hasattr(stored, "files"):
        for first in range(0, len(stored), at_once):
            block = stored[first:first + at_once].astype(numpy.float32)
            yield numpy.pad(block, ((0, 0), (0, max(0, width - block.shape[1]))))[:, :width]
        return
    starts, columns, values = stored["indptr"], stored["indices"], stored["data"]
    for first in range(0, len(starts) - 1, at_once):
        rows = range(first, min(first + at_once, len(starts) - 1))
        block = numpy.zeros((len(rows), width), numpy.float32)
        for i in rows:
            own = slice(starts[i], starts[i + 1])
            known = columns[own] < width
            block[i - first, columns[own][known]] = values[own][known]
        yield block


def main():
    model = onnx.load(sys.argv[1])
    onnx.checker.check_model(model, full_check=True)
    width = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    names = [output.name for output in model.graph.output]
    evaluator = ReferenceEvaluator(model)
    result = {name: [] for name in names}
    for block in blocks(sys.argv[2], width):
        for name, values in zip(names, evaluator.run(None, {"x": block})):
            result[name] += values.tolist()
    result["properties"] = {entry.key: entry.value for entry in model.metadata_props}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
