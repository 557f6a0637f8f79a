// The part of a profile's JSON file that is about GPUs.
#include "profile/gpu_json.hpp"

#include "profile/profile_json_words.hpp"
#include "profile/row_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

// One line an element.
template <class Element>
void write_list(std::string_view key, const std::vector<Element>& elements,
                void (*write)(const Element&, JsonWriter&), JsonWriter& json) {
    if (elements.empty())
        return;
    json.key(key).begin_array();
    for (const Element& element : elements) {
        json.begin_object(Layout::compact);
        write(element, json);
        json.end_object();
    }
    json.end_array();
}

void write_function(const GpuFunction& function, JsonWriter& json) {
    json.key("api").unsigned_integer(function.id >> 32);
    json.key("cbid").unsigned_integer(function.id & 0xffffffff);
    json.key("name").string(function.name);
}

void write_work(const PathGpuWork& work, JsonWriter& json) {
    json.key("node").unsigned_integer(work.path);
    if (work.function != no_index)
        json.key("function").unsigned_integer(work.function);
    json.key("work").string(profile_json::word_of(profile_json::gpu_work_kinds, work.work));
    write_figures_json(work, json);
    if (work.ranks == 0)
        return;
    json.key("ranks").begin_object(Layout::compact);
    json.key("count").unsigned_integer(work.ranks);
    json.key("fewest").unsigned_integer(work.fewest);
    json.key("most").unsigned_integer(work.most);
    json.end_object();
}

void write_stream(const GpuStreamFigures& stream, JsonWriter& json) {
    if (stream.stream != no_index) {
        json.key("rank").unsigned_integer(stream.rank);
        json.key("device").unsigned_integer(stream.device);
        json.key("context").unsigned_integer(stream.context);
        json.key("stream").unsigned_integer(stream.stream);
    }
    write_figures_json(stream, json);
}

void write_device(const GpuDeviceFigures& device, JsonWriter& json) {
    json.key("rank").unsigned_integer(device.rank);
    json.key("number").unsigned_integer(device.number);
    json.key("name").string(device.name);
    write_figures_json(device, json);
}

void write_offload(const PathOffload& work, JsonWriter& json) {
    json.key("node").unsigned_integer(work.path);
    for (std::size_t i = 0; i < offload_bytes; i++) {
        if (work.count[i] == 0)
            continue;
        json.key(profile_json::offload_kinds[i]).begin_object(Layout::compact);
        json.key("count").unsigned_integer(work.count[i]);
        json.key("bytes").unsigned_integer(work.bytes[i]);
        json.end_object();
    }
}

void write_offload_device(const OffloadDeviceFigures& device, JsonWriter& json) {
    json.key("rank").unsigned_integer(device.rank);
    json.key("model").string(
        profile_json::word_of(profile_json::offload_model_words, device.model));
    json.key("host").boolean(device.is_host);
    json.key("number").integer(device.number);
}

void write_offload_json(const Profile& profile, JsonWriter& json) {
    if (profile.offload.empty() && profile.offload_devices.empty())
        return;
    json.key("offload").begin_object();
    write_list("nodes", profile.offload, write_offload, json);
    write_list("devices", profile.offload_devices, write_offload_device, json);
    json.end_object();
}

}  // namespace

void write_gpu_json(const Profile& profile, JsonWriter& json) {
    write_offload_json(profile, json);
    if (profile.gpu_functions.empty() && profile.gpu_work.empty() && profile.gpu_streams.empty() &&
        profile.gpu_devices.empty())
        return;
    json.key("gpu").begin_object();
    write_list("functions", profile.gpu_functions, write_function, json);
    write_list("work", profile.gpu_work, write_work, json);
    write_list("streams", profile.gpu_streams, write_stream, json);
    write_list("devices", profile.gpu_devices, write_device, json);
    json.end_object();
}

}  // namespace vftrace
