"""A copy of the sources in which every number that steers a method asks the environment for a factor, and its build.

A number is `constexpr double kName = 3;` (or Index, int, ..) in FOLDERS. Its declaration stays; what uses it gets the changed one:
`kName` becomes `kName_tuned.get()`. Numbers that the compiler itself needs (sizes of arrays) stay as they are.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["anchor", "exact", "kernel", "problem", "select", "solve", "stochastic"]
COPIED = ["src", "include", "apps", "cmake", "report", "experiments", "bench", "CMakeLists.txt", "CMakePresets.json"]
DECLARATION = re.compile(r"^(\s*)(static |inline )*constexpr (double|float|Index|int|std::size_t|std::uint32_t) (k[A-Z]\w* = [^;]*);(.*)$")
GROUP = re.compile(r"^(\s*)(static |inline )*constexpr (std::array<Index, \d>|double|SampleGrowth) (k[A-Z]\w*(?:\[\d*\])?(?: = )?\{[^;]*\}[^;]*);(.*)$")
LITERAL = re.compile(r"(?<![\w.])\d[\d']*(?:\.\d+)?(?:e[+-]?\d+)?")

HEADER = """#pragma once
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
namespace s3gd_tuned {
template <class T>
T changed(const char* name, T value) {
  static const char* const wanted = std::getenv("S3GD_CONSTANT");
  if (wanted == nullptr || std::strcmp(wanted, name) != 0) return value;
  const double v = static_cast<double>(value), factor = std::atof(std::getenv("S3GD_FACTOR"));
  if constexpr (static_cast<T>(0.5) == 0) return static_cast<T>(std::fmax(v > 0 ? 1.0 : v, std::round(v * factor)));
  if (std::strstr(name, "Growth") != nullptr) return static_cast<T>(1 + (v - 1) * factor);
  return static_cast<T>(v > 0.5 && v < 1 ? 1 - (1 - v) * factor : v * factor);
}
inline void note(const char* name) {  // one line for each number that is used, the first time
  static std::FILE* const out = std::getenv("S3GD_USED") != nullptr ? std::fopen(std::getenv("S3GD_USED"), "a") : nullptr;
  if (out != nullptr) std::fprintf(out, "%s\\n", name), std::fflush(out);
}
template <class T>
class Number {
 public:
  constexpr Number(const char* name, T value) : name_(name), value_(value) {}
  T get() {
    if (!ready_.load(std::memory_order_acquire)) look_up();
    return value_;
  }

 private:
  void look_up() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (ready_.load(std::memory_order_relaxed)) return;
    value_ = changed(name_, value_);
    note(name_);
    ready_.store(true, std::memory_order_release);
  }
  const char* name_;
  T value_;
  std::atomic<bool> ready_ = false;
};
}  // namespace s3gd_tuned
"""


class Constant(NamedTuple):
    file: str
    line: int
    value: str
    reason: str


def split_declarators(text):
    """"kA = 1, kB = f(2, 3)" -> [("kA", "1"), ("kB", "f(2, 3)")]."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text + ","):
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [tuple(word.strip() for word in part.split("=", 1)) for part in parts]


def is_number(value):
    return "numeric_limits" not in value and re.search(r"\d", value)


def find(folders=FOLDERS):
    """All numbers: {key: Constant}, and for each file [(line, declaration's match, [(key, name, value)])]."""
    found, places = {}, {}
    for path in sorted(p for folder in folders for p in (ROOT / "src" / folder).rglob("*.[ch]pp")):
        name = str(path.relative_to(ROOT / "src"))
        lines = path.read_text().split("\n")
        for i, line in enumerate(lines):
            group = GROUP.match(line)
            match = group or DECLARATION.match(line)
            if not match:
                continue
            comment = match.groups()[-1].strip(" /")
            if not comment and i > 0 and lines[i - 1].strip().startswith("//"):
                above = i - 1
                while above > 0 and lines[above - 1].strip().startswith("//"):
                    above -= 1
                comment = " ".join(word.strip(" /") for word in lines[above:i])
            if not group:
                numbers = [(f"{name}:{k}", k, v[0]) for k, *v in split_declarators(match[4]) if v and is_number(v[0])]
                for key, _, value in numbers:
                    found[key] = Constant(f"src/{name}", i + 1, value, comment)
                if numbers:
                    places.setdefault(name, []).append((i, match, numbers))
            else:
                for part in split_declarators(match[4]) if match[3] == "double" else [(match[4],)]:
                    k, head, values = re.match(r"(k[A-Z]\w*)([^{]*)(\{.*\})$", " = ".join(part)).groups()
                    for n, value in enumerate(LITERAL.findall(values)):
                        found[f"{name}:{k}[{n}]"] = Constant(f"src/{name}", i + 1, value, comment)
                places.setdefault(name, []).append((i, match, None))
    return found, places


