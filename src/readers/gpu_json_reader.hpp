// Reads the part of a profile's JSON file that is about GPUs. Code of the tools: it throws.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// The members "gpu" and "offload" of the document, which profiles without GPUs do not have.
// `profile` has its run, functions and paths already.
void read_gpu_json(const JsonObject& document, Profile& profile);

}  // namespace vftrace
