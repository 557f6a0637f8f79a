// What programs have annotated for other tools, with the times of the tree.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// A row with its calls and its time: of all regions with its name, wherever they were begun, so
// that rows with the same name have the same. What is not a region has no time.
struct AnnotationTime {
    const Annotation* annotation;
    std::uint64_t calls = 0;
    std::int64_t ns = -1;  // in outermost activations; -1: not a region
};
std::vector<AnnotationTime> annotation_times(const Profile& profile);

// "Kokkos (14), Caliper (3)": the regions and tasks of each interface, by their number of different
// names; empty if there are none.
std::string annotated_interfaces(const Profile& profile);

// What a table shows for the name of a kernel that has no label, but the name of a type, as
// compilers or Kokkos write it.
std::string readable_kernel(const std::string& name);

inline bool has_annotations(const Profile& profile) { return !profile.annotations.empty(); }

}  // namespace vftrace
