// speedscope's file format: a timeline ("evented") per thread of the traces, or the call paths of
// one profile ("sampled"). https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/saturating.hpp"
#include "base/version.hpp"
#include "export/device_lanes.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/timeline.hpp"

namespace vftrace {
namespace {

// The names that profiles refer to by number.
class Frames {
  public:
    std::size_t add(const std::string& name, const std::string& file, std::uint32_t line) {
        std::string frame = "{\"name\":" + json_string(name);
        if (!file.empty())
            frame += ",\"file\":" + json_string(file);
        if (!file.empty() && line > 0)
            frame += fmt::format(",\"line\":{}", line);
        frame += '}';
        return numbers_.try_emplace(std::move(frame), numbers_.size()).first->second;
    }

    void write(ExportOutput& output) const {
        std::vector<const std::string*> by_number(numbers_.size());
        for (const auto& [frame, number] : numbers_)
            by_number[number] = &frame;
        output.write("\"shared\":{\"frames\":[");
        for (std::size_t i = 0; i < by_number.size(); i++) {
            output.write(i == 0 ? "\n" : ",\n");
            output.write(*by_number[i]);
        }
        output.write("]},\n");
    }

  private:
    std::map<std::string, std::size_t> numbers_;
};

void write_head(const std::string& name, const Frames& frames, ExportOutput& output) {
    output.write(
        fmt::format("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                    "\n\"exporter\":\"vftrace {}\",\"name\":{},\"activeProfileIndex\":0,\n",
                    version, json_string(name)));
    frames.write(output);
}

// ---- traces ------------------------------------------------------------------------------------

class SpeedscopeThread final : public ReplayVisitor {
  public:
    SpeedscopeThread(ExportOutput& output, const TimelineRank& rank,
                     const std::vector<std::size_t>& frame_of)
        : output_(output), rank_(rank), frame_of_(frame_of) {}

    void open(std::uint32_t stack, std::int64_t ns) override { put("{\"type\":\"O\"", stack, ns); }
    void close(const ReplayedCall& call) override { put("{\"type\":\"C\"", call.stack, call.ns); }

  private:
    void put(std::string_view begin, std::uint32_t stack, std::int64_t ns) {
        constexpr std::string_view frame = ",\"frame\":", at = ",\"at\":";
        char* out = output_.room(96);
        if (!first_)
            *out++ = ',';
        first_ = false;
        *out++ = '\n';
        for (std::string_view text : {begin, frame}) {
            std::memcpy(out, text.data(), text.size());
            out += text.size();
        }
        out = std::to_chars(out, out + 20, frame_of_[stack]).ptr;
        std::memcpy(out, at.data(), at.size());
        out = std::to_chars(out + at.size(), out + at.size() + 20, rank_.clock(ns)).ptr;
        *out++ = '}';
        output_.end_of_room(out);
    }

    ExportOutput& output_;
    const TimelineRank& rank_;
    const std::vector<std::size_t>& frame_of_;
    bool first_ = true;
};

// A profile for each lane of a rank's GPUs.
class DeviceProfiles {
  public:
    DeviceProfiles(const TimelineRank& rank, Frames& frames) : rank_(rank) {
        visit_device_work(*rank.file, [&](const VfdDeviceWork& work, const DeviceLanes& lanes,
                                          std::uint32_t lane, bool is_new) {
            if (is_new)
                names_.push_back(lanes.name(lane));
            frame_of(work, frames);
        });
    }

    // Reads all work once for each lane.
    void write(Frames& frames, ExportOutput& output) {
        for (std::uint32_t wanted = 0; wanted < names_.size(); wanted++) {
            output.write(fmt::format(",\n{{\"type\":\"evented\",\"name\":{},\"unit\":"
                                     "\"nanoseconds\",\"startValue\":{},\"events\":[",
                                     json_string(rank_.label + ", " + names_[wanted]),
                                     rank_.clock(0)));
            std::int64_t end = std::max(rank_.clock(0), rank_.clock(end_of_run_ns(*rank_.file)));
            bool first = true;
            visit_device_work(*rank_.file, [&](const VfdDeviceWork& work, const DeviceLanes&,
                                               std::uint32_t lane, bool) {
                if (lane != wanted)
                    return;
                const std::size_t frame = frame_of(work, frames);
                output.write(fmt::format("{}\n{{\"type\":\"O\",\"frame\":{},\"at\":{}}},"
                                         "\n{{\"type\":\"C\",\"frame\":{},\"at\":{}}}",
                                         first ? "" : ",", frame, rank_.clock(work.start_ns), frame,
                                         rank_.clock(work.end_ns)));
                first = false;
                end = std::max(end, rank_.clock(work.end_ns));
            });
            output.write(fmt::format("],\"endValue\":{}}}", end));
        }
    }

  private:
    std::size_t frame_of(const VfdDeviceWork& work, Frames& frames) {
        const std::uint64_t key = std::uint64_t{work.work} << 32 | work.kernel;
        auto [place, is_new] = frame_of_.try_emplace(key, 0);
        if (is_new)
            place->second = frames.add(std::string(work_name(*rank_.file, work)), "", 0);
        return place->second;
    }

