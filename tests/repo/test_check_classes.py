# SPDX-License-Identifier: GPL-2.0-only
"""tools/check_classes.py counts what a class has, and says who has too much."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_classes  # noqa: E402

HEADER = """
// class Comment { void no(); };
template <class T>
class Box final : public Base<T> {
 public:
  using Value = T;
  explicit Box(int size) : size_(size), items_{size} {}
  Box(const Box&) = delete;
  int size() const { if (size_) { return size_; } return 0; }
  virtual void put(const T& item) = 0;
  template <class F>
  void each(F f);
  static constexpr int kMost = 3;

 private:
  enum class State { kOpen, kShut };
  struct Inner {
    int a;
    int b = 2;
  };
  std::function<void(int)> told_;
  std::map<int, std::vector<T>> items_{};
  struct pst_prr prr_{};
  bool open_ : 1 = false;
  int size_ = most(3);
};
struct Data {
  int a = 0;
  int b[2] = {0, 0};
};
"""


def test_methods_and_fields_are_counted() -> None:
    assert list(check_classes.classes(HEADER)) == [("Box", 4, 5)]


def test_source_files_are_those_that_define_its_functions() -> None:
    texts = {
        "sim/net/a.cpp": "void Box::put(int) {}\n",
        "sim/net/b.cpp": "int Box::size() const {\n}\n",
        "sim/net/c.cpp": "void f() {\n  Box::make();\n}\n",
    }
    assert check_classes.sources_of("Box", texts) == 2


@pytest.mark.parametrize(
    ("what", "header"),
    [
        ("31 methods", "class Big {\n" + "  void f();\n" * 31 + "};"),
        ("21 fields", "class Big {\n" + "  int f_;\n" * 21 + "};"),
    ],
)
def test_a_class_above_a_bound_is_named(what: str, header: str) -> None:
    (found,) = check_classes.complaints({"sim/net/big.h": header})
    assert found.startswith(f"sim/net/big.h: Big has {what}")


def test_the_tree_keeps_the_bounds() -> None:
    assert list(check_classes.complaints(check_classes.read(ROOT))) == []
