"""Advice of the library, which speaks of options of its program, in the words of an estimator."""

import re

_COMMON = [
    (r"give --scale standard or max-abs", "scale them first, with StandardScaler or MaxAbsScaler"),
    (r"scale the features \(--scale\)", "scale the features (StandardScaler)"),
    (r"or use --precision double", "or give float64 rows"),
    (r"check how the file is read \([^)]*\)", "check where they come from"),
    (r"allow more --(?:passes|iterations)", "raise max_iter"),
    (r"more --(?:passes|iterations)", "a larger max_iter"),
    (r"allow more --seconds", "raise max_seconds"),
    (r"allow more time", "raise max_seconds"),
    (r"--solver (auto|saga)", r"solver='\1'"),
    (r"--penalty l2", "penalty='l2'"),
]
_STRENGTH = {
    "C": [(r"larger --lambda", "smaller C"), (r"smaller --lambda", "larger C"), (r"--lambda ", "lambda is ")],
    "alpha": [(r"(larger|smaller) --lambda", r"\1 alpha"), (r"--lambda ", "lambda is ")],
}
_STOPPED_SHORT = "short of the tolerance"
_CLASSES = re.compile(r"(^class |^classes |labelled |typical |\blabels )(\d+(?:, \d+)*)\b")


def in_words_of(estimator, advice):
    """Each sentence with the estimator's names of parameters and classes, and its own tolerance."""
    rules = _STRENGTH["C" if hasattr(estimator, "C") else "alpha"] + _COMMON
    names = getattr(estimator, "classes_", ())

    def named(match):
        return match.group(1) + ", ".join(class_named(names, code) for code in match.group(2).split(", "))

    sentences = []
    for sentence in advice:
        for pattern, words in rules:
            sentence = re.sub(pattern, words, sentence)
        sentence = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda match: match.group(1).replace("-", "_"), sentence)
        sentence = re.sub(rf"{_STOPPED_SHORT} [^:]*:", f"{_STOPPED_SHORT}:", sentence)
        sentences.append(_CLASSES.sub(named, sentence))
    return sentences


def class_named(names, code):
    """The label of a class, of which the core knows the number."""
    return str(names[int(code)]) if int(code) < len(names) else str(code)


def stage_named(names, stage):
    """The name of a stage of one class among others: "2: newton"."""
    code, colon, rest = stage.partition(": ")
    return class_named(names, code) + colon + rest if colon and code.isdecimal() else stage


def without_stop(advice):
    """The advice, but for that of a run that stopped short of its tolerance."""
    return [sentence for sentence in advice if _STOPPED_SHORT not in sentence]
