// What models say, in sentences: which call paths dominate from which size on, where values jump,
// what no formula describes.
#pragma once

#include <string>
#include <vector>

#include "model/path_models.hpp"

namespace vftrace {

// Sentences about the models of one metric, the most important first; for exclusive figures also
// which call path takes most of the whole. At most `limit` of one kind.
std::vector<std::string> model_findings(const RunTable& table, std::size_t metric,
                                        const MetricModels& models, const Modeller& modeller,
                                        std::size_t limit);

}  // namespace vftrace
