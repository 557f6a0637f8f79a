#include "regions/region_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/clock.hpp"
#include "base/kernel_files.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "tree/call_tree.hpp"
#include "tree/series.hpp"
#include "tree/side_tables.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// The signals that the report always has, if they can be read.
struct StandardSignal {
    const char* name;
    MetricId metric;
};
constexpr StandardSignal standard_signals[] = {
    {"CPU_ENERGY", MetricId::region_package_energy},
    {"DRAM_ENERGY", MetricId::region_dram_energy},
    {"CPU_CYCLES_THREAD", MetricId::region_cycles},
    {"CPU_CYCLES_REFERENCE", MetricId::region_reference_cycles},
    {"GPU_ENERGY", MetricId::region_gpu_energy},
    {"GPU_CORE_FREQUENCY_STATUS", MetricId::region_gpu_frequency}};

// The metrics of time by hint, in the order of RegionHint.
constexpr MetricId hint_metrics[] = {
    MetricId::region_time_hint_network,  MetricId::region_time_hint_ignore,
    MetricId::region_time_hint_compute,  MetricId::region_time_hint_memory,
    MetricId::region_time_hint_io,       MetricId::region_time_hint_serial,
    MetricId::region_time_hint_parallel, MetricId::region_time_hint_unknown,
    MetricId::region_time_hint_unset,    MetricId::region_time_hint_spin};
static_assert(std::size(hint_metrics) == region_hint_words.size());

constexpr double second_ns = 1e9;
constexpr std::uint64_t keep_every_ns = 1'000'000'000;
// Every n-th sample looks for processes that have died, and for new threads.
constexpr std::uint64_t looks_after = 64;
constexpr std::uint32_t most_power_points = 9984;

double now_s() { return static_cast<double>(monotonic_ns()) / second_ns; }

std::vector<SignalRequest> all_requests(const RegionSamplerSettings& settings) {
    std::vector<SignalRequest> requests;
    for (const StandardSignal& signal : standard_signals) {
        SignalRequest request;
        request.name = signal.name;
        request.required = false;
        requests.push_back(std::move(request));
    }
    requests.insert(requests.end(), settings.requests.begin(), settings.requests.end());
    return requests;
}

RegionSignal::Domain domain_of(const Signal& signal) {
    switch (signal.domain) {
    case SignalDomain::package:
        return {RegionSignal::Domain::package, signal.index};
    case SignalDomain::core:
        return {RegionSignal::Domain::core, signal.index};
    default:
        return {};  // whichever process uses a GPU
    }
}

std::vector<RegionSignal> region_signals(const std::vector<Signal>& signals) {
    std::vector<RegionSignal> made;
    made.reserve(signals.size());
    for (const Signal& signal : signals)
        made.push_back({domain_of(signal), signal.is_sum});
    return made;
}

void set(std::uint64_t& word, double value) {
    set_shared(word, std::bit_cast<std::uint64_t>(value));
}

}  // namespace

