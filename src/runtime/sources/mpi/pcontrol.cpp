// MPI_Pcontrol, the only variadic function, and what the wrappers do without an MPI library.
#include <cstdarg>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "mpi/environment.hpp"

namespace vftrace {

Word call_without_mpi(FunctionId function, const Word* flag) {
    constexpr Word mpi_err_other = 16;
    if (flag &&
        (function == FunctionId::MPI_Initialized || function == FunctionId::MPI_Finalized)) {
        *reinterpret_cast<int*>(*flag) = 0;
        return 0;
    }
    VFTRACE_MESSAGE_ONCE("%s was called, but the process does not have an MPI library (reported "
                         "once)",
                         mpi_name(function));
    return mpi_err_other;
}

double clock_without_mpi(FunctionId function) {
    return function == FunctionId::MPI_Wtick ? 1e-9 : static_cast<double>(monotonic_ns()) / 1e9;
}

// 0 stops the recording of messages, 1 and 2 start it; functions are profiled in any case. Other
// levels are refused as before. Further arguments, which have no meaning for this profiler, are
// passed to the next one in the chain as far as they are words.
static int control(const Site& site, int level, Word a, Word b, Word c) {
    void* real = real_function(FunctionId::MPI_Pcontrol, site.entry);
    if (!real)
        return to_int(call_without_mpi(FunctionId::MPI_Pcontrol, nullptr));
    Call call(FunctionId::MPI_Pcontrol, site);
    int result = reinterpret_cast<int (*)(int, ...)>(real)(level, a, b, c);
    if (call.nested())
        return result;
    bool known = level >= 0 && level <= 2;
    if (known)
        log_messages(level != 0);
    call.stop();
    call.leave();
    return known ? result : 1;
}

}  // namespace vftrace

using namespace vftrace;

#define VFTRACE_PCONTROL(name, entry)                                                              \
    VFTRACE_MPI_EXPORT int name(const int level, ...) {                                            \
        std::va_list more;                                                                         \
        va_start(more, level);                                                                     \
        Word a = va_arg(more, Word), b = va_arg(more, Word), c = va_arg(more, Word);               \
        va_end(more);                                                                              \
        return control(VFTRACE_MPI_SITE(entry), level, a, b, c);                                   \
    }
VFTRACE_PCONTROL(MPI_Pcontrol, called_as_mpi)
VFTRACE_PCONTROL(PMPI_Pcontrol, called_as_pmpi)
