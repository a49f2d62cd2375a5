// SPDX-License-Identifier: GPL-2.0-only
// Runs a body once on each path through it, and asks the solver which paths there are.
#ifndef PENSTOCK_TESTS_PROVE_EXPLORER_H
#define PENSTOCK_TESTS_PROVE_EXPLORER_H

#include <functional>
#include <map>
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

// What terms are made of: bits, or whole numbers and their sums.
enum class Logic { BITS, WHOLE_NUMBERS };

// One proof: runs a body once on each path.
class Explorer {
 public:
  explicit Explorer(Logic logic) : logic_(logic) {}

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
    z3::expr input = context_.bv_const(unique(name).c_str(), bits);
    inputs_.push_back(input);
    return input;
  }

  z3::expr fresh_truth(const char* name) { return context_.bool_const(unique(name).c_str()); }

  // An unknown whole number; one without a name is not part of a counterexample.
  z3::expr fresh_number(const char* name) {
    if (name == nullptr) {
      return context_.int_const(("number " + std::to_string(++names_)).c_str());
    }
    inputs_.push_back(context_.int_const(unique(name).c_str()));
    return inputs_.back();
  }

  // A fact that leaves every input possible: of unknowns that are new with it.
  void given(const z3::expr& fact) {
    condition_.push_back(fact);
    model_.reset();
  }

  // Whether @claim follows, and that is soon seen; on a path that repeats another, as there.
  bool surely(const z3::expr& claim) {
    if (asked_ == answers_.size()) {
      answers_.push_back(ask({!claim}, SOON) == z3::unsat);
    }
    return answers_[asked_++];
  }

  // Another name for @term: solvers like sums of sums better if each has its own.
  z3::expr named(const z3::expr& term) {
    const std::string name = "sum " + std::to_string(++names_);
    const z3::expr fresh = context_.constant(name.c_str(), term.get_sort());
    given(fresh == term);
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
      decisions_.push_back({side, possible({side ? !claim : claim}), asked_});
      model_ = example;
    }
    const bool side = decisions_[next_++].side;
    condition_.push_back(side ? claim : !claim);
    return side;
  }

 private:
  static constexpr unsigned SOON = 200000;  // steps, whose number no machine changes

  struct Decision {
    bool side;
    bool other_left;
    std::size_t answers;  // that were asked for before it
  };

  // An unknown of a name that is taken is another one.
  std::string unique(const std::string& name) {
    const unsigned before = taken_[name]++;
    return before == 0 ? name : name + " " + std::to_string(before + 1);
  }

  // Up to its last decision, a path repeats what an earlier one has shown.
  bool repeats() const { return next_ < decisions_.size(); }

  void explore_all(const std::function<void()>& body) {
    do {
      next_ = 0;
      model_.reset();
      condition_.clear();
      inputs_.clear();
      names_ = 0;
      taken_.clear();
      asked_ = 0;
      solver_.reset();
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
    decisions_.back().side = !decisions_.back().side;
    decisions_.back().other_left = false;
    answers_.resize(decisions_.back().answers);
    return true;
  }

  // Whether an input satisfies the condition of this path, and these too; it is then the example.
  bool possible(const std::vector<z3::expr>& claims) {
    const z3::check_result result = ask(claims, 0);
    if (result == z3::unknown) {
      throw Refuted("the solver does not know");
    }
    return result == z3::sat;
  }

  // The answer, within some steps of the solver or, with 0, however many it takes.
  z3::check_result ask(const std::vector<z3::expr>& claims, unsigned steps) {
    z3::solver& solver = path_solver();
    if (logic_ == Logic::WHOLE_NUMBERS) {
      z3::params limit(context_);
      limit.set("rlimit", steps);
      solver.set(limit);
    }
    solver.push();
    for (const z3::expr& each : claims) {
      solver.add(each);
    }
    const z3::check_result result = solver.check();
    if (result == z3::sat) {
      model_ = solver.get_model();
    }
    solver.pop();
    return result;
  }

  // Knows the condition of this path. That of bits is made again for each question, as it works on
  // all of it at once.
  z3::solver& path_solver() {
    if (!solver_ || logic_ == Logic::BITS) {
      solver_ = logic_ == Logic::BITS ? strategy_.mk_solver() : z3::solver(context_, "QF_LIA");
      known_ = 0;
    }
    for (; known_ < condition_.size(); ++known_) {
      solver_->add(condition_[known_]);
    }
    return *solver_;
  }

  std::string counterexample() {
    std::string text = ", but not for";
    for (const z3::expr& input : inputs_) {
      text +=
          " " + input.decl().name().str() + "=" + model_->eval(input, true).get_decimal_string(0);
    }
    return text;
  }

  static inline Explorer* current_ = nullptr;
  Logic logic_;
  z3::context context_;
  z3::tactic strategy_ = z3::tactic(context_, "simplify") &
                         z3::tactic(context_, "propagate-values") &
                         z3::tactic(context_, "bit-blast") & z3::tactic(context_, "sat");
  std::optional<z3::solver> solver_;
  std::size_t known_ = 0;           // how much of condition_ it has
  std::optional<z3::model> model_;  // an example of condition_, where it is set
  std::vector<z3::expr> condition_;
  std::vector<z3::expr> inputs_;
  std::vector<Decision> decisions_;
  std::vector<bool> answers_;
  std::size_t asked_ = 0;
  std::size_t next_ = 0;
  unsigned paths_ = 0;
  unsigned names_ = 0;
  std::map<std::string, unsigned> taken_;  // names of unknowns, and how many have each
};

}  // namespace prove

#endif
