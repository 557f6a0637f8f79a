// Threads begin sections at the same places, with different prefixes, while others query figures
// and take snapshots. Prints the number of each.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <vftrace/sections.hpp>

struct Worker : vftrace::section_source {
    explicit Worker(const std::string& prefix) : section_source(prefix) {}
    void work() {
        VFTRACE_SECTION("work", 1, "Working");
        VFTRACE_SECTION("inner", 2);
    }
};

int main() {
    constexpr int threads = 4, rounds = 500;
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < threads; i++)
        workers.emplace_back(new Worker("worker " + std::to_string(i)));
    std::atomic<bool> over{false};
    std::thread asks([&over] {
        double sum = 0;
        for (int i = 0; !over; i++) {
            sum += vftrace::section_data(vftrace::data_type::SELF, "worker 1::work", false);
            vftrace::section_snapshot(i);
        }
        if (sum < 0)
            std::puts("time runs backwards");
    });
    std::vector<std::thread> team;
    for (int t = 0; t < threads; t++)
        team.emplace_back([&workers, t] {
            for (int i = 0; i < rounds; i++)
                workers[static_cast<std::size_t>((i + t) % threads)]->work();
        });
    for (std::thread& thread : team)
        thread.join();
    over = true;
    asks.join();
    std::puts("done");
}
