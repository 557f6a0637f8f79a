// The ranks of an MPI job, talking over a communicator of our own.
#include "collate/mpi_communicator.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "mpi/functions.hpp"
#include "mpi/session.hpp"

namespace vftrace {
namespace {

constexpr int tag = 1;
// Counts are ints: longer messages go in pieces.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

Word byte() { return static_cast<Word>(family.constants.byte); }
Word no_status() { return static_cast<Word>(family.constants.status_ignore); }

// Completes a request within the time. Rank 0 tells why the program does not end.
bool wait_for_all_ranks(Word& request, double timeout_s) {
    constexpr std::uint64_t second = 1'000'000'000, patience = 30 * second;
    std::uint64_t start = monotonic_ns();
    bool told = mpi_process.rank != 0;
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
        if (!told && waited > patience) {
            told = true;
            message("rank 0 is in MPI_Finalize and waits for the profiles of the other ranks, %g s "
                    "at most (mpi.collation_timeout). Programs of the job that are not linked to "
                    "vftrace never send one",
                    timeout_s);
        }
        if (waited > 1'000'000) {  // ranks that come together do not sleep
            nanosleep(&pause, nullptr);
            pause.tv_nsec = std::min(2 * pause.tv_nsec, 2'000'000L);
        }
    }
}

}  // namespace

MpiCommunicator::MpiCommunicator(double timeout_s) {
    Word world = static_cast<Word>(family.constants.comm_world);
    // MPI may write to these later, if the time runs out.
    static Word duplicate, request;
    if (real_function(FunctionId::MPI_Comm_idup))
        usable_ = call_real(FunctionId::MPI_Comm_idup, world, word_of(&duplicate),
                            word_of(&request)) == 0 &&
                  wait_for_all_ranks(request, timeout_s);
    else
        usable_ = call_real(FunctionId::MPI_Comm_dup, world, word_of(&duplicate)) == 0;
    communicator_ = duplicate;
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

bool MpiCommunicator::receive(int from, std::vector<char>& data) {
    std::uint64_t length = 0;
    if (call_real(FunctionId::MPI_Recv, word_of(&length), sizeof length, byte(), from, tag,
                  communicator_, no_status()) != 0)
        return false;
    data.resize(length);
    for (std::size_t received = 0; received < length; received += largest_piece) {
        std::size_t piece = std::min(static_cast<std::size_t>(length) - received, largest_piece);
        if (call_real(FunctionId::MPI_Recv, word_of(data.data() + received), piece, byte(), from,
                      tag, communicator_, no_status()) != 0)
            return false;
    }
    return true;
}

}  // namespace vftrace
