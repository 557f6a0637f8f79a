#include "host_signals/signal_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "config/advice.hpp"
#include "host_signals/cpufreq.hpp"
#include "host_signals/gpu_library.hpp"
#include "host_signals/hwmon.hpp"
#include "host_signals/processor_energy.hpp"
#include "host_signals/processors.hpp"
#include "host_signals/signal_table.hpp"
#include "host_signals/thread_cycles.hpp"

namespace vftrace {
namespace {

// Seconds since the reader was created. One part, whatever the domain.
class Clock : public SignalSource {
  public:
    void read(double now_s, std::span<double> values) override { values[0] = now_s; }
};

FoundParts one_part(std::unique_ptr<SignalSource> source) {
    FoundParts found;
    found.source = std::move(source);
    found.parts = {0};
    return found;
}

std::string_view similar_signal(std::string_view name) {
    std::vector<std::string_view> known;
    for (const SignalRow& row : signal_table)
        known.emplace_back(row.name);
    return closest(name, known);
}

}  // namespace

SignalReader::SignalReader(const SignalSettings& settings, std::span<const SignalRequest> requests)
    : files_{settings.system_files, settings.processes_files}, gpus_(settings.gpus),
      start_ns_(monotonic_ns()) {
    // All events of a thread are one group, so what is wanted must be known first.
    for (const SignalRequest& request : requests)
        if (const SignalRow* row = signal_row(request.name);
            row && row->origin == SignalOrigin::threads)
            of_threads_.push_back(row->figure);
    for (const SignalRequest& request : requests)
        add(request);
}

SignalReader::~SignalReader() = default;

void SignalReader::add_problem(const std::string& text) {
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end())
        problems_.push_back(text);
}

std::string SignalReader::mistake_in(const SignalRequest& request) const {
    const char* const name = request.name.c_str();
    const SignalRow* const row = signal_row(request.name);
    if (!row) {
        const std::string_view similar = similar_signal(request.name);
        return format("unknown signal %s", name) +
               (similar.empty() ? "" : " (did you mean " + std::string(similar) + "?)");
    }
    const char* const domain = signal_domain_word(request.domain).data();
    const bool of_gpus = row->native == SignalDomain::gpu;
    if (of_gpus && request.domain != SignalDomain::gpu && request.domain != SignalDomain::board)
        return format("%s@%s: a GPU is not part of a %s; use %s@gpu or %s", name, domain, domain,
                      name, name);
    if (!of_gpus && request.domain == SignalDomain::gpu)
        return format("%s@gpu: GPUs do not have this signal", name);
    if (!of_gpus && request.domain > row->native) {
        const char* const native = signal_domain_word(row->native).data();
        return format("%s@%s: the finest domain of this machine is %s; use ", name, domain,
                      native) +
               (row->native == SignalDomain::board ? name
                                                   : format("%s@%s or %s", name, native, name));
    }
    if (of_gpus && !gpus_ && request.required)
        return format("%s: reading GPUs is switched off", name);
    return "";
}

void SignalReader::add(const SignalRequest& request) {
    if (const std::string mistake = mistake_in(request); !mistake.empty()) {
        add_problem(mistake);
        return;
    }
    const SignalRow& row = *signal_row(request.name);
    if (row.native == SignalDomain::gpu && !gpus_)
        return;
    const Figure& figure = figure_of(row);
    for (const SignalProblem& problem : figure.found.problems)
        if (request.required || !problem.is_absence)
            add_problem(problem.text);
    if (!figure.found.parts.empty())
        add_signals(request, figure);
}

void SignalReader::add_signals(const SignalRequest& request, const Figure& figure) {
    const SignalRow& row = *figure.row;
    const FoundParts& found = figure.found;
    if (request.domain == SignalDomain::board) {
        std::vector<std::uint32_t> all(found.parts.size());
        for (std::uint32_t part = 0; part < all.size(); part++)
            all[part] = part;
        if (found.is_whole())
            add_signal(request, figure, 0, std::move(all));
        return;
    }
    if (row.figure == SignalFigure::time) {
        for (const std::uint32_t package : processors().packages())
            if (request.domain == SignalDomain::package)
                add_signal(request, figure, package, {0});
        for (std::uint32_t core = 0; core < processors().cores().size(); core++)
            if (request.domain == SignalDomain::core)
                add_signal(request, figure, core, {0});
        return;
    }
    const auto index_of = [&](std::uint32_t part) {
        return request.domain == row.native ? part : processors().cores()[part].package;
    };
    std::vector<std::uint32_t> indices;
    for (const std::uint32_t part : found.parts)
        indices.push_back(index_of(part));
    std::vector<std::uint32_t> different = indices;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    for (const std::uint32_t index : different) {
        if (std::any_of(found.unreadable.begin(), found.unreadable.end(),
                        [&](std::uint32_t part) { return index_of(part) == index; }))
            continue;  // the other parts would not be the whole
        std::vector<std::uint32_t> parts;
        for (std::uint32_t position = 0; position < indices.size(); position++)
            if (indices[position] == index)
                parts.push_back(position);
        add_signal(request, figure, index, std::move(parts));
    }
}

void SignalReader::add_signal(const SignalRequest& request, const Figure& figure,
                              std::uint32_t index, std::vector<std::uint32_t> parts) {
    const SignalRow& row = *figure.row;
    for (const Signal& signal : signals_)
        if (signal.name == row.name && signal.domain == request.domain && signal.index == index)
            return;  // it was requested twice
    signals_.push_back({request.name, request.domain, index, row.unit, row.is_sum});
    outputs_.push_back({&figure, std::move(parts), row.together == SignalTogether::mean});
}

