// All forms of sections of vftrace/sections.hpp, and queries of their figures. Prints lines that
// the test compares.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <vftrace/sections.hpp>

using vftrace::data_type;

static double calls(const char* name) {
    return vftrace::section_data(data_type::CALLS, name, false);
}
static void print_calls(const char* name) { std::printf("%s %g\n", name, calls(name)); }

static void spin(double seconds) {
    timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (static_cast<double>(now.tv_sec - start.tv_sec) +
               1e-9 * static_cast<double>(now.tv_nsec - start.tv_nsec) <
           seconds);
}

namespace zoo {
struct Animal : vftrace::section_source {
    Animal() = default;
    explicit Animal(const std::string& prefix) : section_source(prefix) {}
    void eat() { VFTRACE_SECTION("eat", 1); }
};
struct Cat : Animal {};
struct Dog : Animal {};
}  // namespace zoo

static void forms() {
    VFTRACE_SECTION("two arguments", 1);
    VFTRACE_SECTION("three arguments", 2, "Three");
    VFTRACE_SECTION("four arguments", 3, "Four", false);
    static const vftrace::section_id id = vftrace::register_section("one argument", 4);
    VFTRACE_SECTION(id);
    for (int i = 0; i < 3; i++) {
        VFTRACE_SECTION("made of " + std::to_string(i), 1);
        char text[32];
        std::snprintf(text, sizeof text, "array of %d", i);
        VFTRACE_SECTION(text, 1);
    }
}

static void prefixes() {
    std::vector<std::unique_ptr<zoo::Animal>> animals;
    animals.emplace_back(new zoo::Cat);
    animals.emplace_back(new zoo::Dog);
    animals.emplace_back(new zoo::Animal("Tom"));
    animals.emplace_back(new zoo::Animal("Jerry"));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&animals, t] {
            for (int i = 0; i < 400; i++)
                animals[static_cast<std::size_t>((i + t) % 4)]->eat();
        });
    for (std::thread& thread : threads)
        thread.join();
    const vftrace::section_id sleep = animals[2]->register_section("sleep", 2);
    VFTRACE_SECTION(sleep);
}

static void throws() {
    VFTRACE_SECTION("throws", 1);
    throw std::runtime_error("thrown");
}

static void deep(int level) {
    if (level == 0)
        return;
    VFTRACE_SECTION("level " + std::to_string(level), 6);
    deep(level - 1);
}

static void recursion(int depth) {
    VFTRACE_SECTION("recursion", 1);
    spin(0.01);
    if (depth > 1)
        recursion(depth - 1);
}

static void figures() {
    {
        VFTRACE_SECTION("outer", 1);
        spin(0.02);
        VFTRACE_SECTION("inner", 2);
        spin(0.03);
        // While both run, queried from here and from another thread.
        const double here = vftrace::section_data(data_type::TOTAL, "outer");
        double there = 0;
        std::thread([&there] { there = vftrace::section_data(data_type::TOTAL, "outer"); }).join();
        std::printf("running %d %d %g\n", here >= 0.05, there >= here, calls("inner"));
        const double self = vftrace::section_data(data_type::SELF, "outer");
        std::printf("self while it runs %d\n", self >= 0.02 && self < here - 0.029);
    }
    const auto of = [](data_type type) { return vftrace::section_data(type, "outer"); };
    const double root = vftrace::section_data(data_type::TOTAL, "Root");
    const auto near = [](double a, double b) {
        return std::fabs(a - b) <= 1e-3 * std::fabs(b) + 1e-9;
    };
    std::printf("sum %d\n",
                near(of(data_type::SELF) + of(data_type::CHILDREN), of(data_type::TOTAL)));
    std::printf("averages %d\n",
                near(of(data_type::TOTAL_AVG) * of(data_type::CALLS), of(data_type::TOTAL)));
    std::printf("percent %d\n",
                std::fabs(of(data_type::TOTAL_PERCENT) - 100 * of(data_type::TOTAL) / root) < 0.5);
    std::printf("root %g %d\n", calls("Root"),
                near(vftrace::section_data(data_type::TOTAL_PERCENT, "Root"), 100));
    recursion(5);
    const double total = vftrace::section_data(data_type::TOTAL, "recursion");
    std::printf("recursion %g %d\n", calls("recursion"), total >= 0.05 && total < 0.5);
    std::printf("recursion is all its own %d\n",
                near(vftrace::section_data(data_type::SELF, "recursion"), total));
}

static void names() {
    vftrace::register_section("never run", 3);
    std::printf("never run %g\n", vftrace::section_data(data_type::TOTAL, "never run"));
    std::printf("unknown %g\n", vftrace::section_data(data_type::TOTAL, "unknown", false));
    try {
        vftrace::section_data(data_type::TOTAL, "unknown");
    } catch (const std::out_of_range& error) {
        std::printf("%s\n", error.what());
    }
    double value = 0;
    const int status = vftrace_section_data(VFTRACE_TOTAL, "unknown", 0, &value);
    std::printf("in C %d %d\n", status == VFTRACE_SECTION_UNKNOWN, std::isnan(value));
    std::printf("bad figure %d\n",
                vftrace_section_data(99, "never run", 0, &value) == VFTRACE_SECTION_BAD_FIGURE);
}

static void memory() {
    char* volatile block;
    {
        VFTRACE_SECTION("memory", 1);
        block = static_cast<char*>(std::malloc(64 << 20));
        std::memset(block, 1, 64 << 20);
        VFTRACE_SECTION("no memory", 1);
        std::printf("grows while it runs %d\n",
                    vftrace::section_data(data_type::TOTAL_MEMORY, "memory") > 60);
    }
    const double grown = vftrace::section_data(data_type::TOTAL_MEMORY, "memory");
    std::printf("memory %d %d\n", grown > 60 && grown < 70,
                vftrace::section_data(data_type::SELF_MEMORY, "no memory") < 4);
    std::printf("memory of all %d\n", vftrace::section_data(data_type::TOTAL_MEMORY, "Root") > 60);
    std::free(block);
}

static void threads() {
    const auto work = [] {
        VFTRACE_SECTION("of threads", 1);
        spin(0.05);
    };
    std::thread other(work);
    work();
    other.join();
    const double all = vftrace::section_data(data_type::TOTAL, "of threads");
    const double own = vftrace::section_data(data_type::TOTAL, "of threads", true,
                                             vftrace::section_threads::calling);
    std::printf("threads %d %d %g\n", all >= 0.1, own >= 0.05 && own < all - 0.049,
                vftrace::section_data(data_type::CALLS, "of threads", true,
                                      vftrace::section_threads::calling));
}

int main() {
    for (int i = 0; i < 2; i++)
        forms();
    for (const char* name : {"one argument", "two arguments", "three arguments", "four arguments",
                             "made of 2", "array of 1"})
        print_calls(name);
    prefixes();
    for (const char* name :
         {"zoo::Cat::eat", "zoo::Dog::eat", "Tom::eat", "Jerry::eat", "Tom::sleep"})
        print_calls(name);
    try {
        throws();
    } catch (const std::exception&) {
    }
    { VFTRACE_SECTION("after the exception", 1); }
    deep(300);
    print_calls("level 1");
    figures();
    names();
    memory();
    threads();
    std::puts("done");
}
