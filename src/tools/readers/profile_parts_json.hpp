// Reads parts of a profile's JSON file: notices, details of threads, values by rank, points of
// series. For tools: it throws exceptions.
#pragma once

#include <cstdint>

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// The members "overhead" and "warnings" of `json`, the object `run`. Files of the last version do
// not have codes: their warnings are sentences, and the labels of costs are used instead.
void read_overhead_json(const JsonObject& json, RunInfo& run);
void read_notices_json(const JsonObject& json, RunInfo& run);

// Reads details of the last row: its metrics, and its figures by path.
void read_thread_details(const JsonObject& json, ThreadFigures& thread, Profile& profile);

// Reads all data except the path, from the profile of a run with `ranks` ranks.
void read_rank_values(const JsonObject& json, RankValues& values, std::uint32_t ranks);

void read_points(const JsonObject& json, Series& series);
void read_addresses(const JsonObject& json, PathAddresses& row);
void read_latencies(const JsonObject& json, PathLatencies& row);

}  // namespace vftrace
