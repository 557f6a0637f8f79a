#include "attach/outside_code.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <unistd.h>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "record/function_place.hpp"
#include "recover/running_process.hpp"
#include "symbol/kernel_code.hpp"
#include "symbol/perf_map.hpp"

namespace vftrace {
namespace {

// Memory without a file, in which programs generate code, has names such as "//anon".
bool is_of_file(const CodeMapping& mapping) {
    return mapping.path == "[vdso]" || (mapping.path.starts_with('/') && mapping.inode != 0);
}

// A line of /proc/PID/maps: "start-end rwxp offset device inode   path". False if it is not code of
// a file.
bool read_line(const std::string& line, CodeMapping& mapping) {
    std::istringstream in(line);
    char dash;
    std::string rights, device;
    in >> std::hex >> mapping.start >> dash >> mapping.end >> rights >> mapping.file_offset >>
        device >> std::dec >> mapping.inode;
    if (!in || rights.find('x') == rights.npos)
        return false;
    std::getline(in >> std::ws, mapping.path);
    constexpr std::string_view removed = " (deleted)";
    if (mapping.path.ends_with(removed))
        mapping.path.resize(mapping.path.size() - removed.size());
    return is_of_file(mapping);
}

}  // namespace

OutsideCode::OutsideCode(std::int64_t pid, ModuleFiles& files) : pid_(pid), files_(files) {}

void OutsideCode::read_mappings() {
    std::istringstream maps(contents_of(fmt::format("/proc/{}/maps", pid_)).value_or(""));
    for (std::string line; std::getline(maps, line);)
        if (CodeMapping mapping; read_line(line, mapping))
            add(mapping);
}

void OutsideCode::add(const CodeMapping& mapping) {
    if (mapping.end <= mapping.start)
        return;
    if (const Range* known = range_at(mapping.start);
        known && known->start == mapping.start && known->end == mapping.end &&
        known->file_offset == mapping.file_offset && known->inode == mapping.inode)
        return;
    const std::size_t covered = std::erase_if(ranges_, [&](const Range& range) {
        return range.start < mapping.end && range.end > mapping.start;
    });
    generation_ += covered > 0;
    const std::uint16_t module = is_of_file(mapping) ? module_for(mapping) : no_module;
    if (module == no_module)
        return;
    const Range range{mapping.start, mapping.end, mapping.file_offset, mapping.inode, module};
    ranges_.insert(
        std::upper_bound(ranges_.begin(), ranges_.end(), range,
                         [](const Range& a, const Range& b) { return a.start < b.start; }),
        range);
    generation_++;
}

std::uint16_t OutsideCode::module_for(const CodeMapping& mapping) {
    std::shared_ptr<ModuleFile> file = files_.find(pid_, mapping);
    const bool is_kernel_code = mapping.path == "[vdso]";
    const std::uintptr_t bias =
        is_kernel_code ? mapping.start : file->bias_of(mapping.start, mapping.file_offset);
    for (std::size_t i = 0; i < modules_.size(); i++)
        if (module_files_[i] == file && modules_[i].bias == bias) {
            modules_[i].start = std::min(modules_[i].start, mapping.start);
            modules_[i].end = std::max(modules_[i].end, mapping.end);
            return static_cast<std::uint16_t>(i);
        }
    if (modules_.size() >= no_module)
        return no_module;
    const std::string& path =
        paths_.emplace_back(is_kernel_code ? std::string(kernel_code_name) : mapping.path);
    FileId id = file->id();
    if (!file->is_open())
        id.inode = mapping.inode;
    modules_.push_back({mapping.start, mapping.end, bias, path.c_str(), true, id});
    module_files_.push_back(std::move(file));
    return static_cast<std::uint16_t>(modules_.size() - 1);
}

const OutsideCode::Range* OutsideCode::range_at(std::uintptr_t address) const {
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](std::uintptr_t place, const Range& range) { return place < range.start; });
    return after != ranges_.begin() && address < after[-1].end ? &after[-1] : nullptr;
}

std::uint16_t OutsideCode::module_of(std::uintptr_t address) const {
    const Range* const range = range_at(address);
    return range ? range->module : no_module;
}

// As in programs that we start: the page or, if a list will name functions, the block.
std::uintptr_t OutsideCode::place_outside_files(std::uintptr_t pc) {
    constexpr std::uint64_t interval_ns = 100'000'000;
    if (const std::uint64_t now = monotonic_ns(); !is_listed_ && now - looked_at_ > interval_ns) {
        looked_at_ = now;
        is_listed_ = access(perf_map_path(pid_).c_str(), R_OK) == 0;
        generation_ += is_listed_;
    }
    return is_listed_ ? generated_block(pc) : page_of_code(pc);
}

UnwindRule OutsideCode::find_rule(std::uintptr_t pc) {
    const Range* range = range_at(pc);
    if (!range && may_read_again_) {
        may_read_again_ = false;
        read_mappings();
        range = range_at(pc);
    }
    UnwindRule rule;
    rule.pc = pc;
    if (range) {
        const std::uintptr_t bias = modules_[range->module].bias;
        if (module_files_[range->module]->find_rule(pc - bias, rule))
            rule.function += bias;
        else
            rule.function = page_of_code(pc);
    } else {
        rule.function = place_outside_files(pc);
    }
    rule.generation = generation_;
    return rule;
}

bool OutsideCode::is_start_code(std::uintptr_t function) const {
    const std::uint16_t module = module_of(function);
    if (module == no_module)
        return false;
    const std::string_view file = base_name(modules_[module].path);
    return file.starts_with("libc.so") || file.starts_with("libc-") ||
           file.starts_with("libpthread") ||
           function == module_files_[module]->entry() + modules_[module].bias;
}

}  // namespace vftrace
