# SPDX-License-Identifier: GPL-2.0-only
"""The count of contracts: which text is a function, and which a contract."""

from contracts import counts, counts_of_long

C = """
/* pst_unread(u32 a) { PST_REQUIRE(a); } */
#define PST_READ(x) pst_read(x) {
PST_FN u64 pst_read(const struct pst_queue *q, u32 bytes)
{
	PST_REQUIRE(bytes > 0);
	if (bytes) {
		while (q->bytes) { bytes--; }
	}
	PST_ENSURE(bytes == 0);
	return bytes;
}
"""
CPP = """
class Queue {
 public:
  explicit Queue(int bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_ == 0; }
  int pop() override;  // "PST_REQUIRE("
};
int Queue::pop() {
  PST_REQUIRE(!empty());
  return --bytes_;
}
"""


def test_a_definition_is_a_function_and_a_branch_is_none() -> None:
    assert counts(C) == (1, 2)


def test_members_in_and_outside_of_a_class_count() -> None:
    assert counts(CPP) == (3, 1)


def test_a_long_function_has_more_than_three_statements_besides_contracts() -> None:
    assert counts_of_long(C) == (0, 0)
    assert counts_of_long(C.replace("bytes--;", "bytes--; a(); b();")) == (1, 2)
    assert counts_of_long(CPP) == (0, 0)