RegionSampler::RegionSampler(const RegionSamplerSettings& settings, RegionPage& page)
    : page_(page), processors_(settings.system_files),
      reader_({.system_files = settings.system_files}, all_requests(settings)),
      signals_(region_signals(reader_.signals())), values_(signals_.size()),
      sums_(signals_, now_s(), (reader_.read(values_), values_)), memory_(map_tree_memory) {
    report_problems();
    columns_.push_back({MetricId::region_sync_runtime, 0, SideValue::real});
    for (const MetricId metric : hint_metrics)
        columns_.push_back({metric, 0, SideValue::real});
    const std::vector<Signal>& signals = reader_.signals();
    for (const StandardSignal& standard : standard_signals) {
        const auto found = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
            return signal.name == standard.name && signal.domain == SignalDomain::board;
        });
        if (found == signals.end())
            continue;
        signal_of_.push_back(static_cast<std::size_t>(found - signals.begin()));
        columns_.push_back({standard.metric, 0, SideValue::real});
        if (standard.metric == MetricId::region_package_energy ||
            standard.metric == MetricId::region_gpu_energy)
            if (SeriesRecord* series = new_series(MetricId::region_power_at,
                                                  standard.metric == MetricId::region_gpu_energy
                                                      ? keep_text("GPUs")
                                                      : keep_text("packages"),
                                                  most_power_points))
                powers_.push_back({signal_of_.back(), series, values_[signal_of_.back()], now_s()});
    }
    const auto has_cycles = [](const SideColumn& column) {
        return column.metric == MetricId::region_reference_cycles;
    };
    if (std::any_of(columns_.begin(), columns_.end(), has_cycles) && reader_.sticker_hz() > 0) {
        has_sticker_ = true;
        columns_.push_back({MetricId::region_sticker, 0, SideValue::real});
    }
    // A signal may be both standard and requested.
    for (std::size_t i = 0; i < signals.size(); i++)
        if (const std::string name = label(signals[i]);
            std::any_of(settings.requests.begin(), settings.requests.end(),
                        [&](const SignalRequest& request) {
                            return request.name == signals[i].name &&
                                   request.domain == signals[i].domain;
                        }) &&
            std::find(requested_name_.begin(), requested_name_.end(), name) ==
                requested_name_.end()) {
            requested_.push_back(i);
            requested_name_.push_back(name);
        }
}

void RegionSampler::report_problems() {
    for (; problems_reported_ < reader_.problems().size(); problems_reported_++)
        message_of(Speaker::machine, "region_report.active: %s",
                   reader_.problems()[problems_reported_].c_str());
}

void RegionSampler::look_after_processes() {
    for (std::uint32_t i = 0; i < most_processes; i++) {
        RegionPage::Process& process = page_.processes[i];
        const std::uint64_t start = __atomic_load_n(&process.start, __ATOMIC_ACQUIRE);
        if (start == 0 || process_start(process.pid) == start)
            continue;
        free_slots(page_, i);
        __atomic_store_n(&process.start, std::uint64_t{0}, __ATOMIC_RELEASE);
    }
    std::vector<pid_t> threads;
    const std::uint32_t used = std::min<std::uint32_t>(relaxed(page_.slots_used), most_slots);
    for (std::uint32_t i = 0; i < used; i++)
        if (const std::int32_t tid = relaxed(page_.slots[i].tid))
            threads.push_back(tid);
    reader_.follow_threads(threads);
    report_problems();
}

// The current contents of the page's slots.
void RegionSampler::gather() {
    slots_.clear();
    const std::uint32_t used =
        std::min<std::uint32_t>(__atomic_load_n(&page_.slots_used, __ATOMIC_ACQUIRE), most_slots);
    master_slot_.resize(used, 0);
    for (std::uint32_t i = 0; i < used; i++) {
        const PublishedPlace& slot = page_.slots[i];
        const std::uint32_t process = relaxed(slot.process);
        if (process == 0)
            continue;
        std::uint64_t place = relaxed(slot.place);
        const auto processor = static_cast<std::uint32_t>(place & place_processor_mask);
        // Nested teams have masters that are workers themselves.
        constexpr int deepest = 8;
        const PublishedPlace* of = &slot;
        for (int depth = 0; depth < deepest && relaxed(of->master) != 0; depth++) {
            const auto is_master = [&](std::uint32_t at) {
                return at < used && relaxed(page_.slots[at].process) == process &&
                       relaxed(page_.slots[at].thread) + 1 == relaxed(of->master);
            };
            std::uint32_t& at = master_slot_[static_cast<std::size_t>(of - page_.slots)];
            if (!is_master(at))
                for (at = 0; at < used && !is_master(at);)
                    at++;
            if (at == used)
                break;
            of = &page_.slots[at];
            place = relaxed(of->place);
        }
        const std::uint64_t region = place >> place_region_shift;
        const auto hint = static_cast<RegionHint>(std::min<std::uint64_t>(
            place >> place_hint_shift & 0xff, region_hint_words.size() - 1));
        // A slot that has just been taken does not have a hint yet.
        slots_.push_back({region, region == 0 ? RegionHint::unset : hint,
                          processors_.package_of(processor), processors_.core_of(processor)});
    }
}

