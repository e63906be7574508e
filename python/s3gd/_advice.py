"""Advice of the library, which speaks of options of its program, in the words of an estimator."""

import re

_COMMON = [
    (r"give --scale standard or max-abs", "scale them first, with StandardScaler or MaxAbsScaler"),
    (r"scale the features \(--scale\)", "scale the features (StandardScaler)"),
    (r"or use --precision double", "or give float64 rows"),
    (r"check how the file is read \([^)]*\)", "check where they come from"),
    (r"--(?:passes|iterations)", "max_iter"),
    (r"--seconds", "max_seconds"),
    (r"--solver (auto|saga)", r"solver='\1'"),
    (r"--penalty l2", "penalty='l2'"),
]
_STRENGTH = {
    "C": [(r"larger --lambda", "smaller C"), (r"smaller --lambda", "larger C"), (r"--lambda ", "lambda is ")],
    "alpha": [(r"(larger|smaller) --lambda", r"\1 alpha"), (r"--lambda ", "lambda is ")],
}
_STOPPED_SHORT = "short of the tolerance"


def in_words_of(estimator, advice):
    """Each sentence with the estimator's names of parameters and classes."""
    rules = _STRENGTH["C" if hasattr(estimator, "C") else "alpha"] + _COMMON
    names = getattr(estimator, "classes_", None)

    def named(match):
        code = int(match.group(2))
        return f"{match.group(1)}{names[code]}" if names is not None and code < len(names) else match.group(0)

    sentences = []
    for sentence in advice:
        for pattern, words in rules:
            sentence = re.sub(pattern, words, sentence)
        sentence = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda match: match.group(1).replace("-", "_"), sentence)
        sentences.append(re.sub(r"(^class |labelled |typical |\blabels )(\d+)\b", named, sentence))
    return sentences


def without_stop(advice):
    """The advice, but for that of a run that stopped short of its tolerance."""
    return [sentence for sentence in advice if _STOPPED_SHORT not in sentence]
