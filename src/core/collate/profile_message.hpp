// A profile as the message that a rank sends to its parent in the tree of ranks.
//
// Order: header, run, modules, source files, functions, filtered functions, call paths, message
// sizes, metrics and their values by path, the other lists (collate/list_collation.hpp).
// Every list begins with its length. Texts are sent once, numbers as in byte_stream.hpp. Records
// are written here field by field, and read back by the functions below in the same order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collate/byte_stream.hpp"
#include "collate/merge_details.hpp"
#include "collate/row_codec.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// `rank`: its rank if it is the profile of one rank (its spread is empty then).
// need_stids: a rank of these profiles needs the job's STIDs.
std::vector<char> encode_profile(const Profile& profile, const MergeDetails& details,
                                 std::uint32_t rank, bool need_stids);

struct FunctionRecord {
    NodeKind kind = NodeKind::function;
    std::uint32_t ordinal = 0;
    std::string_view name, symbol, demangled, display, other_kind;
    std::uint32_t file = no_index;  // index into the message's source files
    std::uint32_t line = 0;
    std::uint32_t module = no_index;  // index into the message's modules
    std::uint64_t offset = 0;
};

struct PathRecord {
    Path path;  // parent and function: indices into the lists of the message; no hash, no stid
    RankSpread spread;
};

struct MessageHeader {
    bool valid = false;  // of this version of the message
    bool need_stids = false;
};

// The least number of bytes of a record: see ByteReader::count().
inline constexpr std::size_t least_text = 1, least_parameter = 9;
inline constexpr std::size_t least_module = 2, least_function = 5;
inline constexpr std::size_t least_path = 5 + least_figures<Path>();
inline constexpr std::size_t least_size_bin = 1 + least_figures<SizeBin>();
inline constexpr std::size_t least_metric = 6, least_metric_value = 11;
inline constexpr std::size_t least_filtered = 3 + least_figures<FilteredFunction>();

MessageHeader read_header(ByteReader& in);
FunctionRecord read_function(ByteReader& in, std::size_t modules, std::size_t files);
// The path with number `index` of a message with `functions` functions.
PathRecord read_path(ByteReader& in, std::uint32_t index, std::size_t functions);
FilteredFunction read_filtered(ByteReader& in, std::size_t functions);
Metric read_metric(ByteReader& in);

}  // namespace vftrace
