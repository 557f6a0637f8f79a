// The ranks of an MPI job, which communicate over the library's own communicator.
#pragma once

#include "collate/communicator.hpp"
#include "mpi/family.hpp"

namespace vftrace {

// Created and destroyed by all ranks of MPI_COMM_WORLD together, in MPI_Finalize. Errors of
// messages are returned, not handled by the program's error handler.
class MpiCommunicator final : public Communicator {
  public:
    // Waits for the other ranks; at most `timeout_s` seconds, because a job may have programs that
    // are not linked to the library, which never get here.
    explicit MpiCommunicator(double timeout_s);
    ~MpiCommunicator();
    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;

    // False if the communicator could not be created; it must not be used then.
    bool usable() const { return usable_; }

    // Whether any rank writes a trace.
    bool any_traced() const { return any_traced_; }

    int rank() const override;
    int size() const override;
    bool send(int to, const void* data, std::size_t bytes) override;
    bool receive_into(int from, std::span<char> room, std::size_t& bytes) override;
    bool receive(int from, std::vector<char>& data) override;

    // Waits until all ranks have called it, or for the timeout, and returns whether all passed
    // `good`. Leaves the processors to the ranks that are still working: MPI_Finalize would wait
    // busily while rank 0 writes the files.
    bool rest_until_all_are_done(bool good);

  private:
    bool receive_size(int from, std::uint64_t& bytes);
    bool receive_content(int from, char* target, std::uint64_t bytes);

    Word communicator_ = 0;
    bool usable_ = false;
    bool any_traced_ = false;
    double timeout_s_;
};

}  // namespace vftrace
