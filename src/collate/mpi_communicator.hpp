// The ranks of an MPI job, talking over a communicator of our own.
#pragma once

#include "collate/communicator.hpp"
#include "mpi/family.hpp"

namespace vftrace {

// Made and destroyed by all ranks of MPI_COMM_WORLD together. Errors of MPI are returned, not
// handled by the program's error handler.
class MpiCommunicator final : public Communicator {
  public:
    MpiCommunicator();
    ~MpiCommunicator();
    MpiCommunicator(const MpiCommunicator&) = delete;
    MpiCommunicator& operator=(const MpiCommunicator&) = delete;

    // False if the communicator could not be made; nothing may be done with it then.
    bool usable() const { return usable_; }

    int rank() const override;
    int size() const override;
    bool send(int to, const void* data, std::size_t bytes) override;
    bool receive(int from, std::vector<char>& data) override;

  private:
    Word communicator_ = 0;
    bool usable_ = false;
};

}  // namespace vftrace
