// The names of OpenACC events: one GpuCallName for each kind of event at each construct.
#pragma once

#include "record/gpu_record.hpp"
#include "record/openacc_events.hpp"

namespace vftrace {

// Where a construct is. Texts may be nullptr and numbers below 1 if they are not known.
struct OpenaccPlace {
    const char* file;
    const char* function;  // as in the symbol table or the source
    std::int32_t line, last_line;
};

// The name of such events, "openacc_12_18_compute_construct": the same for the same texts at any
// address. Returns nullptr without memory. Known names take no lock.
const GpuCallName* openacc_name(const OpenaccEvent& event, const OpenaccPlace& place);

// In a child of fork: forgets what belongs to the parent.
void forget_openacc_names();

}  // namespace vftrace
