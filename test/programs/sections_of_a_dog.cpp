// The example of PerfGraph's documentation, by a clock that it sets itself: soap 0.2 s, rinse 0.3
// s, and 0.1 s of cleaning beside them, three times.
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vftrace/time_section.hpp>

static long long now_ns = 1000000000;

// In the place of the C library's, for the profiler too.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (clock != CLOCK_MONOTONIC)
        return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    time->tv_sec = now_ns / 1000000000;
    time->tv_nsec = now_ns % 1000000000;
    return 0;
}

// The kernel seems to have no other clock than that.
extern "C" int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if (!std::strstr(path, "current_clocksource"))
        return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
    const int file = memfd_create("clocksource", MFD_CLOEXEC);
    if (write(file, "hpet\n", 5) == 5)
        lseek(file, 0, SEEK_SET);
    return file;
}

static void take(double seconds) { now_ns += static_cast<long long>(seconds * 1e9 + 0.5); }

class Dog : public PerfGraphInterface {
  public:
    void clean() {
        TIME_SECTION("clean", 2, "Cleaning the Dog");
        take(0.1);
        {
            TIME_SECTION("soap", 3, "Soaping the Dog");
            take(0.2);
        }
        {
            TIME_SECTION("rinse", 3, "Rinsing the Dog");
            take(0.3);
        }
    }
};

int main(int argc, char**) {
    Dog dog;
    for (int i = 0; i < 3; i++)
        dog.clean();
    if (argc > 1) {
        using vftrace::data_type;
        for (int type = 0; type <= static_cast<int>(data_type::CALLS); type++)
            std::cout << vftrace::section_data(static_cast<data_type>(type), "Dog::clean") << " ";
        std::cout << "\n";
        vftrace::section_table table;
        table.level = 6;
        vftrace::print_sections(std::cout, table);
    }
    std::cout << "clean\n";
}
