// The cost of asynchronous tasks: task_cost WHAT N
//   await   ns to await a coroutine that does nothing, over N of them
//   types   bytes of memory per type of tasks, for N types at one path
//   chain   MiB of the program when each of N tasks has created the next one
// Also built without vftrace's tasks, to measure the cost of awaiting without them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <unistd.h>

#include <vftrace/tasks.h>

#include "../programs/await_types.hpp"
#ifdef WITH_TASKS
#include <vftrace/coroutines.hpp>
VFTRACE_TRACE_TASK_TEMPLATE(lazy)
#endif

namespace {

double seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double resident_bytes() {
    long size = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &size, &resident) != 2)
            resident = 0;
        std::fclose(file);
    }
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

lazy<int> nothing(int i) { co_return i; }

lazy<long> await_all(long count) {
    long sum = 0;
    for (long i = 0; i < count; i++)
        sum += co_await nothing(1);
    co_return sum;
}

void one(const char* type) {
    const vftrace_task_id task = vftrace_task_create(type, "", 0);
    vftrace_task_run(task);
    vftrace_task_complete(task);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3)
        return 2;
    const std::string what = arguments[1];
    const long n = std::atol(arguments[2]);
    if (what == "await") {
        await_all(1000).run();
        const double begin = seconds();
        if (await_all(n).run() != n)
            return 1;
        std::printf("%f\n", 1e9 * (seconds() - begin) / static_cast<double>(n));
    } else if (what == "types") {
        one("first");
        const double before = resident_bytes();
        for (long i = 0; i < n; i++)
            one(("request " + std::to_string(i)).c_str());
        std::printf("%f\n", (resident_bytes() - before) / static_cast<double>(n));
    } else if (what == "chain") {
        vftrace_task_id running = vftrace_task_create("link", "", 0);
        vftrace_task_run(running);
        for (long i = 0; i < n; i++) {
            const vftrace_task_id next = vftrace_task_create("link", "", 0);
            vftrace_task_complete(running);
            vftrace_task_run(next);
            running = next;
        }
        vftrace_task_complete(running);
        std::printf("%f\n", resident_bytes() / (1 << 20));
    } else {
        return 2;
    }
}
