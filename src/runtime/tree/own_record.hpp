// The record of this process.
#pragma once

#include "record/process_record.hpp"

namespace vftrace {

// nullptr until the library has started.
extern ProcessRecord* process_record;

}  // namespace vftrace
