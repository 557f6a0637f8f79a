// Reads the part of a profile's JSON file that is about GPUs.
#include "readers/gpu_json_reader.hpp"

#include <tuple>

#include "readers/row_json_reader.hpp"

namespace vftrace {
namespace {

GpuFunction read_function(const JsonObject& json, const Profile& profile) {
    GpuFunction function;
    function.id = std::uint64_t{json.integer<std::uint32_t>("api")} << 32 |
                  json.integer<std::uint32_t>("cbid");
    function.name = json.string("name");
    if (!profile.gpu_functions.empty() && function.id <= profile.gpu_functions.back().id)
        json.fail("cbid", "must be sorted by api and cbid");
    return function;
}

void read_ranks(const JsonObject& json, std::uint32_t ranks, PathGpuWork& work) {
    work.ranks = json.integer<std::uint32_t>("count");
    if (work.ranks < 1 || work.ranks > ranks)
        json.fail("count", "must be between 1 and the number of ranks");
    work.fewest = json.integer<std::uint64_t>("fewest");
    work.most = json.integer<std::uint64_t>("most");
}

PathGpuWork read_work(const JsonObject& json, const Profile& profile) {
    PathGpuWork work;
    work.path = json.index("node", profile.paths.size());
    if (json.find("function"))
        work.function = json.index("function", profile.functions.size());
    work.work = json.word("work", profile_json::gpu_work_kinds);
    if (!profile.gpu_work.empty()) {
        const PathGpuWork& last = profile.gpu_work.back();
        if (std::tie(work.path, work.function, work.work) <=
            std::tie(last.path, last.function, last.work))
            json.fail("node", "must be sorted by node, function and work");
    }
    read_figures_json(json, work);
    if (const JsonValue* ranks = json.find("ranks"))
        read_ranks(JsonObject(ranks, &json, "ranks"), profile.run.ranks, work);
    return work;
}

GpuStreamFigures read_stream(const JsonObject& json, const Profile& profile) {
    GpuStreamFigures stream;
    if (json.find("stream")) {
        stream.rank = json.index("rank", profile.run.ranks);
        stream.device = json.integer<std::uint32_t>("device");
        stream.context = json.integer<std::uint32_t>("context");
        stream.stream = json.integer<std::uint32_t>("stream");
    } else {
        stream.rank = stream.device = stream.context = stream.stream = no_index;
    }
    if (!profile.gpu_streams.empty()) {
        const GpuStreamFigures& last = profile.gpu_streams.back();
        if (std::tie(stream.rank, stream.device, stream.context, stream.stream) <=
            std::tie(last.rank, last.device, last.context, last.stream))
            json.fail("stream", "must be sorted by rank, device, context and stream");
    }
    read_figures_json(json, stream);
    return stream;
}

GpuDeviceFigures read_device(const JsonObject& json, const Profile& profile) {
    GpuDeviceFigures device;
    device.rank = json.index("rank", profile.run.ranks);
    device.number = json.integer<std::uint32_t>("number");
    if (!profile.gpu_devices.empty()) {
        const GpuDeviceFigures& last = profile.gpu_devices.back();
        if (std::tie(device.rank, device.number) <= std::tie(last.rank, last.number))
            json.fail("number", "must be sorted by rank and number");
    }
    device.name = json.string("name");
    read_figures_json(json, device);
    return device;
}

PathOffload read_offload(const JsonObject& json, const Profile& profile) {
    PathOffload work;
    work.path = json.index("node", profile.paths.size());
    if (!profile.offload.empty() && work.path <= profile.offload.back().path)
        json.fail("node", "must be sorted");
    for (std::size_t i = 0; i < offload_bytes; i++) {
        const char* word = profile_json::offload_kinds[i];
        if (const JsonValue* member = json.find(word)) {
            const JsonObject figures(member, &json, word);
            work.count[i] = figures.integer<std::uint64_t>("count");
            work.bytes[i] = figures.integer<std::uint64_t>("bytes");
        }
    }
    return work;
}

OffloadDeviceFigures read_offload_device(const JsonObject& json, const Profile& profile) {
    OffloadDeviceFigures device;
    device.rank = json.index("rank", profile.run.ranks);
    device.model = json.word("model", profile_json::offload_model_words);
    device.is_host = json.optional_boolean("host", false);
    device.number = json.integer<std::int32_t>("number");
    if (!profile.offload_devices.empty()) {
        const OffloadDeviceFigures& last = profile.offload_devices.back();
        if (std::tie(device.rank, device.model, device.is_host, device.number) <=
            std::tie(last.rank, last.model, last.is_host, last.number))
            json.fail("number", "must be sorted by rank, model, host and number");
    }
    return device;
}

bool is_known_work(const JsonObject& json) {
    return json.has_known_word("work", profile_json::gpu_work_kinds);
}
bool is_known_device(const JsonObject& json) {
    return json.has_known_word("model", profile_json::offload_model_words);
}

// The elements of a list, which is absent if it is empty. Those that `is_known` does not know are
// of a later version.
template <class Element>
void read_list(const JsonObject& json, const char* key, std::vector<Element>& elements,
               Element (*read)(const JsonObject&, const Profile&), const Profile& profile,
               bool (*is_known)(const JsonObject&) = nullptr) {
    if (json.find(key))
        json.for_each_object(key, [&](const JsonObject& element) {
            if (!is_known || is_known(element))
                elements.push_back(read(element, profile));
        });
}

}  // namespace

void read_gpu_json(const JsonObject& document, Profile& profile) {
    if (const JsonValue* offload = document.find("offload")) {
        const JsonObject json(offload, &document, "offload");
        read_list(json, "nodes", profile.offload, read_offload, profile);
        read_list(json, "devices", profile.offload_devices, read_offload_device, profile,
                  is_known_device);
    }
    const JsonValue* member = document.find("gpu");
    if (!member)
        return;
    const JsonObject json(member, &document, "gpu");
    read_list(json, "functions", profile.gpu_functions, read_function, profile);
    read_list(json, "work", profile.gpu_work, read_work, profile, is_known_work);
    read_list(json, "streams", profile.gpu_streams, read_stream, profile);
    read_list(json, "devices", profile.gpu_devices, read_device, profile);
}

}  // namespace vftrace
