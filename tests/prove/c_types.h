// SPDX-License-Identifier: GPL-2.0-only
// The integer types of core/base.h for proofs, after the header that defines prove::Int. After it
// no header of the standard library may come: bool is another type.
#ifndef PENSTOCK_TESTS_PROVE_C_TYPES_H
#define PENSTOCK_TESTS_PROVE_C_TYPES_H

using u8 = prove::Int<8, false>;
using u16 = prove::Int<16, false>;
using u32 = prove::Int<32, false>;
using u64 = prove::Int<64, false>;
using s32 = prove::Int<32, true>;
using s64 = prove::Int<64, true>;

#define bool prove::Bool

#define PST_CHOOSE(truth, a, b) prove::choose(truth, a, b)

// A proof assumes what its own entry requires, so that inside it every contract is a claim.
#define PST_REQUIRE(claim) prove::holds(prove::Bool(claim), #claim)
#define PST_ENSURE(claim) prove::holds(prove::Bool(claim), #claim)

#endif