    const TimelineRank& rank_;
    std::vector<std::string> names_;                 // of the lanes
    std::map<std::uint64_t, std::size_t> frame_of_;  // by kind and kernel
};

void export_traces(const ExportSource& source, ExportOutput& output) {
    const Timeline timeline = make_timeline(source, output);
    remark_on_call_samples(timeline, output);
    Frames frames;
    std::vector<std::vector<std::size_t>> frames_of(timeline.ranks.size());
    bool messages = false;
    for (std::size_t i = 0; i < timeline.ranks.size(); i++) {
        const TimelineRank& rank = timeline.ranks[i];
        messages = messages || rank.file->header().numbers.message_samples > 0;
        for (std::uint32_t stack = 0; stack < rank.file->stacks().size(); stack++) {
            const Function* function = rank.function_of(stack);
            frames_of[i].push_back(frames.add(rank.name_of(stack),
                                              function ? function->file : std::string(),
                                              function ? function->line : 0));
        }
    }
    std::vector<DeviceProfiles> of_devices;
    for (const TimelineRank& rank : timeline.ranks)
        of_devices.emplace_back(rank, frames);
    if (messages)
        output.remark("speedscope does not support messages: they are left out");
    write_head(timeline.application, frames, output);
    output.write("\"profiles\":[");
    std::optional<SpeedscopeThread> visitor;
    const TimelineRank* rank_now = nullptr;
    bool first = true;
    replay_timeline(
        timeline, output,
        [&](const TimelineRank& rank, std::uint32_t thread) -> ReplayVisitor& {
            rank_now = &rank;
            output.write(fmt::format(
                "{}\n{{\"type\":\"evented\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":{},"
                "\"events\":[",
                first ? "" : ",", json_string(rank.label + ", " + rank.thread_label(thread)),
                rank.clock(0)));
            first = false;
            return visitor.emplace(
                output, rank, frames_of[static_cast<std::size_t>(&rank - timeline.ranks.data())]);
        },
        [&](const ReplayFigures& figures) {
            output.write(fmt::format("],\"endValue\":{}}}", rank_now->clock(figures.end_ns)));
        });
    for (DeviceProfiles& profiles : of_devices)
        profiles.write(frames, output);
    output.write("\n]}\n");
}

// ---- profiles ----------------------------------------------------------------------------------

// Callers come before their callees, and the callees of one caller follow each other, as they are
// drawn.
std::vector<std::uint32_t> depth_first(const Profile& profile) {
    const std::size_t count = profile.paths.size();
    std::vector<std::uint32_t> first_child(count, no_index), next_sibling(count, no_index), order;
    for (std::size_t i = count; i-- > 1;) {
        const std::uint32_t parent = profile.paths[i].parent;
        if (parent == no_index)
            continue;
        next_sibling[i] = first_child[parent];
        first_child[parent] = static_cast<std::uint32_t>(i);
    }
    std::vector<std::uint32_t> left;
    if (count > 0)
        left.push_back(0);
    while (!left.empty()) {
        const std::uint32_t path = left.back();
        left.pop_back();
        order.push_back(path);
        if (next_sibling[path] != no_index)
            left.push_back(next_sibling[path]);
        if (first_child[path] != no_index)
            left.push_back(first_child[path]);
    }
    return order;
}

// One of the file's profiles: call paths, each with a weight.
void write_weights(const Profile& profile, const std::vector<std::uint32_t>& order,
                   const std::vector<std::size_t>& frame_of, const std::string& what,
                   const char* unit, const std::vector<std::int64_t>& weights,
                   ExportOutput& output) {
    std::int64_t sum = 0;
    for (const std::int64_t weight : weights)
        add_saturating(sum, weight);
    const std::string name = profile.run.ranks > 1
                                 ? fmt::format("{}, {}, sum of {} ranks", profile.run.application,
                                               what, profile.summed_ranks())
                                 : profile.run.application + ", " + what;
    output.write(fmt::format("\n{{\"type\":\"sampled\",\"name\":{},\"unit\":\"{}\","
                             "\"startValue\":0,\"endValue\":{},\n\"samples\":[",
                             json_string(name), unit, sum));
    const char* separator = "\n[";
    std::vector<std::size_t> stack;
    for (const std::uint32_t with_weight : order) {
        if (weights[with_weight] == 0)
            continue;
        stack.clear();
        for (std::uint32_t path = with_weight; path != no_index; path = profile.paths[path].parent)
            stack.push_back(frame_of[profile.paths[path].function]);
        output.write(std::exchange(separator, ",\n["));
        for (std::size_t j = stack.size(); j-- > 0;)
            output.write(fmt::format("{}{}", stack[j], j > 0 ? "," : "]"));
    }
    output.write("],\n\"weights\":[");
    separator = "\n";
    for (const std::uint32_t path : order)
        if (weights[path] != 0)
            output.write(fmt::format("{}{}", std::exchange(separator, ",\n"), weights[path]));
    output.write("]}");
}

void export_profile(const Profile& profile, ExportOutput& output) {
    Frames frames;
    std::vector<std::size_t> frame_of;
    for (const Function& function : profile.functions)
        frame_of.push_back(frames.add(function.display, function.file, function.line));
    write_head(profile.run.application, frames, output);

    const std::vector<std::uint32_t> order = depth_first(profile);
    std::vector<std::int64_t> weights;
    for (const Path& path : profile.paths)
        weights.push_back(std::max<std::int64_t>(0, path.exclusive_ns));
    output.write("\"profiles\":[");
    write_weights(profile, order, frame_of, "exclusive time", "nanoseconds", weights, output);
    for (const AdditiveMetric& metric : additive_metrics(profile)) {
        for (std::size_t path = 0; path < weights.size(); path++)
            weights[path] = metric.rounded(path);
        output.write(",");
        write_weights(profile, order, frame_of, metric.name, metric.unit_word("none"), weights,
                      output);
    }
    output.write("\n]}\n");
}

}  // namespace

void export_speedscope(const ExportSource& source, ExportOutput& output) {
    if (source.traces.empty())
        export_profile(source.profiles.front(), output);
    else
        export_traces(source, output);
}

}  // namespace vftrace
