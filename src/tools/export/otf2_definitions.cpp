#include "export/otf2_definitions.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.hpp"

namespace vftrace {
namespace {

struct Otf2Kind {
    OTF2_Paradigm paradigm;
    OTF2_RegionRole role;
};

Otf2Kind otf2_kind(NodeKind category) {
    switch (category) {
    case NodeKind::mpi:
        return {OTF2_PARADIGM_MPI, OTF2_REGION_ROLE_FUNCTION};
    case NodeKind::openmp:
        return {OTF2_PARADIGM_OPENMP, OTF2_REGION_ROLE_CODE};
    case NodeKind::gpu:
        return {OTF2_PARADIGM_CUDA, OTF2_REGION_ROLE_FUNCTION};
    case NodeKind::function:
        return {OTF2_PARADIGM_COMPILER, OTF2_REGION_ROLE_FUNCTION};
    default:  // parts that the program has named itself
        return {OTF2_PARADIGM_USER, OTF2_REGION_ROLE_CODE};
    }
}

OTF2_RegionRole role_of(const std::string& name, NodeKind category) {
    if (category == NodeKind::openmp && name.starts_with("omp parallel"))
        return OTF2_REGION_ROLE_PARALLEL;
    return otf2_kind(category).role;
}

}  // namespace

void check_otf2(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS)
        throw ExportError(
            fmt::format("the OTF2 archive cannot be written: {}", OTF2_Error_GetDescription(code)));
}

Otf2Definitions::Otf2Definitions(const Timeline& timeline, const std::set<std::uint32_t>& peers)
    : timeline_(timeline) {
    std::map<std::uint32_t, const TimelineRank*> known;
    for (const std::uint32_t peer : peers)
        known.emplace(peer, nullptr);
    for (const TimelineRank& rank : timeline.ranks) {
        known[rank.rank] = &rank;
        std::vector<OTF2_RegionRef>& regions = regions_of_.emplace_back();
        for (std::uint32_t stack = 0; stack < rank.file->stacks().size(); stack++) {
            const Function* function = rank.function_of(stack);
            Region region{rank.name_of(stack), rank.category_of(stack),
                          function ? function->file : std::string(), function ? function->line : 0};
            regions.push_back(
                regions_
                    .try_emplace(std::move(region), static_cast<OTF2_RegionRef>(regions_.size()))
                    .first->second);
        }
    }
    OTF2_LocationRef next = 0;
    for (const auto& [rank, trace] : known) {
        ranks_.push_back(rank);
        traces_.push_back(trace);
        first_location_.push_back(next);
        next += trace ? trace->file->threads().size() : 1;
    }
    events_.resize(next);
}

std::optional<std::uint32_t> Otf2Definitions::process_of(std::int32_t rank) const {
    const auto wanted = static_cast<std::uint32_t>(rank);
    const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), wanted);
    if (rank < 0 || place == ranks_.end() || *place != wanted)
        return std::nullopt;
    return static_cast<std::uint32_t>(place - ranks_.begin());
}

std::vector<OTF2_LocationRef> Otf2Definitions::locations_without_trace() const {
    std::vector<OTF2_LocationRef> locations;
    for (std::size_t i = 0; i < ranks_.size(); i++)
        if (!traces_[i])
            locations.push_back(first_location_[i]);
    return locations;
}

OTF2_LocationRef Otf2Definitions::add_stream(std::uint32_t rank, std::uint32_t device,
                                             const std::string& name) {
    const OTF2_LocationRef location = events_.size();
    events_.push_back(0);
    streams_.push_back({location, rank, device, name});
    return location;
}

OTF2_RegionRef Otf2Definitions::region_of_work(const std::string& name) {
    return regions_
        .try_emplace(Region{name, NodeKind::gpu, "", 0},
                     static_cast<OTF2_RegionRef>(regions_.size()))
        .first->second;
}

OTF2_StringRef Otf2Definitions::text(const std::string& text) {
    const auto [place, is_new] =
        texts_.try_emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new)
        // Without control characters and invalid sequences, because readers print texts as they
        // are.
        check_otf2(
            OTF2_GlobalDefWriter_WriteString(writer_, place->second, printable(text).c_str()));
    return place->second;
}

void Otf2Definitions::write_system() {
    const OTF2_StringRef machine = text("machine"), node = text("node");
    check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, machine, machine,
                                                        OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::uint32_t process = 0; process < processes(); process++) {
        const TimelineRank* trace = traces_[process];
        std::string host = trace ? trace->file->extension().host : std::string();
        if (host.empty())
            host = "unknown host";
        const auto [place, is_new] =
            hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
        if (is_new)
            check_otf2(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, place->second, text(host),
                                                                node, 0));
        node_of_.push_back(place->second);
        const std::string label =
            trace ? trace->label : fmt::format("rank {} (no trace)", ranks_[process]);
        check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer_, process, text(label), OTF2_LOCATION_GROUP_TYPE_PROCESS, place->second,
            OTF2_UNDEFINED_LOCATION_GROUP));
        const std::size_t threads = trace ? trace->file->threads().size() : 1;
        for (std::uint32_t thread = 0; thread < threads; thread++) {
            const OTF2_LocationRef location = first_location_[process] + thread;
            check_otf2(OTF2_GlobalDefWriter_WriteLocation(
                writer_, location, text(trace ? trace->thread_label(thread) : "main thread"),
                OTF2_LOCATION_TYPE_CPU_THREAD, events_[location], process));
        }
    }
}

