// What is known about MPI in this process: whether it is running, our rank, and the ranks whose
// messages are recorded.
#pragma once

#include <cstdint>

#include "mpi/family.hpp"
#include "mpi/messages.hpp"

namespace vftrace {

class RankList;  // config/rank_list.hpp

// Set before the first call.
struct MpiSettings {
    bool active = false;                       // profiling is not switched off
    bool log_messages = true;                  // mpi.log_messages
    bool show_sync_time = false;               // mpi.show_sync_time
    const RankList* only_for_ranks = nullptr;  // mpi.only_for_ranks; nullptr: all
};
extern MpiSettings mpi_settings;

struct MpiProcess {
    bool initialised = false;  // ranks of MPI_COMM_WORLD are known
    bool used = false;         // has been initialised at some time
    bool sessions = false;     // ... by way of MPI_Session_init; there may be no MPI_COMM_WORLD
    bool threads_multiple = false;  // MPI_THREAD_MULTIPLE
    bool logging = false;           // messages are recorded now
    bool everyone = true;           // no restriction by only_for_ranks
    bool listed = true;             // our own rank is in only_for_ranks
    int rank = 0;                   // in MPI_COMM_WORLD
    int size = 1;
    Word world_group = 0;  // the group of MPI_COMM_WORLD
};
extern MpiProcess mpi_process;

// MPI has been initialised: determines family, rank and size.
void mpi_begins();
// The same, in a call of MPI_Init or MPI_Init_thread that is about to return.
void mpi_is_initialised();
// The same, if MPI was initialised before the library was loaded.
void mpi_has_begun_before();
// Stores rank and size in the record, for its recovery. Called when MPI has
// been initialised, and when a new record is made.
void note_mpi_in_record();
// MPI_Finalize is about to be called: the run ends while ranks can still communicate.
void mpi_ends();
// MPI_Abort is about to be called.
void mpi_aborts();

// MPI_Session_init and _finalize, with the address of the session. Ranks are those of the process
// set mpi://WORLD.
void mpi_session_begins(Word session);
void mpi_session_ends();

// MPI_Pcontrol: whether messages are recorded.
void log_messages(bool wanted);

bool is_listed(std::int32_t world_rank);

// Whether messages to or from this rank of MPI_COMM_WORLD are recorded.
inline bool is_recorded_peer(std::int32_t world_rank) {
    return world_rank != no_peer && (mpi_process.everyone || is_listed(world_rank));
}

}  // namespace vftrace
