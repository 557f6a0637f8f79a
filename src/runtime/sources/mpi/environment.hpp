// Operations of the functions that start and end MPI, and of those that free objects that we track.
#pragma once

#include "mpi/communicators.hpp"
#include "mpi/mpi_state.hpp"
#include "mpi/wrapper.hpp"

namespace vftrace {

struct Initialize {
    void before(Call&) {}
    void after(const Call&, int result) {
        if (result == 0)
            mpi_is_initialised();
    }
};

struct InitializeThread {
    Word& provided;
    void before(Call&) {}
    void after(const Call&, int result) {
        if (result == 0)
            mpi_is_initialised();
    }
};

// The profile of all ranks is made while they can still communicate.
struct Finalize {
    void before(Call&) { mpi_ends(); }
    void after(const Call&, int) {}
};

struct Abort {
    void before(Call&) { mpi_aborts(); }
    void after(const Call&, int) {}
};

struct AskInitialized {
    Word& flag;
    void before(Call&) {}
    void after(const Call&, int) {}
};

struct BeginSession {
    Word& session;
    void before(Call&) {}
    void after(const Call&, int result) {
        if (result == 0)
            mpi_session_begins(session);
    }
};

struct EndSession {
    Word& session;
    void before(Call&) { mpi_session_ends(); }
    void after(const Call&, int) {}
};

// The handle is invalid when the real function returns, and may then already be another
// communicator's.
struct FreeCommunicator {
    static constexpr bool keeps_books = true;
    Word& comm;
    void before(Call&) {
        if (mpi_process.initialised && comm)
            forget_communicator(handle_at(comm));
    }
    void after(const Call&, int) {}
};

struct FreeWindow {
    static constexpr bool keeps_books = true;
    Word& window;
    void before(Call&) {
        if (mpi_process.initialised && window)
            forget_window(handle_at(window));
    }
    void after(const Call&, int) {}
};

}  // namespace vftrace
