#include "ranks/world_communicator.hpp"

#include <algorithm>
#include <ctime>

#include "base/clock.hpp"
#include "mpi/functions.hpp"
#include "mpi/mpi_state.hpp"

namespace vftrace {
namespace {

constexpr int tag = 32749;  // every MPI allows tags up to 32767
constexpr std::uint64_t patience_ns = 2'000'000'000;

Word byte() { return static_cast<Word>(family.constants.byte); }
Word no_status() { return static_cast<Word>(family.constants.status_ignore); }
Word world() { return static_cast<Word>(family.constants.comm_world); }

// Waits without occupying the processor, which other ranks may need.
class Patience {
  public:
    void wait() {
        if (monotonic_ns() - start_ < 200'000)
            return;  // ranks that arrive together do not sleep
        nanosleep(&pause_, nullptr);
        pause_.tv_nsec = std::min(2 * pause_.tv_nsec, 1'000'000L);
    }
    bool over() const { return monotonic_ns() - start_ > patience_ns; }

  private:
    std::uint64_t start_ = monotonic_ns();
    timespec pause_{0, 20'000};
};

// One message of one byte from a neighbour, which may never come.
class Awaited {
  public:
    void post(int from) {
        from_ = from;
        open_ = call_real(FunctionId::MPI_Irecv, word_of(&content_), 1, byte(), from, tag, world(),
                          word_of(&request_)) == 0;
    }
    bool open() const { return open_; }
    int from() const { return from_; }
    // Returns true once, when the message has arrived.
    bool has_come() {
        int done = 0;
        if (!open_ ||
            call_real(FunctionId::MPI_Test, word_of(&request_), word_of(&done), no_status()) != 0 ||
            !done)
            return false;
        open_ = false;
        return true;
    }
    // Stops waiting for the message. Returns true if it has arrived nevertheless.
    bool give_up() {
        alignas(8) char status[64];
        int cancelled = 0;
        open_ = false;
        return call_real(FunctionId::MPI_Cancel, word_of(&request_)) == 0 &&
               call_real(FunctionId::MPI_Wait, word_of(&request_), word_of(status)) == 0 &&
               call_real(FunctionId::MPI_Test_cancelled, word_of(status), word_of(&cancelled)) ==
                   0 &&
               !cancelled;
    }

  private:
    char content_ = 0;
    Word request_ = 0;
    int from_ = 0;
    bool open_ = false;
};

bool has_message_from(int rank) {
    int there = 0;
    return call_real(FunctionId::MPI_Iprobe, rank, tag, world(), word_of(&there), no_status()) ==
               0 &&
           there;
}

// Answers the greeting of a child, unless the child has stopped waiting.
bool greet(WorldCommunicator& ranks, int child) {
    if (has_message_from(child)) {
        char end_of_questions[64];
        std::size_t bytes;
        ranks.receive_into(child, end_of_questions, bytes);
        return false;
    }
    const char here = 1;
    return ranks.send(child, &here, sizeof here);
}

}  // namespace

int WorldCommunicator::rank() const { return mpi_process.rank; }
int WorldCommunicator::size() const { return mpi_process.size; }

bool WorldCommunicator::send(int to, const void* data, std::size_t bytes) {
    return call_real(FunctionId::MPI_Send, word_of(data), bytes, byte(), to, tag, world()) == 0;
}

bool WorldCommunicator::receive_into(int from, std::span<char> room, std::size_t& bytes) {
    Word request = 0;
    alignas(8) char status[64];
    if (call_real(FunctionId::MPI_Irecv, word_of(room.data()), room.size(), byte(), from, tag,
                  world(), word_of(&request)) != 0)
        return false;
    Patience patience;
    for (int done = 0; !done; patience.wait())
        if (call_real(FunctionId::MPI_Test, word_of(&request), word_of(&done), word_of(status)) !=
            0)
            return false;
    int received = 0;
    call_real(FunctionId::MPI_Get_count, word_of(status), byte(), word_of(&received));
    bytes = static_cast<std::size_t>(std::max(received, 0));
    return true;
}

TreeNeighbours find_neighbours(WorldCommunicator& ranks) {
    TreeNeighbours found{false, {false, false}};
    const int parent = tree_parent(ranks.rank());
    Awaited answer, hellos[2];
    if (ranks.rank() > 0) {
        const char hello = 1;
        answer.post(parent);
        ranks.send(parent, &hello, sizeof hello);
    }
    for (int which = 0; which < 2; which++)
        if (int child = tree_child(ranks.rank(), which); child < ranks.size())
            hellos[which].post(child);
    for (Patience patience;
         (answer.open() || hellos[0].open() || hellos[1].open()) && !patience.over();
         patience.wait()) {
        found.parent |= answer.has_come();
        for (int which = 0; which < 2; which++)
            if (hellos[which].has_come())
                found.children[which] = greet(ranks, hellos[which].from());
    }
    for (int which = 0; which < 2; which++)
        if (hellos[which].open() && hellos[which].give_up())
            found.children[which] = greet(ranks, hellos[which].from());
    if (answer.open()) {
        found.parent = answer.give_up();
        if (!found.parent)
            say_end_of_questions(ranks, parent);
    }
    return found;
}

bool WorldCommunicator::is_possible() {
    if (!mpi_process.initialised || mpi_process.sessions)
        return false;
    for (FunctionId function :
         {FunctionId::MPI_Send, FunctionId::MPI_Irecv, FunctionId::MPI_Test, FunctionId::MPI_Wait,
          FunctionId::MPI_Cancel, FunctionId::MPI_Test_cancelled, FunctionId::MPI_Iprobe,
          FunctionId::MPI_Get_count})
        if (!real_function(function))
            return false;
    return true;
}

}  // namespace vftrace
