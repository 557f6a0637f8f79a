#include "export/timeline.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

namespace vftrace {
namespace {

const char* meaning_of(ClockSource source) {
    switch (source) {
    case ClockSource::measured:
        return "clock differences between ranks, measured through MPI, were removed";
    case ClockSource::same_host:
        return "all ranks ran on one host and share its clock";
    case ClockSource::wall_clock:
        return "the clocks of the ranks were not compared: the time of day of their hosts is "
               "used, which may differ by milliseconds";
    case ClockSource::own_start:
        break;
    }
    return "the traces do not record how the clocks of the ranks differ: each rank starts at 0";
}

std::string rank_label(const VfdFile& file, bool several) {
    const VfdNumbers& numbers = file.header().numbers;
    const std::string& host = file.extension().host;
    if (!several && numbers.processes <= 1 && !file.extension().application.empty())
        return file.extension().application;
    const std::int32_t rank = numbers.rank;
    return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, host);
}

std::uint64_t mixed(std::uint64_t value) {
    // The finalizer of splitmix64 (Steele, Lea and Flood, 2014).
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

}  // namespace

std::uint64_t mixed_number(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
    const std::uint64_t number = mixed(mixed(mixed(a + step) + b + step) + c + step);
    return number == 0 ? 1 : number;
}

const Function* TimelineRank::function_of(std::uint32_t stack) const {
    const std::uint32_t function = file->stacks()[stack].function;
    const std::vector<Function>& functions = file->extension().functions;
    return function < functions.size() ? &functions[function] : nullptr;
}

std::string TimelineRank::name_of(std::uint32_t stack) const {
    const Function* function = function_of(stack);
    if (function && !function->display.empty())
        return function->display;
    return std::string(display_name(file->stacks()[stack]));
}

NodeKind TimelineRank::category_of(std::uint32_t stack) const {
    if (const Function* function = function_of(stack))
        return row_of(function->kind).category;
    const std::string& name = file->stacks()[stack].name;
    return name.starts_with("MPI_") || name.starts_with("mpi_") ? NodeKind::mpi
                                                                : NodeKind::function;
}

// The tag of operations that do not have one: collectives and one-sided operations.
static constexpr std::int32_t no_tag = -1;

// Identifies the call of a message that a rank sent to itself: messages of one call have the same
// number.
static std::uint64_t call_of(const VfdMessageSample& message) {
    return mixed_number(static_cast<std::uint32_t>(message.thread),
                        static_cast<std::uint32_t>(message.stack),
                        static_cast<std::uint64_t>(message.start_ns));
}

void TimelineRank::note_messages_to_itself() {
    if (file->header().numbers.message_samples == 0)
        return;
    VfdSampleStream samples = file->samples();
    for (VfdSample sample; samples.next(sample);)
        if (sample.kind == VfdSampleKind::message && sample.message.receives &&
            sample.message.tag == no_tag && sample.message.peer == static_cast<std::int32_t>(rank))
            calls_that_receive_from_itself.insert(call_of(sample.message));
}

MessageClass TimelineRank::class_of(const VfdMessageSample& message) const {
    const std::string& name = name_of(static_cast<std::uint32_t>(message.stack));
    const auto is_named = [&](std::string_view part) {
        return std::search(name.begin(), name.end(), part.begin(), part.end(), [](char a, char b) {
                   return std::tolower(static_cast<unsigned char>(a)) == b;
               }) != name.end();
    };
    if (message.tag != no_tag)
        return is_named("alltoall") ? MessageClass::collective : MessageClass::point_to_point;
    if (is_named("put") || is_named("get") || is_named("accumulate") || is_named("fetch_and_op") ||
        is_named("compare_and_swap"))
        return MessageClass::one_sided;
    return !message.receives && message.peer == static_cast<std::int32_t>(rank) &&
                   !calls_that_receive_from_itself.contains(call_of(message))
               ? MessageClass::never_received
               : MessageClass::collective;
}

std::string TimelineRank::thread_label(std::uint32_t thread) const {
    return vftrace::thread_label(*file, thread);
}

Timeline make_timeline(const ExportSource& source, ExportOutput& output) {
    const ClockAlignment alignment = align_clocks(source.traces);
    if (source.traces.size() > 1)
        output.remark(meaning_of(alignment.source));
    Timeline timeline;
    timeline.start_unix_ns = alignment.start_unix_ns;
    for (std::size_t i = 0; i < source.traces.size(); i++) {
        const VfdFile& file = *source.traces[i];
        timeline.ranks.push_back({&file,
                                  static_cast<std::uint32_t>(file.header().numbers.rank),
                                  alignment.clocks[i],
                                  rank_label(file, source.traces.size() > 1),
                                  {}});
        timeline.ranks.back().note_messages_to_itself();
    }
    std::vector<NamedTrace> traces;
    for (const TimelineRank& rank : timeline.ranks)
        traces.push_back({rank.file, timeline.ranks.size() > 1 ? fmt::format("rank {}", rank.rank)
                                                               : std::string()});
    timeline.left_out = text_on_left_out(traces);
    if (!timeline.left_out.empty())
        output.remark(timeline.left_out + ". Calls in between are reconstructed");
    const VfdFile& first = *source.traces.front();
    timeline.application = first.extension().application;
    timeline.processes = static_cast<std::uint32_t>(first.header().numbers.processes);
    return timeline;
}

void remark_on_call_samples(const Timeline& timeline, ExportOutput& output) {
    std::uint64_t samples = 0;
    for (const TimelineRank& rank : timeline.ranks)
        for (std::uint32_t thread = 0; thread < rank.file->threads().size(); thread++)
            samples += rank.file->call_sample_count(thread);
    if (samples > 0)
        output.remark(fmt::format("functions that lost their hooks in the run are left out: "
                                  "there are {} samples in them, which this format cannot "
                                  "represent",
                                  samples));
}

MessageMatching::Channel MessageMatching::channel_of(const TimelineRank& rank,
                                                     const VfdMessageSample& message) {
    const auto self = static_cast<std::int32_t>(rank.rank);
    const MessageClass message_class = rank.class_of(message);
    return message.receives ? Channel{message.peer, self, message.tag, message_class}
                            : Channel{self, message.peer, message.tag, message_class};
}

std::size_t MessageMatching::Hash::operator()(const Channel& channel) const {
    return mixed_number(static_cast<std::uint32_t>(channel.sender),
                        static_cast<std::uint32_t>(channel.receiver),
                        static_cast<std::uint64_t>(channel.message_class) << 32 |
                            static_cast<std::uint32_t>(channel.tag));
}

MessageMatching::MessageMatching(const Timeline& timeline) {
    VfdSample sample;
    for (const TimelineRank& rank : timeline.ranks) {
        if (rank.file->header().numbers.message_samples == 0)
            continue;
        VfdSampleStream samples = rank.file->samples();
        while (samples.next(sample))
            if (sample.kind == VfdSampleKind::message)
                channels_[channel_of(rank, sample.message)].in_trace[sample.message.receives]++;
    }
}

std::uint64_t MessageMatching::match(const TimelineRank& rank, const VfdMessageSample& message) {
    const Channel channel = channel_of(rank, message);
    if (channel.message_class == MessageClass::one_sided)
        return 0;
    Counts& counts = channels_[channel];
    const std::uint64_t number = counts.seen[message.receives]++;
    if (number >= counts.in_trace[!message.receives])
        return 0;
    return mixed_number(static_cast<std::uint64_t>(static_cast<std::uint32_t>(channel.sender))
                                << 32 |
                            static_cast<std::uint32_t>(channel.receiver),
                        static_cast<std::uint64_t>(channel.message_class) << 32 |
                            static_cast<std::uint32_t>(channel.tag),
                        number);
}

std::int64_t message_bytes(const VfdMessageSample& message) {
    return std::int64_t{message.count} * message.type_bytes;
}

}  // namespace vftrace
