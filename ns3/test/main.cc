// SPDX-License-Identifier: GPL-2.0-only
// ns-3's test runner as a program of its own, for an ns-3 that was installed without one.
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
