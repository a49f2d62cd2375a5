// SPDX-License-Identifier: GPL-2.0-only
// penstock-ns3: runs one network in ns-3. Reads a description on standard input and writes the
// result, as JSON, on standard output. Exit 78 for a description that ns-3 cannot run.
#include "network.h"

#include <iostream>
#include <stdexcept>

int
main()
{
    constexpr int exitConfig = 78;
    try
    {
        penstock::Network network(penstock::Read(std::cin));
        network.Run();
        network.Write(std::cout);
    }
    catch (const std::invalid_argument& error)
    {
        std::cerr << error.what() << '\n';
        return exitConfig;
    }
    return std::cout ? 0 : 1;
}
