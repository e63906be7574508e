"""Checks an ONNX file and evaluates it by the reference: onnx_predict.py MODEL ROWS.npy prints one JSON object.

Run with the Python of build/tests/venv (tools/setup test)."""
import json
import sys

import numpy
import onnx
from onnx.reference import ReferenceEvaluator


def main():
    model = onnx.load(sys.argv[1])
    onnx.checker.check_model(model, full_check=True)
    rows = numpy.load(sys.argv[2]).astype(numpy.float32)
    width = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    rows = numpy.pad(rows, ((0, 0), (0, max(0, width - rows.shape[1]))))[:, :width]  # files may lack columns of zeros
    names = [output.name for output in model.graph.output]
    values = ReferenceEvaluator(model).run(None, {"x": rows})
    result = {name: value.tolist() for name, value in zip(names, values)}
    result["properties"] = {entry.key: entry.value for entry in model.metadata_props}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