void RegionSampler::add_power(double seconds) {
    for (Power& power : powers_) {
        const double joules = values_[power.signal];
        if (std::isnan(joules) || seconds <= power.seconds)
            continue;
        add_reading(*power.series, tree_ticks(),
                    (joules - power.joules) / (seconds - power.seconds));
        power.joules = joules;
        power.seconds = seconds;
    }
}

void RegionSampler::sample() {
    if (samples_++ % looks_after == 0)
        look_after_processes();
    gather();
    reader_.read(values_);
    std::uint64_t epochs = 0;
    for (const RegionPage::Process& process : page_.processes) {
        if (relaxed(process.pid) == 0)
            break;
        epochs = std::max(epochs, relaxed(process.epochs));
    }
    const double now = now_s();
    sums_.sample(now, slots_, values_, epochs);
    add_power(now);
    const std::uint64_t ns = monotonic_ns();
    if (ns - kept_ns_ < keep_every_ns)
        return;
    kept_ns_ = ns;
    keep_sums();
}

std::uint64_t* RegionSampler::new_row(SideTable*& table, const std::vector<SideColumn>& columns,
                                      const char* name) {
    if (!table)
        table = new_process_table(columns, memory_);
    return table ? new_process_row(*table, name, memory_) : nullptr;
}

RegionSampler::Kept& RegionSampler::kept_row(RegionPart part, std::uint64_t region) {
    auto place = std::lower_bound(kept_.begin(), kept_.end(), std::pair{part, region},
                                  [](const Kept& kept, const auto& wanted) {
                                      return std::pair{kept.part, kept.region} < wanted;
                                  });
    if (place != kept_.end() && place->part == part && place->region == region)
        return *place;
    constexpr std::size_t longest = 200;
    char name[longest];
    Kept kept{part, region, nullptr, {}};
    write_region_row(name, sizeof name, part, region, "");
    kept.values = new_row(table_, columns_, name);
    const std::vector<SideColumn> column = {{MetricId::region_signal, 0, SideValue::real}};
    for (const std::string& signal : requested_name_) {
        write_region_row(name, sizeof name, part, region, signal.c_str());
        kept.of_requested.push_back(new_row(requested_table_, column, name));
    }
    return *kept_.insert(place, std::move(kept));
}

void RegionSampler::keep(RegionPart part, std::uint64_t region,
                         const RegionSums::Figures& figures) {
    const Kept& row = kept_row(part, region);
    if (row.values) {
        std::uint64_t* at = row.values;
        set(*at++, second_ns * figures.time);
        for (const double seconds : figures.hint_time)
            set(*at++, second_ns * seconds);
        for (const std::size_t signal : signal_of_)
            set(*at++, figures.value(signals_[signal], signal));
        if (has_sticker_)
            set(*at, reader_.sticker_hz());
    }
    for (std::size_t i = 0; i < requested_.size(); i++)
        if (row.of_requested[i])
            set(*row.of_requested[i], figures.value(signals_[requested_[i]], requested_[i]));
}

void RegionSampler::keep_sums() {
    for (const RegionSums::Region& region : sums_.regions())
        keep(region.region == 0 ? RegionPart::unmarked : RegionPart::region, region.region,
             region.figures);
    if (sums_.of_epochs().time > 0)
        keep(RegionPart::epoch, 0, sums_.of_epochs());
    keep(RegionPart::application, 0, sums_.of_application());
}

void RegionSampler::finish() {
    keep_sums();
    for (const Power& power : powers_)
        end_point(*power.series, tree_ticks());
}

}  // namespace vftrace
