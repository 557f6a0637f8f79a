#include "page/page_trace.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/output_file.hpp"
#include "export/device_lanes.hpp"
#include "export/replay.hpp"
#include "export/timeline.hpp"
#include "page/columns.hpp"
#include "page/page_profile.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

struct Call {
    std::uint32_t lane, depth, name;
    std::int64_t begin_ns, ns;
    // Only for the work of a GPU.
    std::int64_t bytes = 0;
    std::int64_t launcher = -1;  // number of the function that launched it; -1: not known
    // The call is reconstructed: how long it was open at least, plus 1; 0: it is recorded as drawn.
    std::int64_t reconstructed = 0;
    bool several = false;  // it may be several calls
};
struct Message {
    std::uint32_t lane;
    std::int32_t peer;
    bool receives;
    std::int64_t begin_ns, ns, bytes;
    std::uint64_t match;  // the same for both sides; 0: the other side is not in the traces
};

// Keeps the `most` longest items.
template <class Item>
class Longest {
  public:
    explicit Longest(std::size_t most) : most_(most) {}

    void add(const Item& item) {
        seen_++;
        if (item.ns < least_ns_)
            return;
        items_.push_back(item);
        if (items_.size() >= 2 * most_)
            shorten();
    }
    // Sorted by lane and start time.
    const std::vector<Item>& items() {
        if (items_.size() > most_)
            shorten();
        std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
            return std::pair(a.lane, a.begin_ns) < std::pair(b.lane, b.begin_ns);
        });
        return items_;
    }
    std::uint64_t seen() const { return seen_; }

  private:
    void shorten() {
        const auto end = items_.begin() + static_cast<std::ptrdiff_t>(most_);
        std::nth_element(items_.begin(), end, items_.end(),
                         [](const Item& a, const Item& b) { return a.ns > b.ns; });
        items_.erase(end, items_.end());
        least_ns_ =
            std::min_element(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
                return a.ns < b.ns;
            })->ns;
    }

    std::size_t most_;
    std::vector<Item> items_;
    std::uint64_t seen_ = 0;
    std::int64_t least_ns_ = 0;
};

class Names {
  public:
    std::uint32_t of(const TimelineRank& rank, std::uint32_t stack) {
        const bool is_root = rank.file->stacks()[stack].parent == no_index;
        return of(rank.name_of(stack),
                  row_of(is_root ? NodeKind::root : rank.category_of(stack)).word);
    }
    std::uint32_t of(std::string name, std::string_view kind) {
        const auto [place, is_new] = numbers_.emplace(std::pair(std::move(name), std::string(kind)),
                                                      static_cast<std::uint32_t>(names_.size()));
        if (is_new) {
            names_.push_back(place->first.first);
            kinds_.emplace_back(kind);
        }
        return place->second;
    }
    void write(PageColumns& columns) const {
        columns.texts("functions", "name", names_.size(),
                      [&](std::size_t i) -> std::string_view { return names_[i]; });
        columns.texts("functions", "kind", kinds_.size(),
                      [&](std::size_t i) -> std::string_view { return kinds_[i]; });
    }

  private:
    std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;  // by name, kind
    std::vector<std::string> names_;
    std::vector<std::string> kinds_;
};

// Adds the calls and messages of a thread. Its lane is numbered among the lanes of all ranks.
class ThreadVisitor final : public ReplayVisitor {
  public:
    ThreadVisitor(Longest<Call>& calls, Longest<Message>& messages, MessageMatching& matching)
        : calls_(calls), messages_(messages), matching_(matching) {}

    void begin(const TimelineRank& rank, std::uint32_t lane, std::uint32_t first_lane,
               Names& names) {
        rank_ = &rank;
        lane_ = lane;
        first_lane_ = first_lane;
        names_ = &names;
        open_.clear();
        name_of_stack_.assign(rank.file->stacks().size(), no_index);
    }