def group_line(name, match):
    """A declaration of several numbers at once, asked for when the program starts."""
    indent, _, kind, body, rest = match.groups()
    key = ""

    def asked(part):
        nonlocal key
        k, head, values = re.match(r"(k[A-Z]\w*)([^{]*)(\{.*\})$", part).groups()
        numbers = iter(range(100))
        element = "double" if kind in ("double", "SampleGrowth") else "Index"
        values = LITERAL.sub(lambda v: f'static_cast<{element}>(s3gd_tuned::changed<{element}>("{name}:{k}[{next(numbers)}]", {v[0]}))', values)
        return k + head + values

    parts = [" = ".join(p) for p in split_declarators(body)] if kind == "double" else [body]
    text = ", ".join(asked(part) for part in parts)
    if kind == "SampleGrowth":
        text = re.sub(r"\.first = static_cast<double>", ".first = static_cast<Index>", text)
    return f"{indent}{'static ' if indent else ''}const {kind} {text};"


def rewrite(work, fixed, folders=FOLDERS):
    """Writes the copies; returns {key: Constant}, and for every changed line of a file the keys used in it."""
    found, places = find(folders)
    shared = {}  # name -> key, of headers' numbers that others may use
    own = {name: {k for _, _, numbers in at if numbers for _, k, _ in numbers} for name, at in places.items()}
    for name, at in places.items():
        if name.endswith(".hpp"):
            for _, match, numbers in at:
                local = match[1] and not match[2]
                shared.update({k: key for key, k, _ in numbers or [] if not local and key not in fixed})
    uses = {}
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        name = str(path.relative_to(ROOT / "src"))
        lines = path.read_text().split("\n")
        declared = {i: (match, numbers) for i, match, numbers in places.get(name, [])}
        mine = {k: key for _, numbers in declared.values() if numbers for key, k, _ in numbers if key not in fixed}
        names = {k: key for k, key in shared.items() if k not in own.get(name, ()) and k in path.read_text()} | mine
        pattern = re.compile(r"\b(" + "|".join(names) + r")\b") if names else None
        for i, line in enumerate(lines):
            if i in declared and declared[i][1] is None:
                keys = [key for key in found if key.startswith(f"{name}:") and found[key].line == i + 1]
                if not any(key in fixed for key in keys):
                    lines[i] = group_line(name, declared[i][0])
                    uses[name, i + 2] = set(keys)
                continue
            if i in declared:
                match, numbers = declared[i]
                indent, words, kind = match[1], match[2] or "", match[3]
                how = "inline " if name.endswith(".hpp") and not indent else "static inline " if indent and words else "static " if indent else ""
                slots = [f'{how}constinit s3gd_tuned::Number<{kind}> {k}_tuned{{"{key}", {k}}};' for key, k, _ in numbers if key not in fixed]
                lines[i] = line.split(";")[0].replace("constexpr", "[[maybe_unused]] constexpr", 1) + "; " + " ".join(slots)
                if words:  # an attribute comes first
                    lines[i] = lines[i].replace(words + "[[maybe_unused]] ", "[[maybe_unused]] " + words)
                uses[name, i + 2] = {key for key, _, _ in numbers}
            elif pattern and not line.lstrip().startswith("//") and pattern.search(line):
                code, slashes, comment = line.partition("//")
                uses[name, i + 2] = {names[k] for k in pattern.findall(code)}
                lines[i] = pattern.sub(lambda m: m[0] + "_tuned.get()", code) + slashes + comment
        text = ('#include "base/tuned.hpp"\n' if any(file == name for file, _ in uses) else "\n") + "\n".join(lines)
        target = work / "src" / name
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    return found, uses


def copy(work):
    """What is not rewritten; files that are as they were keep their time, so that a second build is short."""
    for name in COPIED:
        for path in [ROOT / name] if (ROOT / name).is_file() else [p for p in (ROOT / name).rglob("*") if p.is_file()]:
            target = work / path.relative_to(ROOT)
            if (name == "src" and path.suffix in (".cpp", ".hpp") or target.exists()
                    and target.stat().st_mtime >= path.stat().st_mtime and target.stat().st_size == path.stat().st_size):
                target.parent.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    header = work / "src/base/tuned.hpp"
    if not header.exists() or header.read_text() != HEADER:
        header.write_text(HEADER)


def build(work, targets, jobs):
    """Builds; numbers that the compiler needs are put back until it succeeds. Returns the numbers and those put back."""
    copy(work)
    kept = work / "known_to_the_compiler.txt"
    fixed = set(kept.read_text().split()) if kept.exists() else set()
    found, uses = rewrite(work, fixed)
    configure = ["cmake", "-S", str(work), "-B", str(work / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DS3GD_UNITY=OFF",
                 "-DS3GD_BUILD_TESTS=OFF", "-DS3GD_BUILD_BENCH=ON", "--log-level=ERROR"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    for _ in range(20):
        done = subprocess.run(["ninja", "-C", str(work / "build"), "-k", "0", f"-j{jobs}", *targets], capture_output=True, text=True)
        if done.returncode == 0:
            return found, fixed
        blamed = set()
        for file, line in re.findall(r"src/(\S+?):(\d+):\d+: +(?:error|note|  )", done.stdout):
            blamed |= uses.get((file, int(line)), set())
        if not blamed - fixed:
            sys.exit(done.stdout[-6000:])
        print("known to the compiler:", *sorted(blamed - fixed), file=sys.stderr)
        fixed |= blamed
        kept.write_text("\n".join(sorted(fixed)))
        found, uses = rewrite(work, fixed)
    sys.exit("the numbers that the compiler needs were not found in twenty rounds")
