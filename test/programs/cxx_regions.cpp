// Scoped regions of vftrace.hpp, left by return and by exception.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vftrace.hpp>

__attribute__((noinline)) static void named_after_itself() {
    VFTRACE_FUNCTION_REGION();
    std::puts("inside");
}
__attribute__((noinline)) static void throws() {
    vftrace::region r{"left by exception"};
    throw std::runtime_error("thrown");
}

int main() {
    for (int i = 0; i < 3; i++) {
        vftrace::region scope{"scope"};
        vftrace::region inner{std::string("from a string")};
    }
    named_after_itself();
    try {
        throws();
    } catch (const std::exception&) {
    }
    VFTRACE_REGION("after throw");
}
