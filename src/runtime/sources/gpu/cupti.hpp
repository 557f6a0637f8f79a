// CUPTI, NVIDIA's interface for tools, found and opened at run time.
#pragma once

#include "gpu/cupti_abi.hpp"

namespace vftrace::cupti {

// The functions, by their names in the library.
struct Functions {
    Result (*Subscribe)(Subscriber*, Callback, void* user_data);
    Result (*Unsubscribe)(Subscriber);
    Result (*EnableCallback)(std::uint32_t enable, Subscriber, Domain, std::uint32_t number);
    Result (*EnableDomain)(std::uint32_t enable, Subscriber, Domain);
    Result (*GetCallbackName)(Domain, std::uint32_t number, const char** name);
    Result (*GetResultString)(Result, const char** text);
    Result (*GetTimestamp)(std::uint64_t* ns);
    Result (*ActivityEnable)(Activity);
    Result (*ActivityRegisterCallbacks)(BufferRequested, BufferCompleted);
    Result (*ActivityGetNextRecord)(std::uint8_t* buffer, std::size_t filled, void** record);
    Result (*ActivityGetNumDroppedRecords)(void* context, std::uint32_t stream,
                                           std::size_t* dropped);
    Result (*ActivityFlushAll)(std::uint32_t flag);
    // These two may be missing.
    Result (*ActivityFlushPeriod)(std::uint32_t ms);
    Result (*ActivityConfigureUnifiedMemoryCounter)(MemoryCounterRequest*, std::uint32_t count);
};

// Whether the program has CUDA: one of its libraries is loaded, or code for GPUs is linked in.
bool program_has_cuda();

// Opens the library: `named`, or, if that is empty, the one of the CUDA version that is loaded,
// else the newest that is found. Returns nullptr if none can be used; then `why` has the reason.
const Functions* open_library(const char* named, const char*& why);

// Why a function failed: "CUPTI reports CUPTI_ERROR_NOT_INITIALIZED". Valid until the next call.
const char* text_of(const Functions& functions, Result result);

}  // namespace vftrace::cupti
