// daemon(3), because the end of the parent in the C library's version cannot be observed.
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include "guest/next_function.hpp"
#include "lifecycle/run.hpp"

// The same steps, made of calls that leave a profile of the parent.
extern "C" [[gnu::visibility("default")]] int daemon(int keep_directory,
                                                     int keep_descriptors) noexcept {
    if (vftrace::run_phase != vftrace::RunPhase::recording)
        return vftrace::next_function<int (*)(int, int)>("daemon")(keep_directory,
                                                                   keep_descriptors);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0)
        _exit(0);
    if (setsid() < 0)
        return -1;
    if (!keep_directory && chdir("/") != 0)
        return -1;
    if (!keep_descriptors) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing < 0)
            return -1;
        for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            dup2(nothing, descriptor);
        if (nothing > STDERR_FILENO)
            close(nothing);
    }
    return 0;
}
