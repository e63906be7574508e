"""What the library says, in the words of Python.

Its sentences hold marks where options and classes are mentioned (include/s3gd/words.hpp).
"""

import re

_MARK = re.compile("\x02(.)([^\x03]*?)\x1f([^\x03]*)\x03")
_KINDS = {"a": "", "b": "smaller", "c": "larger", "d": "fewer", "e": "more", "f": "class"}
_LIMITS = {"passes": "max_iter", "iterations": "max_iter", "seconds": "max_seconds"}
_THINGS = {
    ("validate", ""): "X_val and y_val",
    ("validate", "DATA"): "X_val and y_val",
    ("scale", ""): "StandardScaler",
    ("scale", "standard or max-abs"): "StandardScaler or MaxAbsScaler",
    ("scale", "unit-rows"): "Normalizer",
    ("precision", "double"): "float64 rows",
    ("class-weight", "balanced"): "class_weight='balanced'",
}


def in_words_of(estimator, sentence):
    """The sentence with the names of parameters and classes of an estimator; None is none in particular."""
    return _MARK.sub(lambda mark: _said(estimator, _KINDS[mark[1]], mark[2], mark[3]), sentence)


def _said(estimator, kind, name, value):
    if kind == "class":
        return class_named(getattr(estimator, "classes_", ()), name)
    if (name, value) in _THINGS:
        return _THINGS[name, value]
    if name in _LIMITS and estimator is not None:
        return f"a larger {_LIMITS[name]}" if kind == "more" else _LIMITS[name]
    if name == "lambda" and estimator is not None:
        return _strength(estimator, kind, value)
    name = name.replace("-", "_")
    quoted = value.replace(", ", "', '")  # of several
    return f"{kind} {name}".lstrip() + (f"='{quoted}'" if value else "")


def _strength(estimator, kind, value):
    if value:
        return f"lambda is {value}"
    if not hasattr(estimator, "C"):
        return f"{kind} alpha".lstrip()
    return {"smaller": "larger C", "larger": "smaller C"}.get(kind, "C")


def advice_for(estimator, advice, codes):
    """Sentences of advice; where Python knows better than to translate, by their codes and values."""
    sentences = []
    for text, one in zip(advice, codes):
        before, colon, text = text.partition(": ") if one["classes"] else ("", "", text)
        own = _OWN.get(one["code"], lambda text, values: text)
        sentences.append(in_words_of(estimator, before + colon + own(text, one["values"])))
    return sentences


def _stopped_short(text, values):
    """The tolerance is the estimator's, which may be another than what the core was given."""
    way_on = text.partition(": ")[2]
    return (f"stopped after {values['passes']:.3g} passes at a relative gap of {values['relative_gap']:.2g}, short of the "
            f"tolerance: {way_on}")


def _zero_rows(_, values):
    return (f"{100 * values['share']:.2g} % of the rows are all zero and say nothing but their label: check where they come "
            "from, or leave them out")


_OWN = {"stopped_short": _stopped_short, "zero_rows": _zero_rows}


def class_named(names, code):
    """The label of a class, of which the core knows the number."""
    return str(names[int(code)]) if code.isdecimal() and int(code) < len(names) else str(code)


def stage_named(names, stage):
    """The name of a stage of one class among others: "2: newton"."""
    code, colon, rest = stage.partition(": ")
    return class_named(names, code) + colon + rest if colon and code.isdecimal() else stage
