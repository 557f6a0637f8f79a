// Models as a JSON document for other programs: formulas as text and as numbers, and the points
// from which they were made, for plots.
#pragma once

#include "base/output_file.hpp"
#include "commands/model_input.hpp"

namespace vftrace::tools {

// `limit`: rows of each metric. doc/scaling-models.md describes the layout.
void write_models_json(const ModelSet& set, std::size_t limit, OutputFile& out);

}  // namespace vftrace::tools
