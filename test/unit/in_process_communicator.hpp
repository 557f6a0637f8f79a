// Ranks of a job that all live in one process and one thread, for tests and for the simulation of
// very large jobs.
//
// Ranks do not run concurrently, so a rank cannot wait: it may run once everything that it receives
// has been sent. For a RankCollation this means: gather() after its children's, spread() after its
// parent's.
#pragma once

#include <cstddef>
#include <vector>

#include "collate/communicator.hpp"

namespace vftrace {

// The messages in transit between the ranks of one job.
class InProcessJob {
  public:
    explicit InProcessJob(int ranks) : waiting_(static_cast<std::size_t>(ranks)) {}

    int size() const { return static_cast<int>(waiting_.size()); }
    // Both return false if there is no such rank; receive() also if there is no message.
    bool send(int from, int to, const void* data, std::size_t bytes);
    bool receive(int from, int to, std::vector<char>& data);
    std::size_t messages_waiting() const;

  private:
    struct Message {
        int from;
        std::vector<char> data;
    };
    bool has_rank(int rank) const { return rank >= 0 && rank < size(); }

    std::vector<std::vector<Message>> waiting_;  // by receiving rank, in the order of sending
};

class InProcessCommunicator final : public Communicator {
  public:
    InProcessCommunicator(InProcessJob& job, int rank) : job_(job), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return job_.size(); }
    bool send(int to, const void* data, std::size_t bytes) override {
        return job_.send(rank_, to, data, bytes);
    }
    bool receive(int from, std::vector<char>& data) override {
        return job_.receive(from, rank_, data);
    }

  private:
    InProcessJob& job_;
    int rank_;
};

}  // namespace vftrace
