// The sections of a profile as a tree of their own: the time of all other paths belongs to the
// section that contains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// One section, in one place: several paths, if it was begun by several functions of the section
// around it.
struct SectionNode {
    std::uint32_t parent = no_index;  // index into the tree, smaller than its own
    std::string_view name{};          // a text of the profile; for the root root_section_name()
    NodeKind kind = NodeKind::section;
    std::uint8_t level = 0;
    std::uint32_t depth = 0;  // 0 for the root
    bool in_itself = false;   // below a section of the same name
    std::uint64_t calls = 0;
    std::int64_t self_ns = 0;   // without sections in it
    std::int64_t total_ns = 0;  // with them
    // Bytes by which the memory grew, if that was read.
    double self_memory = 0, total_memory = 0;
    bool has_memory = false;
    // Of the rank with the most of it, if there are several.
    double longest_self_ns = 0, longest_total_ns = 0;
    std::uint32_t some_path = no_index;  // index into Profile::paths; no_index: of an earlier run
};

enum class SectionKinds : std::uint8_t {
    sections,
    and_regions  // regions are shown like sections of level 1
};

struct SectionChoice {
    SectionKinds kinds = SectionKinds::sections;
    // ThreadFigures::number: what this thread of a single process did; none: all threads.
    std::optional<std::uint32_t> thread{};
    // Includes Profile::earlier_sections; not for a single thread.
    bool earlier_run = true;
};

// In the order of a table: each section is followed by those in it, in the order of the profile's
// paths. The first one is the root: the program, whose time is that of the first thread from its
// first event on, plus what other threads have recorded; sums over ranks. Names refer to the
// profile.
std::vector<SectionNode> section_tree(const Profile& profile, SectionChoice choice = {});

// The metric's index into Profile::metrics if call paths have it, or no_index.
std::uint32_t path_metric(const Profile& profile, MetricId metric);

// Whether the program, or the run that it continues, had any.
bool has_sections(const Profile& profile);

// All places of a section together.
struct SectionSum {
    std::string_view name{};
    std::uint8_t level = 0;
    std::uint64_t calls = 0;
    std::int64_t self_ns = 0;
    std::int64_t total_ns = 0;  // sections inside themselves counted once
    double self_memory = 0;
    bool has_memory = false;
};

// The sections of a tree except for the root, the one that took the most time itself first.
std::vector<SectionSum> sums_of_sections(const std::vector<SectionNode>& tree);

// From the root down to a section without sections in it, each time the one that takes the most
// time. Indices into the tree.
std::vector<std::uint32_t> heaviest_branch(const std::vector<SectionNode>& tree);

// What the root is called in tables and files: "NAME (main)".
std::string root_section_name(const Profile& profile);

// The name of any section of the tree.
std::string section_name(const Profile& profile, const SectionNode& node);

}  // namespace vftrace
