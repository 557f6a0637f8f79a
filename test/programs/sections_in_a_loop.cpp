// An empty section, repeated the number of times in the argument.
#include <cstdlib>

#include <vftrace/sections.hpp>

int main(int, char** argv) {
    for (long i = std::strtol(argv[1], nullptr, 10); i > 0; i--) {
        VFTRACE_SECTION("short", 2);
    }
}
