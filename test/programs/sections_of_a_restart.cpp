// Queries sections that only the previous run had, which it continues, and has its own section.
// "wait": waits until it is killed; "fork": a child does the same.
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <vftrace/sections.hpp>

int main(int argc, char** argv) {
    using vftrace::data_type;
    const std::string what = argc > 1 ? argv[1] : "";
    const auto total = [](const char* name) {
        return vftrace::section_data(data_type::TOTAL, name, false);
    };
    if (what == "fork") {
        if (fork() != 0)
            wait(nullptr);
        VFTRACE_SECTION("new", 1);
        return 0;
    }
    VFTRACE_SECTION("new", 1);
    if (what == "wait") {
        std::cout << "waiting" << std::endl;
        sleep(60);
    }
    std::cout << vftrace::section_data(data_type::CALLS, "Dog::soap") << ' ' << total("Dog::clean")
              << ' ' << total("Dog::rinse") << ' ' << vftrace::section_data(data_type::CALLS, "new")
              << ' ' << (total("Root") >= total("Dog::clean")) << '\n';
}
