#include "collate/clock_offsets.hpp"

#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/fnv.hpp"
#include "base/kernel_files.hpp"

namespace vftrace {
namespace {

constexpr int round_trips = 20;

struct Question {
    std::uint64_t last;  // 1: not a question, and no more will come
};

struct Answer {
    std::uint64_t ns;        // the parent's time
    std::int64_t offset_ns;  // of the parent's clock from rank 0's
    std::int64_t error_ns;
    std::uint64_t measured;          // 0: the parent does not know its offset
    std::uint64_t identity;          // of the parent's clock
    std::uint64_t identity_of_root;  // of rank 0's
};

template <class Content>
bool receive(SmallMessages& ranks, int from, Content& content) {
    char room[sizeof content];
    std::size_t bytes = 0;
    if (!ranks.receive_into(from, room, bytes) || bytes != sizeof content)
        return false;
    std::memcpy(&content, room, sizeof content);
    return true;
}

// What a rank knows about its own clock, as sent to its children.
struct Known {
    TraceClocks::Reading reading{};
    std::uint64_t identity_of_root = 0;
};

Known ask_parent(SmallMessages& ranks, const RankClock& clock) {
    Known known;
    const int parent = tree_parent(ranks.rank());
    std::uint64_t fastest = ~std::uint64_t{0};
    for (int i = 0; i < round_trips; i++) {
        Question question{0};
        Answer answer;
        std::uint64_t asked = clock.read_ns(clock.clock);
        if (!ranks.send(parent, &question, sizeof question) || !receive(ranks, parent, answer))
            return {};
        std::uint64_t answered = clock.read_ns(clock.clock);
        std::uint64_t took = answered - asked;
        bool exact = false;
        if (answer.measured && clock.identity == answer.identity_of_root) {
            known.reading = {answered, 0, 0, 1};
            exact = true;
        } else if (answer.measured && clock.identity == answer.identity) {
            known.reading = {answered, answer.offset_ns, answer.error_ns, 1};
            exact = true;
        } else if (answer.measured && took < fastest) {
            fastest = took;
            std::uint64_t middle = asked + took / 2;
            known.reading = {middle,
                             answer.offset_ns + static_cast<std::int64_t>(answer.ns - middle),
                             answer.error_ns + static_cast<std::int64_t>((took + 1) / 2), 1};
        }
        known.identity_of_root = answer.identity_of_root;
        if (exact || !answer.measured)
            break;
    }
    say_end_of_questions(ranks, parent);
    return known;
}

void answer_child(SmallMessages& ranks, int child, const RankClock& clock, const Known& known) {
    Question question;
    while (receive(ranks, child, question) && !question.last) {
        Answer answer{.ns = clock.read_ns(clock.clock),
                      .offset_ns = known.reading.offset_ns,
                      .error_ns = known.reading.error_ns,
                      .measured = known.reading.measured,
                      .identity = clock.identity,
                      .identity_of_root = known.identity_of_root};
        if (!ranks.send(child, &answer, sizeof answer))
            return;
    }
}

std::uint64_t add_to_hash(std::uint64_t hash, std::string_view text) {
    for (char c : text)
        hash = fnv1a(hash, static_cast<unsigned char>(c));
    return fnv1a(hash, 0);  // a separator
}

}  // namespace

RankClock host_clock() {
    char name[256] = "", boot[64], space[64];
    gethostname(name, sizeof name - 1);
    // The clock of a container may have a different zero (time_namespaces(7)).
    ssize_t bytes = readlink("/proc/self/ns/time", space, sizeof space);
    std::uint64_t hash = add_to_hash(fnv_basis, name);
    hash = add_to_hash(hash, boot_id(boot));
    hash = add_to_hash(hash, {space, bytes > 0 ? static_cast<std::size_t>(bytes) : 0});
    return {[](const void*) { return monotonic_ns(); }, nullptr, hash};
}

bool say_end_of_questions(SmallMessages& ranks, int parent) {
    const Question end{1};
    return ranks.send(parent, &end, sizeof end);
}

TraceClocks::Reading measure_clock(SmallMessages& ranks, const RankClock& clock,
                                   const TreeNeighbours& neighbours) {
    Known known;
    if (ranks.rank() == 0)
        known = {{clock.read_ns(clock.clock), 0, 0, 1}, clock.identity};
    else if (neighbours.parent)
        known = ask_parent(ranks, clock);
    for (int which = 0; which < 2; which++)
        if (int child = tree_child(ranks.rank(), which);
            child < ranks.size() && neighbours.children[which])
            answer_child(ranks, child, clock, known);
    return known.reading;
}

}  // namespace vftrace
