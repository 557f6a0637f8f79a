// What GPUs did, in the messages that ranks send each other, and its merging.
#include "collate/gpu_collation.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "collate/row_codec.hpp"

namespace vftrace {
namespace {

// Bytes that a record has at least: see ByteReader::count().
constexpr std::size_t least_function = 2, least_work = 4 + least_figures<PathGpuWork>(),
                      least_stream = 4 + least_figures<GpuStreamFigures>(),
                      least_device = 3 + least_figures<GpuDeviceFigures>(),
                      least_offload = 1 + least_figures<PathOffload>(), least_offload_device = 3;

void write(ByteWriter& out, const PathGpuWork& work) {
    out.number(work.path);
    out.number(work.function == no_index ? 0 : std::uint64_t{work.function} + 1);
    out.byte(static_cast<std::uint8_t>(work.work));
    write_figures(out, work);
    out.number(work.ranks);
    if (work.ranks > 1) {
        out.number(work.fewest);
        out.number(work.most);
    }
}

PathGpuWork read_work(ByteReader& in, const std::vector<std::uint32_t>& path_of,
                      const std::vector<std::uint32_t>& function_of) {
    PathGpuWork work;
    const std::uint32_t path = in.index(path_of.size());
    const std::uint64_t function = in.number_up_to(function_of.size());
    const std::uint8_t kind = in.byte();
    if (in.failed() || kind >= gpu_works) {
        in.fail();
        return work;
    }
    work.path = path_of[path];
    work.function = function == 0 ? no_index : function_of[function - 1];
    work.work = static_cast<GpuWork>(kind);
    read_figures(in, work);
    work.ranks = std::max(in.number32(), 1u);
    work.fewest = work.most = work.count;
    if (work.ranks > 1) {
        work.fewest = in.number();
        work.most = in.number();
    }
    return work;
}

void write(ByteWriter& out, const GpuStreamFigures& stream) {
    for (const std::uint32_t number : {stream.rank, stream.device, stream.context, stream.stream})
        out.number(number);
    write_figures(out, stream);
}

GpuStreamFigures read_stream(ByteReader& in) {
    GpuStreamFigures stream;
    for (std::uint32_t* number : {&stream.rank, &stream.device, &stream.context, &stream.stream})
        *number = in.number32();
    read_figures(in, stream);
    return stream;
}

void write(ByteWriter& out, const GpuDeviceFigures& device) {
    out.number(device.rank);
    out.number(device.number);
    out.text(device.name);
    write_figures(out, device);
}

GpuDeviceFigures read_device(ByteReader& in) {
    GpuDeviceFigures device;
    device.rank = in.number32();
    device.number = in.number32();
    device.name = in.text();
    read_figures(in, device);
    return device;
}

void write(ByteWriter& out, const PathOffload& work) {
    out.number(work.path);
    write_figures(out, work);
}

PathOffload read_offload(ByteReader& in, const std::vector<std::uint32_t>& path_of) {
    PathOffload work;
    const std::uint32_t path = in.index(path_of.size());
    if (in.failed())
        return work;
    work.path = path_of[path];
    read_figures(in, work);
    return work;
}

// The byte tells the model, and whether it is the host.
constexpr std::uint8_t host_bit = 0x80;
void write(ByteWriter& out, const OffloadDeviceFigures& device) {
    out.number(device.rank);
    out.byte(static_cast<std::uint8_t>(device.model) | (device.is_host ? host_bit : 0));
    out.signed_number(device.number);
}

OffloadDeviceFigures read_offload_device(ByteReader& in) {
    OffloadDeviceFigures device;
    device.rank = in.number32();
    const std::uint8_t form = in.byte();
    const std::uint8_t model = form & ~host_bit;
    if (model >= offload_models)
        in.fail();
    else
        device.model = static_cast<OffloadModel>(model);
    device.is_host = form & host_bit;
    device.number = static_cast<std::int32_t>(in.signed_number());
    return device;
}

auto key_of(const PathOffload& work) { return std::tie(work.path); }
auto key_of(const OffloadDeviceFigures& device) {
    return std::tie(device.rank, device.model, device.is_host, device.number);
}
auto key_of(const PathGpuWork& work) { return std::tie(work.path, work.function, work.work); }
auto key_of(const GpuStreamFigures& stream) {
    return std::tie(stream.rank, stream.device, stream.context, stream.stream);
}
auto key_of(const GpuDeviceFigures& device) { return std::tie(device.rank, device.number); }
auto key_of(const GpuFunction& function) { return std::tie(function.id); }

// A stream with a smaller number than another, where both are equally busy, stays.
bool is_busier(const GpuStreamFigures& a, const GpuStreamFigures& b) {
    const double time_a = static_cast<double>(a.kernel_ns) + static_cast<double>(a.copy_ns);
    const double time_b = static_cast<double>(b.kernel_ns) + static_cast<double>(b.copy_ns);
    return time_a != time_b ? time_a > time_b : key_of(a) < key_of(b);
}

// Which rows stay does not depend on the order in which ranks are merged.
void limit_rows(std::vector<GpuStreamFigures>& streams) {
    const auto rests =
        std::partition(streams.begin(), streams.end(),
                       [](const GpuStreamFigures& stream) { return stream.stream != no_index; });
    std::size_t kept = static_cast<std::size_t>(rests - streams.begin());
    if (kept > most_stream_rows) {
        kept = most_stream_rows;
        std::nth_element(streams.begin(), streams.begin() + most_stream_rows, rests, is_busier);
    }
    if (kept == streams.size())
        return;
    GpuStreamFigures rest{no_index, no_index, no_index, no_index};
    for (std::size_t i = kept; i < streams.size(); i++)
        add_figures(rest, streams[i]);
    streams.resize(kept);
    streams.push_back(rest);
}

template <class Element>
void write_list(ByteWriter& out, const std::vector<Element>& elements) {
    out.number(elements.size());
    for (const Element& element : elements)
        write(out, element);
}

template <class Element>
void sort_by_key(std::vector<Element>& elements) {
    std::sort(elements.begin(), elements.end(),
              [](const Element& a, const Element& b) { return key_of(a) < key_of(b); });
}

}  // namespace

void write_gpu(ByteWriter& out, const Profile& profile) {
    out.number(profile.gpu_functions.size());
    for (const GpuFunction& function : profile.gpu_functions) {
        out.number(function.id);
        out.text(function.name);
    }
    write_list(out, profile.gpu_work);
    write_list(out, profile.gpu_streams);
    write_list(out, profile.gpu_devices);
    write_list(out, profile.offload);
    write_list(out, profile.offload_devices);
}

void GpuMerger::add(ByteReader& in, const std::vector<std::uint32_t>& path_of,
                    const std::vector<std::uint32_t>& function_of, Profile& profile) {
    for (std::uint32_t n = in.count(least_function); n > 0 && !in.failed(); n--) {
        GpuFunction function;
        function.id = in.number();
        function.name = in.text();
        add_function(function, profile.gpu_functions);
    }
    for (std::uint32_t n = in.count(least_work); n > 0; n--) {
        const PathGpuWork work = read_work(in, path_of, function_of);
        if (in.failed())
            return;
        add_work(work, profile.gpu_work);
    }
    for (std::uint32_t n = in.count(least_stream); n > 0 && !in.failed(); n--)
        profile.gpu_streams.push_back(read_stream(in));
    limit_rows(profile.gpu_streams);
    for (std::uint32_t n = in.count(least_device); n > 0 && !in.failed(); n--)
        profile.gpu_devices.push_back(read_device(in));
    for (std::uint32_t n = in.count(least_offload); n > 0; n--) {
        const PathOffload work = read_offload(in, path_of);
        if (in.failed())
            return;
        add_offload(work, profile.offload);
    }
    for (std::uint32_t n = in.count(least_offload_device); n > 0 && !in.failed(); n--)
        profile.offload_devices.push_back(read_offload_device(in));
}

void GpuMerger::add_offload(const PathOffload& work, std::vector<PathOffload>& all) {
    const auto next = static_cast<std::uint32_t>(all.size());
    const std::uint32_t index =
        offload_.find_or_add(work.path, next, [](std::uint32_t) { return true; });
    if (index == next)
        all.push_back(work);
    else
        add_figures(all[index], work);
}

void GpuMerger::add_function(const GpuFunction& function, std::vector<GpuFunction>& functions) {
    const auto next = static_cast<std::uint32_t>(functions.size());
    if (functions_.find_or_add(function.id, next, [](std::uint32_t) { return true; }) == next)
        functions.push_back(function);
}

void GpuMerger::add_work(const PathGpuWork& work, std::vector<PathGpuWork>& all) {
    const auto next = static_cast<std::uint32_t>(all.size());
    const std::uint64_t hash = (std::uint64_t{work.path} << 32 | work.function) * gpu_works +
                               static_cast<std::uint64_t>(work.work);
    const std::uint32_t index = work_.find_or_add(
        hash, next, [&](std::uint32_t i) { return key_of(all[i]) == key_of(work); });
    if (index == next) {
        all.push_back(work);
        return;
    }
    PathGpuWork& sum = all[index];
    add_figures(sum, work);
    sum.ranks += work.ranks;
    sum.fewest = std::min(sum.fewest, work.fewest);
    sum.most = std::max(sum.most, work.most);
}

void sort_gpu(Profile& profile) {
    sort_by_key(profile.gpu_functions);
    sort_by_key(profile.gpu_work);
    sort_by_key(profile.gpu_streams);
    sort_by_key(profile.gpu_devices);
    sort_by_key(profile.offload);
    sort_by_key(profile.offload_devices);
}

}  // namespace vftrace
