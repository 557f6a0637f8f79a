#include "lifecycle/earlier_run.hpp"

#include <string>
#include <vector>

#include "base/message.hpp"
#include "collate/earlier_run.hpp"
#include "config/findings.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

std::vector<EarlierSection>* sections;  // nullptr: none

}  // namespace

void prepare_earlier_run(const Options& options) {
    const std::string& path = options.section_accumulate;
    if (path.empty())
        return;
    sections = new std::vector<EarlierSection>;
    const std::string problem = read_earlier_run(path, *sections);
    if (!problem.empty())
        message_of(Speaker::job, "section.accumulate: %s: %s; nothing is added to the sections",
                   quoted(path).c_str(), problem.c_str());
}

void note_earlier_run(ProcessRecord& record) {
    if (!sections || record.forked)
        return;
    for (const EarlierSection& section : *sections)
        append(record.earlier_sections, {.id = section.id,
                                         .parent = section.parent,
                                         .name = keep_text(section.name.c_str()),
                                         .calls = section.calls,
                                         .self_ns = section.self_ns,
                                         .self_memory = section.self_memory,
                                         .longest_self_ns = section.longest_self_ns,
                                         .longest_total_ns = section.longest_total_ns,
                                         .level = section.level,
                                         .place = section.place});
}

}  // namespace vftrace