// A location group for each GPU of a rank.
void Otf2Definitions::write_streams() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, OTF2_LocationGroupRef> groups;
    for (const Stream& stream : streams_) {
        const std::uint32_t process = *process_of(static_cast<std::int32_t>(stream.rank));
        const auto [place, is_new] =
            groups.try_emplace({stream.rank, stream.device},
                               static_cast<OTF2_LocationGroupRef>(processes() + groups.size()));
        if (is_new)
            check_otf2(OTF2_GlobalDefWriter_WriteLocationGroup(
                writer_, place->second,
                text(fmt::format("GPU {} of rank {}", stream.device, stream.rank)),
                OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, node_of_[process], process));
        check_otf2(OTF2_GlobalDefWriter_WriteLocation(writer_, stream.location, text(stream.name),
                                                      OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                                      events_[stream.location], place->second));
    }
}

void Otf2Definitions::write_regions() {
    // Readers complain about numbers out of order.
    std::vector<const Region*> by_number(regions_.size());
    for (const auto& [region, number] : regions_)
        by_number[number] = &region;
    for (OTF2_RegionRef number = 0; number < by_number.size(); number++) {
        const auto& [name, category, file, line] = *by_number[number];
        const OTF2_StringRef name_text = text(name);
        check_otf2(OTF2_GlobalDefWriter_WriteRegion(
            writer_, number, name_text, name_text, text(""), role_of(name, category),
            otf2_kind(category).paradigm, OTF2_REGION_FLAG_NONE,
            file.empty() ? OTF2_UNDEFINED_STRING : text(file), line, OTF2_UNDEFINED_UINT32));
    }
}

// MPI_COMM_WORLD, as far as it is known: its ranks are indices into a group of locations, the main
// threads.
void Otf2Definitions::write_communicator() {
    std::vector<std::uint64_t> ranks(processes());
    for (std::uint32_t rank = 0; rank < processes(); rank++)
        ranks[rank] = rank;
    check_otf2(OTF2_GlobalDefWriter_WriteGroup(
        writer_, 0, text("MPI processes"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, processes(), first_location_.data()));
    check_otf2(OTF2_GlobalDefWriter_WriteGroup(writer_, 1, text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                               OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, processes(),
                                               ranks.data()));
    check_otf2(OTF2_GlobalDefWriter_WriteComm(writer_, 0, text("MPI_COMM_WORLD"), 1,
                                              OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    if (has_window_)
        check_otf2(OTF2_GlobalDefWriter_WriteRmaWin(writer_, 0, text("all windows"), 0,
                                                    OTF2_RMA_WIN_FLAG_NONE));
}

// One class with all counters, because all ranks of a run have the same counters.
void Otf2Definitions::write_counters() {
    const std::vector<VfdCounter>& counters = timeline_.ranks.front().file->counters();
    const std::size_t count = std::min(counters.size(), largest_metric_class);
    std::vector<OTF2_MetricMemberRef> members;
    for (std::size_t i = 0; i < count; i++) {
        members.push_back(static_cast<OTF2_MetricMemberRef>(i));
        check_otf2(OTF2_GlobalDefWriter_WriteMetricMember(
            writer_, members.back(), text(counters[i].name), text(counters[i].symbol),
            OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64,
            OTF2_BASE_DECIMAL, 0, text(counters[i].unit.empty() ? "#" : counters[i].unit)));
    }
    if (count > 0)
        check_otf2(OTF2_GlobalDefWriter_WriteMetricClass(
            writer_, 0, static_cast<std::uint8_t>(count), members.data(), OTF2_METRIC_SYNCHRONOUS,
            OTF2_RECORDER_KIND_CPU));
}

void Otf2Definitions::write(OTF2_Archive* archive, std::uint64_t end) {
    // Readers look for a file of definitions for each location, although all definitions are
    // global.
    check_otf2(OTF2_Archive_OpenDefFiles(archive));
    for (OTF2_LocationRef location = 0; location < events_.size(); location++) {
        OTF2_DefWriter* local = OTF2_Archive_GetDefWriter(archive, location);
        if (!local)
            throw ExportError("OTF2 cannot write the definitions of a thread");
        check_otf2(OTF2_Archive_CloseDefWriter(archive, local));
    }
    check_otf2(OTF2_Archive_CloseDefFiles(archive));
    writer_ = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!writer_)
        throw ExportError("OTF2 cannot write the definitions");
    check_otf2(OTF2_GlobalDefWriter_WriteClockProperties(
        writer_, 1'000'000'000, 0, end + 1,
        timeline_.start_unix_ns > 0 ? static_cast<std::uint64_t>(timeline_.start_unix_ns)
                                    : OTF2_UNDEFINED_TIMESTAMP));
    text("");
    write_system();
    write_streams();
    write_regions();
    write_communicator();
    write_counters();
    check_otf2(OTF2_Archive_CloseGlobalDefWriter(archive, writer_));
}

}  // namespace vftrace
