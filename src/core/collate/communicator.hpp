// How ranks communicate at the end of a run.
//
// Implementations: the ranks of an MPI job (mpi/), and ranks within one process, for tests and for
// the simulation of very large jobs.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace vftrace {

// By messages of sizes that both sides know. None of these functions allocates memory.
class SmallMessages {
  public:
    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Sends `bytes` bytes to a rank; blocks until the memory may be used again. Returns false if
    // that failed; nothing more is sent or received then.
    virtual bool send(int to, const void* data, std::size_t bytes) = 0;
    // Waits for the next message from a rank and puts it at the beginning of `room`. Returns false
    // if that failed, or if the message is longer.
    virtual bool receive_into(int from, std::span<char> room, std::size_t& bytes) = 0;

  protected:
    ~SmallMessages() = default;
};

// By messages of any size.
class Communicator : public SmallMessages {
  public:
    // Waits for the next message from a rank and puts it into `data`. Messages between two ranks
    // arrive in the order in which they were sent. Returns false if that failed.
    virtual bool receive(int from, std::vector<char>& data) = 0;

    bool receive_into(int from, std::span<char> room, std::size_t& bytes) override {
        std::vector<char> data;
        if (!receive(from, data) || data.size() > room.size())
            return false;
        std::memcpy(room.data(), data.data(), data.size());
        bytes = data.size();
        return true;
    }

  protected:
    ~Communicator() = default;
};

}  // namespace vftrace
