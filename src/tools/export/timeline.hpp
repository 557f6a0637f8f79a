// What the timeline formats have in common: ranks on one clock, the names of calls and threads, and
// the matching of messages. For tools.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "export/clock_alignment.hpp"
#include "export/export_format.hpp"
#include "export/left_out.hpp"
#include "export/replay.hpp"

namespace vftrace {

// The kind of operation that caused a message.
enum class MessageClass : std::uint8_t {
    point_to_point,
    collective,
    one_sided,  // the target does nothing: there is no message on its side
    // The root of a broadcast sends to itself, as Vftrace has always counted it, and does not
    // receive.
    never_received,
};

struct TimelineRank {
    const VfdFile* file = nullptr;
    std::uint32_t rank = 0;
    AlignedClock clock;
    std::string label;  // "rank 3 (node1)"; for a run without MPI the program's name

    // The displayed name of a stack's function.
    std::string name_of(std::uint32_t stack) const;
    // The kind by which viewers colour it; its word is the name of the category.
    NodeKind category_of(std::uint32_t stack) const;
    // nullptr if the function is not known.
    const Function* function_of(std::uint32_t stack) const;
    // Decides by the tag and the name of the MPI function.
    MessageClass class_of(const VfdMessageSample& message) const;
    // "main thread", "OpenMP worker 3", or what the program called it.
    std::string thread_label(std::uint32_t thread) const;

    std::unordered_set<std::uint64_t> calls_that_receive_from_itself;
    // Reads all messages, for class_of().
    void note_messages_to_itself();
};

struct Timeline {
    std::vector<TimelineRank> ranks;
    std::string application;
    std::int64_t start_unix_ns = 0;  // of the common time 0; 0 if unknown
    std::uint32_t processes = 1;     // of the run, with or without a trace
    std::string left_out;            // text_on_left_out()
};

// Reports through `output` what was assumed about the clocks, and what the traces have left out.
Timeline make_timeline(const ExportSource& source, ExportOutput& output);

// For formats that cannot hold samples in functions without hooks: reports those that are left out.
void remark_on_call_samples(const Timeline& timeline, ExportOutput& output);

// Replays all threads of all ranks, one after another. `begin(rank, thread)` returns a reference to
// the visitor of a thread, `end(figures)` is called at the end.
template <class Begin, class End>
void replay_timeline(const Timeline& timeline, ExportOutput& output, Begin begin, End end) {
    std::uint64_t bytes = 0, done = 0;
    for (const TimelineRank& rank : timeline.ranks)
        bytes += rank.file->bytes();
    for (const TimelineRank& rank : timeline.ranks) {
        for (std::uint32_t thread = 0; thread < rank.file->threads().size(); thread++) {
            std::uint64_t size = 0;
            ReplayVisitor& visitor = begin(rank, thread);
            end(replay_thread(*rank.file, thread, visitor,
                              [&](std::uint64_t position, std::uint64_t) {
                                  size = position;
                                  output.progress(done + position, bytes);
                              }));
            done += size;
        }
    }
}

// Matches messages that were sent and received on the ranks with traces. The first message sent
// from one rank to another with a tag is the first one received there from that rank with that tag,
// and so on; messages of collectives are matched separately.
class MessageMatching {
  public:
    // Reads all messages once. Memory: a record for each pair of ranks and tag in use.
    explicit MessageMatching(const Timeline& timeline);

    // To be called once for each message, in the order of the file. Returns the same number, which
    // is not 0, for both sides; 0 if the other side is missing.
    std::uint64_t match(const TimelineRank& rank, const VfdMessageSample& message);

  private:
    struct Channel {
        std::int32_t sender, receiver, tag;
        MessageClass message_class;
        bool operator==(const Channel&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Channel& channel) const;
    };
    struct Counts {
        std::uint64_t in_trace[2] = {}, seen[2] = {};  // sent, received
    };
    static Channel channel_of(const TimelineRank& rank, const VfdMessageSample& message);

    std::unordered_map<Channel, Counts, Hash> channels_;
};

std::int64_t message_bytes(const VfdMessageSample& message);

// A number that is very likely to differ for different arguments; never 0.
std::uint64_t mixed_number(std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace vftrace
