// Warns if a program was linked with "-lmpi -lvftrace", so that its MPI calls bypass the library.
#include <dlfcn.h>

#include "base/message.hpp"
#include "guest/link_order.hpp"
#include "mpi/mpi_state.hpp"

using namespace vftrace;

// Linked only into the library that has the wrappers. Runs after the library has started.
[[gnu::constructor(102)]] static void check_link_order() {
    const char* library = library_before_ours(dlsym(RTLD_DEFAULT, "PMPI_Init"),
                                              reinterpret_cast<const void*>(&check_link_order));
    if (!library || !mpi_settings.active)
        return;
    message_of(Speaker::machine,
               "the MPI library %s comes before libvftrace in the program's link order: MPI calls "
               "will not be recorded. Put -lvftrace before -lmpi, use vftrace-mpicc, or preload "
               "the library with vftrace run",
               library);
    write_held_messages();  // now, because nothing may ever be recorded
}
