// Many short sections of level 1, and one of level 3: the memory is read for the former as long as
// that is cheap. Prints whether their memory is known.
#include <cmath>
#include <cstdio>

#include <vftrace/sections.hpp>

int main() {
    for (int i = 0; i < 500000; i++) {
        VFTRACE_SECTION("short", 1);
    }
    { VFTRACE_SECTION("detail", 3); }
    vftrace::register_section("never", 3);
    for (const char* name : {"short", "detail", "never", "Root"})
        std::printf("%s %d\n", name,
                    std::isnan(vftrace::section_data(vftrace::data_type::TOTAL_MEMORY, name)));
}