    void open(std::uint32_t, std::int64_t ns) override { open_.push_back(rank_->clock(ns)); }
    void close(const ReplayedCall& call) override {
        const std::uint32_t stack = call.stack;
        const std::int64_t begin_ns = open_.back();
        open_.pop_back();
        if (name_of_stack_[stack] == no_index)
            name_of_stack_[stack] = names_->of(*rank_, stack);
        calls_.add({lane_, static_cast<std::uint32_t>(open_.size()), name_of_stack_[stack],
                    begin_ns, rank_->clock(call.ns) - begin_ns, 0, -1,
                    call.recorded ? 0 : call.least_ns + 1, call.several});
    }
    // Without what a collective passes from a rank to itself.
    void message(const VfdMessageSample& message) override {
        const std::uint64_t match = matching_.match(*rank_, message);
        if (message.peer == static_cast<std::int32_t>(rank_->rank) &&
            rank_->class_of(message) != MessageClass::point_to_point)
            return;
        const std::int64_t begin_ns = rank_->clock(message.start_ns);
        messages_.add({first_lane_ + static_cast<std::uint32_t>(message.thread), message.peer,
                       message.receives != 0, begin_ns, rank_->clock(message.end_ns) - begin_ns,
                       message_bytes(message), match});
    }

  private:
    Longest<Call>& calls_;
    Longest<Message>& messages_;
    MessageMatching& matching_;
    const TimelineRank* rank_ = nullptr;
    std::uint32_t lane_ = 0, first_lane_ = 0;
    Names* names_ = nullptr;
    std::vector<std::int64_t> open_;
    std::vector<std::uint32_t> name_of_stack_;
};

// The lanes of threads and of the streams of GPUs.
struct Lanes {
    std::vector<std::uint32_t> ranks;
    std::vector<std::string> labels;
};

// Adds a lane for each stream of the rank's GPUs, and further lanes for work that overlaps there.
// `label`: of the rank; empty if it is the only rank.
void add_device_work(const TimelineRank& rank, const std::string& label, Names& names,
                     Longest<Call>& calls, Lanes& lanes) {
    const auto first = static_cast<std::uint32_t>(lanes.ranks.size());
    visit_device_work(*rank.file, [&](const VfdDeviceWork& work, const DeviceLanes& streams,
                                      std::uint32_t lane, bool is_new) {
        if (is_new) {
            lanes.ranks.push_back(rank.rank);
            lanes.labels.push_back(label.empty()
                                       ? streams.name(lane)
                                       : fmt::format("{}, {}", label, streams.name(lane)));
        }
        const std::int64_t begin_ns = rank.clock(work.start_ns);
        calls.add({first + lane, 0,
                   names.of(std::string(work_name(*rank.file, work)),
                            fmt::format("gpu {}", work_category(work))),
                   begin_ns, rank.clock(work.end_ns) - begin_ns,
                   static_cast<std::int64_t>(work.bytes),
                   work.stack < 0
                       ? -1
                       : std::int64_t{names.of(rank, static_cast<std::uint32_t>(work.stack))}});
    });
}

// For each message the index of its other side; -1: it is not in the page.
std::vector<std::int64_t> other_sides(const std::vector<Message>& messages) {
    std::vector<std::int64_t> others(messages.size(), -1);
    std::unordered_map<std::uint64_t, std::size_t> sent;
    for (std::size_t i = 0; i < messages.size(); i++)
        if (messages[i].match != 0 && !messages[i].receives)
            sent.emplace(messages[i].match, i);
    for (std::size_t i = 0; i < messages.size(); i++)
        if (messages[i].match != 0 && messages[i].receives)
            if (const auto place = sent.find(messages[i].match); place != sent.end()) {
                others[i] = static_cast<std::int64_t>(place->second);
                others[place->second] = static_cast<std::int64_t>(i);
            }
    return others;
}

