// Which interfaces of other tools are recorded: the option annotations.active.
#pragma once

#include <cstdint>

#include "record/annotation_words.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

// Reports words that are no interface.
void prepare_annotations(const Options& options);

bool takes_annotations(AnnotationInterface interface);
bool takes_any_annotations();

}  // namespace vftrace
