// SPDX-License-Identifier: GPL-2.0-only
// Runs a body once on each path through it, and asks the solver which paths there are.
#ifndef PENSTOCK_TESTS_PROVE_EXPLORER_H
#define PENSTOCK_TESTS_PROVE_EXPLORER_H

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <z3++.h>

namespace prove {

// A claim that some input breaks; the text has the claim and that input.
class Refuted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The inputs of this path contradict what it assumes.
class Vacuous {};

// One proof: runs a body once on each path.
class Explorer {
 public:
  static Explorer& now() { return *current_; }

  // Returns the number of paths; throws Refuted. A proof without a path proves nothing, and is
  // refuted as well.
  unsigned explore(const std::function<void()>& body) {
    Explorer* outer = std::exchange(current_, this);
    try {
      explore_all(body);
    } catch (...) {
      current_ = outer;
      throw;
    }
    current_ = outer;
    if (paths_ == 0) {
      throw Refuted("no input satisfies what the proof assumes");
    }
    return paths_;
  }

  z3::context& context() { return context_; }

  z3::expr fresh(const char* name, unsigned bits) {
    z3::expr input = context_.bv_const(name, bits);
    inputs_.push_back(input);
    return input;
  }

  // Another name for @term: solvers like sums of sums better if each has its own.
  z3::expr named(const z3::expr& term) {
    const std::string name = "sum " + std::to_string(++names_);
    const z3::expr fresh = context_.constant(name.c_str(), term.get_sort());
    condition_.push_back(fresh == term);
    model_.reset();
    return fresh;
  }

  void assume(const z3::expr& claim) {
    condition_.push_back(claim);
    model_.reset();
    if (!repeats() && !possible({})) {
      throw Vacuous();
    }
  }

  void claim(const z3::expr& claim, const std::string& what) {
    if (!repeats() && possible({!claim})) {
      throw Refuted(what + counterexample());
    }
    condition_.push_back(claim);
  }

  // The side that the example takes is possible, so that the solver is asked about the other.
  bool decide(const z3::expr& claim) {
    if (next_ == decisions_.size()) {
      if (!model_) {
        possible({});
      }
      const z3::model example = *model_;
      const bool side = example.eval(claim, true).is_true();
      decisions_.push_back({side, possible({side ? !claim : claim})});
      model_ = example;
    }
    const bool side = decisions_[next_++].side;
    condition_.push_back(side ? claim : !claim);
    return side;
  }

 private:
  struct Decision {
    bool side;
    bool other_left;
  };

  // Up to its last decision, a path repeats what an earlier one has shown.
  bool repeats() const { return next_ < decisions_.size(); }

  void explore_all(const std::function<void()>& body) {
    do {
      next_ = 0;
      model_.reset();
      condition_.clear();
      inputs_.clear();
      names_ = 0;
      try {
        body();
        ++paths_;
      } catch (const Vacuous&) {
      }
    } while (turn());
  }

  // To the next path: the last decision that has another side left takes it.
  bool turn() {
    while (!decisions_.empty() && !decisions_.back().other_left) {
      decisions_.pop_back();
    }
    if (decisions_.empty()) {
      return false;
    }
    decisions_.back() = {!decisions_.back().side, false};
    return true;
  }

  // Whether an input satisfies the condition of this path, and these too; it is then the example.
  bool possible(const std::vector<z3::expr>& claims) {
    z3::solver solver = strategy_.mk_solver();
    for (const z3::expr& each : condition_) {
      solver.add(each);
    }
    for (const z3::expr& each : claims) {
      solver.add(each);
    }
    const z3::check_result result = solver.check();
    if (result == z3::unknown) {
      throw Refuted("the solver does not know");
    }
    if (result == z3::sat) {
      model_ = solver.get_model();
    }
    return result == z3::sat;
  }

  std::string counterexample() {
    std::string text = ", but not for";
    for (const z3::expr& input : inputs_) {
      text += " " + input.decl().name().str() + "=" +
              std::to_string(model_->eval(input, true).get_numeral_uint64());
    }
    return text;
  }

  static inline Explorer* current_ = nullptr;
  z3::context context_;
  z3::tactic strategy_ = z3::tactic(context_, "simplify") &
                         z3::tactic(context_, "propagate-values") &
                         z3::tactic(context_, "bit-blast") & z3::tactic(context_, "sat");
  std::optional<z3::model> model_;  // an example of condition_, where it is set
  std::vector<z3::expr> condition_;
  std::vector<z3::expr> inputs_;
  std::vector<Decision> decisions_;
  std::size_t next_ = 0;
  unsigned paths_ = 0;
  unsigned names_ = 0;
};

}  // namespace prove

#endif