SignalReader::Figure& SignalReader::figure_of(const SignalRow& row) {
    for (const auto& figure : figures_)
        if (figure->row == &row)
            return *figure;
    auto figure = std::make_unique<Figure>(Figure{.row = &row});
    if (row.origin == SignalOrigin::rate) {
        make_rate(*figure, figure_of(row_of(row.rate_of)));
    } else {
        figure->found = find(row);
        // A board without a meter of power may have one of energy.
        if (row.figure == SignalFigure::board_power && figure->found.parts.empty())
            if (const Figure& energy = figure_of(row_of(SignalFigure::board_energy));
                !energy.found.parts.empty())
                make_rate(*figure, energy);
    }
    figure->values.resize(figure->found.parts.size());
    figures_.push_back(std::move(figure));
    return *figures_.back();
}

FoundParts SignalReader::find(const SignalRow& row) {
    switch (row.origin) {
    case SignalOrigin::clock:
        return one_part(std::make_unique<Clock>());
    case SignalOrigin::processor_energy:
        return find_processor_energy(files_, row);
    case SignalOrigin::board_meters:
        return find_board(row);
    case SignalOrigin::cpufreq:
        return find_core_frequencies(files_, row, processors());
    case SignalOrigin::threads:
        return find_threads(row);
    case SignalOrigin::temperatures:
        return find_temperatures(files_, row, processors());
    case SignalOrigin::gpus:
        return find_gpus(row);
    case SignalOrigin::rate:
        break;
    }
    return {};
}

FoundParts SignalReader::find_board(const SignalRow& row) {
    if (row.figure == SignalFigure::board_energy) {
        FoundParts zone = find_board_zone(files_, row);
        if (zone.source)
            return zone;
        FoundParts meters = find_board_meters(files_, row);
        const bool is_zone_closed = !zone.is_whole();
        return meters.source || !is_zone_closed ? std::move(meters) : std::move(zone);
    }
    return find_board_meters(files_, row);
}

FoundParts SignalReader::find_gpus(const SignalRow& row) {
    if (!why_no_gpus_) {
        std::string nvidia, amd;
        gpu_library_ = open_nvml(nvidia);
        if (!gpu_library_)
            gpu_library_ = open_rocm_smi(files_, amd);
        why_no_gpus_ = nvidia + "; " + amd;
    }
    if (gpu_library_)
        return find_gpu_figure(*gpu_library_, row);
    FoundParts none;
    none.problems.push_back(
        {format("%s: %s (see man vftrace-run)", row.name, why_no_gpus_->c_str()), true});
    return none;
}

FoundParts SignalReader::find_threads(const SignalRow& row) {
    if (!threads_)
        threads_ = std::make_unique<ThreadCycles>(
            files_, of_threads_,
            std::find(of_threads_.begin(), of_threads_.end(), SignalFigure::reference_cycles) ==
                    of_threads_.end()
                ? 0
                : sticker_hz());
    FoundParts found;
    if (threads_->has(row.figure))
        found = one_part(std::make_unique<CyclesOfThreads>(*threads_, row.figure));
    for (const ThreadCycles::Problem& problem : threads_->problems())
        if (problem.figure == row.figure)
            found.problems.push_back(problem.what);
    problems_of_threads_ = threads_->problems().size();
    return found;
}

void SignalReader::make_rate(Figure& figure, const Figure& of) {
    figure.found.parts = of.found.parts;
    figure.found.unreadable = of.found.unreadable;
    figure.found.problems = of.found.problems;
    figure.rate_of = &of;
    figure.last_values.resize(of.found.parts.size());
    figure.last_s.resize(of.found.parts.size());
}

void SignalReader::read_rate(Figure& figure, double now_s) {
    for (std::size_t part = 0; part < figure.values.size(); part++) {
        const double now = figure.rate_of->values[part];
        const double time = now_s - figure.last_s[part];
        figure.values[part] = unknown_value;
        if (std::isnan(now) || time <= 0)
            continue;
        figure.values[part] = (now - figure.last_values[part]) / time;
        figure.last_values[part] = now;
        figure.last_s[part] = now_s;
    }
}

void SignalReader::read(std::span<double> values) {
    if (threads_)
        threads_->read_some();
    for (const auto& figure : figures_) {
        if (figure->rate_of)
            read_rate(*figure, now_s());
        else if (figure->found.source)
            figure->found.source->read(now_s(), figure->values);
    }
    for (std::size_t i = 0; i < outputs_.size(); i++) {
        const Output& output = outputs_[i];
        double sum = 0;  // not a number if a part is not known
        for (const std::uint32_t part : output.parts)
            sum += output.figure->values[part];
        values[i] = output.is_mean ? sum / static_cast<double>(output.parts.size()) : sum;
    }
}

void SignalReader::follow_threads(std::span<const pid_t> threads) {
    if (!threads_)
        return;
    threads_->follow(threads);
    for (; problems_of_threads_ < threads_->problems().size(); problems_of_threads_++)
        add_problem(threads_->problems()[problems_of_threads_].what.text);
}

double SignalReader::sticker_hz() {
    if (!sticker_hz_)
        sticker_hz_ = sticker_frequency(files_);
    return *sticker_hz_;
}

const Processors& SignalReader::processors() {
    if (!processors_)
        processors_ = std::make_unique<Processors>(files_.system);
    return *processors_;
}

double SignalReader::now_s() const {
    constexpr double nanosecond = 1e-9;
    return nanosecond * static_cast<double>(monotonic_ns() - start_ns_);
}

}  // namespace vftrace
