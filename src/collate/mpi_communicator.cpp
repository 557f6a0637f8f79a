// The ranks of an MPI job, talking over a communicator of our own.
#include "collate/mpi_communicator.hpp"

#include <algorithm>
#include <cstdint>

#include "mpi/functions.hpp"
#include "mpi/session.hpp"

namespace vftrace {
namespace {

constexpr int tag = 1;
// Counts are ints: longer messages go in pieces.
constexpr std::size_t largest_piece = std::size_t{1} << 30;

Word byte() { return static_cast<Word>(family.constants.byte); }
Word no_status() { return static_cast<Word>(family.constants.status_ignore); }

}  // namespace

MpiCommunicator::MpiCommunicator() {
    Word world = static_cast<Word>(family.constants.comm_world);
    usable_ = call_real(FunctionId::MPI_Comm_dup, world, word_of(&communicator_)) == 0;
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
