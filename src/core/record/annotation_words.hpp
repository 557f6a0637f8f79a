// The interfaces of record/annotation_words.inc, and the roles of what they annotate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/region_hints.hpp"

namespace vftrace {

enum class AnnotationInterface : std::uint8_t {
#define VFTRACE_ANNOTATION_INTERFACE(id, word, title, prefix, nesting) id,
#include "record/annotation_words.inc"
};

enum class AnnotationRole : std::uint8_t {
#define VFTRACE_ANNOTATION_ROLE(id, word, hint) id,
#include "record/annotation_words.inc"
};

enum class Nesting : std::uint8_t { nested, free };

struct AnnotationInterfaceWords {
    const char* word;   // in options and files
    const char* title;  // its name
    const char* prefix;
    Nesting nesting;
};
inline constexpr AnnotationInterfaceWords annotation_interfaces[] = {
#define VFTRACE_ANNOTATION_INTERFACE(id, word, title, prefix, nesting)                             \
    {word, title, prefix, Nesting::nesting},
#include "record/annotation_words.inc"
};
inline constexpr std::size_t annotation_interface_count =
    sizeof annotation_interfaces / sizeof *annotation_interfaces;

struct AnnotationRoleWords {
    const char* word;
    RegionHint hint;
};
inline constexpr AnnotationRoleWords annotation_roles[] = {
#define VFTRACE_ANNOTATION_ROLE(id, word, hint) {word, RegionHint::hint},
#include "record/annotation_words.inc"
};
inline constexpr std::size_t annotation_role_count =
    sizeof annotation_roles / sizeof *annotation_roles;

// Whether such annotations are regions in the tree, which begin and end on one thread.
constexpr bool is_region(AnnotationRole role) { return role < AnnotationRole::task; }

}  // namespace vftrace
