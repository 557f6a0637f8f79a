// Tells a program that was linked with "-lmpi -lvftrace" that its MPI calls pass the library by.
#include <dlfcn.h>

#include "base/message.hpp"
#include "mpi/session.hpp"

using namespace vftrace;

// Linked into the library that has the wrappers only. Runs after the library has started.
[[gnu::constructor(102)]] static void check_link_order() {
    void* first = dlsym(RTLD_DEFAULT, "PMPI_Init");
    Dl_info ours, theirs;
    if (!mpi_settings.active || !first || !dladdr(first, &theirs) ||
        !dladdr(reinterpret_cast<void*>(&check_link_order), &ours) ||
        theirs.dli_fbase == ours.dli_fbase)
        return;
    message("the MPI library %s comes before libvftrace in the program's link order: MPI calls "
            "will not be seen. Put -lvftrace before -lmpi, use vftrace-mpicc, or preload the "
            "library with vftrace run",
            theirs.dli_fname);
    tell_messages();  // nothing may ever be recorded
}
