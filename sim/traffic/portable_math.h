// SPDX-License-Identifier: GPL-2.0-only
// Elementary functions with bit-identical results everywhere. They use only + - * / and sqrt,
// which IEEE 754 rounds correctly; libm's functions differ in the last digit.
#pragma once

namespace penstock::traffic {

double natural_log(double x);         // x > 0, normal; within 2 units in the last place
double exponential(double x);         // |x| < 700; relative error below 1e-15
double normal_quantile(double share);  // share in (0, 1); relative error below 1e-14

}  // namespace penstock::traffic
