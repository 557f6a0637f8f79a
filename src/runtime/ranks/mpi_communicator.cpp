#include "ranks/mpi_communicator.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "mpi/functions.hpp"
#include "mpi/mpi_state.hpp"
#include "tree/event_buffer.hpp"

namespace vftrace {
namespace {

constexpr int tag = 1;
constexpr double for_ever = 1e9;  // seconds
// Messages are sent in pieces of this size, so that a rank without memory for a whole message can
// still receive it: otherwise the sender would wait forever. The memory costs nothing until then.
constexpr std::size_t largest_piece = std::size_t{1} << 18;
char unwanted[largest_piece];

Word byte() { return static_cast<Word>(family.constants.byte); }
Word no_status() { return static_cast<Word>(family.constants.status_ignore); }

// Completes a request within the timeout. Rank 0 reports why the program does not end.
bool complete(Word& request, double timeout_s) {
    constexpr std::uint64_t second = 1'000'000'000, patience = 30 * second;
    std::uint64_t start = monotonic_ns();
    bool reported = mpi_process.rank != 0 || timeout_s == for_ever;
    timespec pause{0, 20'000};
    for (;;) {
        int done = 0;
        if (call_real(FunctionId::MPI_Test, word_of(&request), word_of(&done), no_status()) != 0)
            return false;
        std::uint64_t waited = monotonic_ns() - start;
        if (done)
            return true;
        if (static_cast<double>(waited) > timeout_s * static_cast<double>(second))
            return false;
        if (!reported && waited > patience) {
            reported = true;
            message("rank 0 is in MPI_Finalize and waits for the profiles of the other ranks, %g s "
                    "at most (mpi.collation_timeout). Programs of the job that are not linked to "
                    "vftrace never send one",
                    timeout_s);
        }
        if (waited > 200'000) {  // ranks that arrive together do not sleep
            nanosleep(&pause, nullptr);
            pause.tv_nsec = std::min(2 * pause.tv_nsec, 2'000'000L);
        }
    }
}

// Whether all ranks are here and none has stopped waiting for the others. A rank that arrives after
// another one has given up must not wait for it, so each rank first reports that it is here (a
// barrier), and then whether it was still here when all had arrived. Neither step blocks; MPI may
// write to the static variables later, in the program's MPI_Finalize.
//
// Also finds out whether any rank is traced.
bool all_ranks_agree(double timeout_s, bool& any_traced) {
    constexpr unsigned char here = 1, not_traced = 2;
    static Word barrier, agreement;
    static unsigned char mine, all;
    Word world = static_cast<Word>(family.constants.comm_world);
    if (!real_function(FunctionId::MPI_Ibarrier))
        return true;
    if (call_real(FunctionId::MPI_Ibarrier, world, word_of(&barrier)) != 0)
        return false;
    mine = complete(barrier, timeout_s) ? here : 0;
    if (!trace_settings.active)
        mine |= not_traced;
    bool asked =
        call_real(FunctionId::MPI_Iallreduce, word_of(&mine), word_of(&all), 1, byte(),
                  static_cast<Word>(family.constants.bitwise_and), world, word_of(&agreement)) == 0;
    if (!(mine & here) || !asked || !complete(agreement, timeout_s))
        return false;
    any_traced = !(all & not_traced);
    return all & here;
}

// Returns false if there is not enough memory.
bool make_room(std::vector<char>& data, std::uint64_t bytes) {
    return run_guarded([&] { data.resize(bytes); });
}

}  // namespace

// Does not duplicate MPI_COMM_WORLD: that would call the program's functions for copying its
// attributes, which may fail.
MpiCommunicator::MpiCommunicator(double timeout_s) : timeout_s_(timeout_s) {
    Word world = static_cast<Word>(family.constants.comm_world);
    if (!all_ranks_agree(timeout_s, any_traced_))
        return;
    usable_ = call_real(FunctionId::MPI_Comm_create, world, mpi_process.world_group,
                        word_of(&communicator_)) == 0;
    if (usable_)
        call_real(FunctionId::MPI_Comm_set_errhandler, communicator_,
                  static_cast<Word>(family.constants.errors_return));
}

MpiCommunicator::~MpiCommunicator() {
    if (usable_)
        call_real(FunctionId::MPI_Comm_free, word_of(&communicator_));
}

int MpiCommunicator::rank() const { return mpi_process.rank; }
int MpiCommunicator::size() const { return mpi_process.size; }

bool MpiCommunicator::send(int to, const void* data, std::size_t bytes) {
    std::uint64_t length = bytes;
    if (call_real(FunctionId::MPI_Send, word_of(&length), sizeof length, byte(), to, tag,
                  communicator_) != 0)
        return false;
    for (std::size_t sent = 0; sent < bytes; sent += largest_piece) {
        std::size_t piece = std::min(bytes - sent, largest_piece);
        if (call_real(FunctionId::MPI_Send, word_of(static_cast<const char*>(data) + sent), piece,
                      byte(), to, tag, communicator_) != 0)
            return false;
    }
    return true;
}

bool MpiCommunicator::rest_until_all_are_done(bool good) {
    static Word request;
    static unsigned char mine, all;  // MPI may write to them after the timeout
    mine = good;
    const bool known = real_function(FunctionId::MPI_Iallreduce) &&
                       call_real(FunctionId::MPI_Iallreduce, word_of(&mine), word_of(&all), 1,
                                 byte(), static_cast<Word>(family.constants.bitwise_and),
                                 communicator_, word_of(&request)) == 0 &&
                       complete(request, timeout_s_);
    return known ? all : good;
}

bool MpiCommunicator::receive_size(int from, std::uint64_t& bytes) {
    Word request = 0;
    // Does not use MPI_Recv, which may wait busily while the other rank needs the processor.
    return call_real(FunctionId::MPI_Irecv, word_of(&bytes), sizeof bytes, byte(), from, tag,
                     communicator_, word_of(&request)) == 0 &&
           complete(request, for_ever);
}

// Without a target, the message is discarded.
bool MpiCommunicator::receive_content(int from, char* target, std::uint64_t bytes) {
    for (std::uint64_t received = 0; received < bytes; received += largest_piece) {
        std::size_t piece = std::min<std::uint64_t>(bytes - received, largest_piece);
        if (call_real(FunctionId::MPI_Recv, word_of(target ? target + received : unwanted), piece,
                      byte(), from, tag, communicator_, no_status()) != 0)
            return false;
    }
    return target;
}

bool MpiCommunicator::receive_into(int from, std::span<char> room, std::size_t& bytes) {
    return receive_size(from, bytes) &&
           receive_content(from, bytes <= room.size() ? room.data() : nullptr, bytes);
}

bool MpiCommunicator::receive(int from, std::vector<char>& data) {
    std::uint64_t bytes = 0;
    if (!receive_size(from, bytes))
        return false;
    // An empty message does not need an address.
    return bytes == 0
               ? (data.clear(), true)
               : receive_content(from, make_room(data, bytes) ? data.data() : nullptr, bytes);
}

}  // namespace vftrace