template <class Item, class Value>
void column(PageColumns& columns, std::string_view list, std::string_view name,
            const std::vector<Item>& items, Value Item::*member) {
    columns.integers(list, name, items.size(),
                     [&](std::size_t i) { return static_cast<std::int64_t>(items[i].*member); });
}

}  // namespace

std::string page_trace(const ExportSource& source, bool names_hosts, ExportOutput& output) {
    const Timeline timeline = make_timeline(source, output);
    Longest<Call> calls(most_page_calls);
    Longest<Message> messages(most_page_messages);
    MessageMatching matching(timeline);
    ThreadVisitor visitor(calls, messages, matching);
    Names names;
    Lanes lanes;
    std::int64_t end_ns = 0;
    std::uint32_t first_lane = 0;
    std::string of_rank;
    const TimelineRank* now = nullptr;
    std::uint32_t threads_done = 0;
    replay_timeline(
        timeline, output,
        [&](const TimelineRank& rank, std::uint32_t thread) -> ReplayVisitor& {
            const auto lane = static_cast<std::uint32_t>(lanes.ranks.size());
            if (thread == 0) {
                first_lane = lane;
                of_rank = names_hosts ? rank.label : fmt::format("rank {}", rank.rank);
            }
            now = &rank;
            threads_done = thread + 1;
            lanes.ranks.push_back(rank.rank);
            lanes.labels.push_back(rank.file->threads().size() == 1
                                       ? of_rank
                                       : fmt::format("{}, {}", of_rank, rank.thread_label(thread)));
            end_ns = std::max(end_ns, rank.clock(end_of_run_ns(*rank.file)));
            visitor.begin(rank, lane, first_lane, names);
            return visitor;
        },
        [&](const ReplayFigures&) {
            if (threads_done == now->file->threads().size())
                add_device_work(*now, timeline.ranks.size() > 1 ? of_rank : "", names, calls,
                                lanes);
        });

    PageColumns columns;
    const std::vector<Call>& kept_calls = calls.items();
    column(columns, "calls", "lane", kept_calls, &Call::lane);
    column(columns, "calls", "begin_ns", kept_calls, &Call::begin_ns);
    column(columns, "calls", "ns", kept_calls, &Call::ns);
    column(columns, "calls", "depth", kept_calls, &Call::depth);
    column(columns, "calls", "function", kept_calls, &Call::name);
    column(columns, "calls", "bytes", kept_calls, &Call::bytes);
    column(columns, "calls", "launcher", kept_calls, &Call::launcher);
    column(columns, "calls", "reconstructed", kept_calls, &Call::reconstructed);
    column(columns, "calls", "several", kept_calls, &Call::several);
    const std::vector<Message>& kept_messages = messages.items();
    column(columns, "messages", "lane", kept_messages, &Message::lane);
    column(columns, "messages", "begin_ns", kept_messages, &Message::begin_ns);
    column(columns, "messages", "ns", kept_messages, &Message::ns);
    column(columns, "messages", "peer", kept_messages, &Message::peer);
    column(columns, "messages", "receives", kept_messages, &Message::receives);
    column(columns, "messages", "bytes", kept_messages, &Message::bytes);
    const std::vector<std::int64_t> others = other_sides(kept_messages);
    columns.integers("messages", "other", others.size(), [&](std::size_t i) { return others[i]; });
    names.write(columns);
    columns.integers("lanes", "rank", lanes.ranks.size(),
                     [&](std::size_t i) { return lanes.ranks[i]; });
    columns.texts("lanes", "label", lanes.labels.size(),
                  [&](std::size_t i) -> std::string_view { return lanes.labels[i]; });
    return page_block(
        fmt::format(
            R"({{"format":1,"kind":"trace","end_ns":{},"calls":{},"messages":{},"left_out":{}}})",
            end_ns, calls.seen(), messages.seen(), json_string(timeline.left_out)),
        columns);
}

}  // namespace vftrace
