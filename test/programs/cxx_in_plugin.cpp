// A plugin in C++ for a program in C, which then has a C++ library that only the plugin sees.
#include <new>
#include <string>
#include <vector>

namespace {

std::vector<std::string> made_when_loaded(10, std::string(100, 'x'));

struct alignas(256) Wide {
    char bytes[256];
};

}  // namespace

extern "C" int count_in_plugin() {
    Wide* const wide = new Wide[3];
    char* const none = new (std::nothrow) char[7];
    delete[] none;
    delete[] wide;
    return static_cast<int>(made_when_loaded.size());
}
