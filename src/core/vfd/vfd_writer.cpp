#include "vfd/vfd_writer.hpp"

#include <cstddef>
#include <ctime>
#include <string>

#include "base/text.hpp"
#include "base/version.hpp"
#include "profile/display_names.hpp"
#include "record/packed_words.hpp"

namespace vftrace {
namespace {

// As in ctime(), without the line end: "Sat Nov 21 01:33:13 2026".
std::string date_text(std::int64_t unix_ns) {
    const std::time_t seconds = unix_ns / 1'000'000'000;
    std::tm local{};
    localtime_r(&seconds, &local);
    char text[64] = "";
    // Years have four digits, because nanoseconds only reach 2262.
    asctime_r(&local, text);
    return std::string(trim(text));
}

}  // namespace

VfdWriter::VfdWriter(VfdOutput& out, const RunInfo& run) : out_(out) {
    out_.put(vfd_version);
    out_.put_text_with_nul(std::string("vftrace ") + version);
    const std::string begin = date_text(run.start_unix_ns);
    std::string end = date_text(run.end_unix_ns);
    end.resize(begin.size());  // both share one length
    out_.put_text_with_nul(begin);
    out_.write(std::string_view(end.c_str(), end.size() + 1));
    numbers_offset_ = out_.position();
    out_.put(numbers);
    numbers.samples_offset = position();
    numbers.processes = static_cast<std::int32_t>(run.ranks);
    numbers.rank = static_cast<std::int32_t>(run.rank);
    numbers.runtime_s = static_cast<double>(run.runtime_ns) * 1e-9;
}

void VfdWriter::write_stacks(const Profile& profile, const std::vector<bool>& precise) {
    numbers.stacks_offset = position();
    numbers.stacks = static_cast<std::uint32_t>(profile.paths.size());
    std::string name;
    for (std::size_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        // no_index is -1.
        out_.put(static_cast<std::int32_t>(path.parent));
        const Function& function = profile.functions[path.function];
        // The root is stack 0: other stacks do not need a mark.
        name = function.display.empty() ? function.name : display_without_mark(function);
        if (precise[i])
            name += '*';
        out_.put_text_with_nul(name);
    }
}

void VfdWriter::write_threads(const std::vector<VfdThreadRow>& threads) {
    numbers.threads_offset = position();
    numbers.threads = static_cast<std::int32_t>(threads.size());
    for (const VfdThreadRow& thread : threads)
        out_.put(thread.parent);
}

void VfdWriter::write_counters(const RunInfo& run) {
    numbers.hwprof_offset = position();
    for (std::uint32_t i = 0; i < numbers.counters; i++) {
        const bool known = i < run.counters.size();
        const std::string unknown = format("c%u", i);
        out_.put_text_with_nul(known ? run.counters[i].name : unknown);
        out_.put_text_with_nul(known ? run.counters[i].symbol : unknown);
    }
    if (numbers.counters == 0)
        return;
    numbers.observables = static_cast<std::uint32_t>(run.observables.size());
    for (const ObservableFormula& observable : run.observables) {
        out_.put_text_with_nul(observable.name);
        out_.put_text_with_nul(observable.formula);
        if (observable.unit.empty())
            out_.put(std::int32_t{0});
        else
            out_.put_text_with_nul(observable.unit);
    }
}

void VfdWriter::begin_extension() {
    extension_offset_ = out_.position();
    out_.write(vfd_extension_magic, sizeof vfd_extension_magic);
}

void VfdWriter::begin_section(VfdSection section, std::uint32_t detail) {
    section_offset_ = out_.position();
    out_.put(VfdSectionHeader{section, detail, 0});
}

void VfdWriter::end_section() {
    const std::uint64_t bytes = out_.position() - section_offset_ - sizeof(VfdSectionHeader);
    out_.patch(section_offset_ + offsetof(VfdSectionHeader, bytes), &bytes, sizeof bytes);
}

void VfdWriter::write_run_section(const RunInfo& run) {
    begin_section(VfdSection::run);
    for (const std::string* text :
         {&run.application, &run.command_line, &run.host, &run.config_text})
        out_.put_text(*text);
    end_section();
}

void VfdWriter::write_module_section(const std::vector<Module>& modules) {
    begin_section(VfdSection::modules);
    for (const Module& module : modules) {
        out_.put_text(module.path);
        out_.put_text(module.build_id);
    }
    end_section();
}

void VfdWriter::write_function_section(const std::vector<Function>& functions) {
    // First the kinds that this version knows, then others.
    std::vector<std::string_view> kinds;
    for (const NodeKindRow& row : node_kind_rows)
        kinds.push_back(row.word);
    begin_section(VfdSection::functions);
    for (const Function& function : functions) {
        auto kind = static_cast<std::uint32_t>(function.kind);
        if (function.kind == NodeKind::other) {
            const auto known = std::find(kinds.begin(), kinds.end(), function.other_kind);
            kind = static_cast<std::uint32_t>(known - kinds.begin());
            if (known == kinds.end())
                kinds.push_back(function.other_kind);
        }
        out_.put(VfdFunction{kind, function.module, function.offset, function.line});
        out_.put_text(function.symbol);
        out_.put_text(function.demangled);
        out_.put_text(function.file);
    }
    end_section();
    begin_section(VfdSection::kinds);
    for (const std::string_view word : kinds)
        out_.put_text(word);
    end_section();
}

void VfdWriter::write_stack_section(const std::vector<Path>& paths) {
    begin_section(VfdSection::stacks);
    for (const Path& path : paths)
        out_.put(path.function);
    end_section();
}

// Counters count events, which do not have a unit.
void VfdWriter::write_counter_section() {
    if (numbers.counters == 0)
        return;
    begin_section(VfdSection::counters);
    for (std::uint32_t i = 0; i < numbers.counters; i++)
        out_.put_text("");
    end_section();
}

void VfdWriter::write_clock_section(const VfdClock& clock) {
    begin_section(VfdSection::clock);
    out_.put(clock);
    end_section();
}

void VfdWriter::write_thread_section(const std::vector<VfdThreadRow>& threads) {
    begin_section(VfdSection::threads);
    for (const VfdThreadRow& thread : threads) {
        out_.put(VfdThread{thread.parent, thread.number, thread.openmp_worker, thread.samples,
                           static_cast<std::uint32_t>(thread.name.size())});
        out_.write(thread.name);
    }
    end_section();
}

void VfdWriter::write_gap_section(const std::vector<VfdGap>& gaps) {
    if (gaps.empty())
        return;
    begin_section(VfdSection::gaps);
    out_.write(gaps.data(), gaps.size() * sizeof gaps[0]);
    end_section();
}

void VfdWriter::write_communicator_section(const std::vector<TracedGroups::Group>& groups) {
    begin_section(VfdSection::communicators);
    const auto put_number = [&](std::uint64_t number) {
        unsigned char bytes[10];
        out_.write(bytes, static_cast<std::size_t>(put_packed_number(bytes, number) - bytes));
    };
    for (const TracedGroups::Group& group : groups) {
        out_.put(group.identity);
        const bool is_whole = group.ranks.empty() || group.ranks.size() == group.size;
        put_number(is_whole ? group.size : 0);
        put_number(is_whole ? group.ranks.size() : 0);
        if (is_whole)
            for (const std::int32_t rank : group.ranks)
                put_number(rank < 0 ? 0 : static_cast<std::uint64_t>(rank) + 1);
    }
    end_section();
}

void VfdWriter::end_extension() {
    VfdExtensionFooter footer{static_cast<std::int64_t>(extension_offset_), {}};
    __builtin_memcpy(footer.magic, vfd_extension_magic, sizeof footer.magic);
    out_.put(footer);
}

void VfdWriter::finish() { out_.patch(numbers_offset_, &numbers, sizeof numbers); }

}  // namespace vftrace
