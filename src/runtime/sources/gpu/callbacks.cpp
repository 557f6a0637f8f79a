#include "gpu/callbacks.hpp"

#include "device_record/record_memory.hpp"
#include "gpu/activity.hpp"
#include "gpu/call_names.hpp"
#include "gpu/cuda_functions.hpp"
#include "guest/frame_address.hpp"
#include "tree/activation.hpp"

namespace vftrace {
namespace {

const cupti::Functions* functions;
CallbackActions actions;
bool in_use;  // a call has ended

// The functions of the runtime API call those of the driver API. These calls are not the program's,
// but work may have their ids.
struct RuntimeCall {
    bool open;
    const Node* node;
    std::uint64_t start;
};
__thread RuntimeCall runtime_call __attribute__((tls_model("initial-exec")));

// The content of CUPTI's word for a call. Its low bits distinguish it from the word of a call whose
// entry was not seen.
constexpr std::uint64_t word_mark = 0x2a, word_mark_bits = alignof(Node) - 1;
std::uint64_t word_of(const Node* node) {
    return reinterpret_cast<std::uintptr_t>(node) | word_mark;
}
const Node* node_of(std::uint64_t word) {
    return (word & word_mark_bits) == word_mark
               ? reinterpret_cast<const Node*>(word & ~word_mark_bits)
               : nullptr;
}

const char* function_name(GpuApi api, std::uint32_t number) {
    const char* name = nullptr;
    const cupti::Result result =
        functions->GetCallbackName(static_cast<cupti::Domain>(api), number, &name);
    return result == cupti::success ? name : nullptr;
}

void begin_call(GpuApi api, std::uint32_t number, const cupti::CallbackData& call, CudaRole role,
                std::uintptr_t stack) {
    const std::uint64_t begun = tree_ticks();
    *call.correlation_data = 0;
    if (role == CudaRole::reset)
        actions.contexts_end();
    const Node* node = nullptr;
    std::uint64_t start = begun;
    if (ThreadState* state = recording_state()) {
        const char* kernel = role == CudaRole::launch ? call.kernel : nullptr;
        const GpuCallName* name = gpu_call_name(api, number, kernel);
        if (name)
            node = enter_activation(reinterpret_cast<std::uintptr_t>(name), NodeKind::gpu,
                                    place_in_caller(*state, stack));
        if (node) {
            *call.correlation_data = word_of(node);
            const Frame& frame = *thread_state->top;
            start = frame.start > frame_last_kind ? frame.start : tree_ticks();
            // There is a record, because there is a name.
            __atomic_fetch_add(&gpu_record()->callback_ticks, start - begun, __ATOMIC_RELAXED);
        }
    }
    gpu_calls.put(call.correlation, node, start);
    if (api == GpuApi::runtime)
        runtime_call = {true, node, start};
}

void end_call(const cupti::CallbackData& call, std::uintptr_t stack) {
    const Node* node = node_of(*call.correlation_data);
    if (!node)
        return;
    *call.correlation_data = 0;
    const ThreadState* state = thread_state;
    leave_activation(node, state->segment ? place_in_caller(*state, stack) : stack);
    if (!__atomic_load_n(&in_use, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&in_use, true, __ATOMIC_RELAXED))
        actions.first_call();
}

void on_call(GpuApi api, std::uint32_t number, const cupti::CallbackData& call,
             std::uintptr_t stack) {
    const bool begins = call.site == cupti::site_enter;
    if (api == GpuApi::driver && runtime_call.open) {
        if (begins)
            gpu_calls.put(call.correlation, runtime_call.node, runtime_call.start);
        return;
    }
    if (begins)
        return begin_call(api, number, call, cuda_role(api, number), stack);
    runtime_call.open = false;
    end_call(call, stack);
}

void on_callback(void*, cupti::Domain domain, std::uint32_t number, const void* data) {
    switch (domain) {
    case cupti::driver_api:
    case cupti::runtime_api:
        on_call(static_cast<GpuApi>(domain), number, *static_cast<const cupti::CallbackData*>(data),
                frame_address());
        break;
    case cupti::resource:
        if (number == cupti::context_destroyed)
            actions.contexts_end();
        else
            actions.driver_started();
        break;
    default:
        break;
    }
}

}  // namespace

bool start_callbacks(const cupti::Functions& library, const CallbackActions& to_do,
                     const char*& why) {
    functions = &library;
    actions = to_do;
    start_gpu_names(function_name);
    cupti::Subscriber subscriber = nullptr;
    cupti::Result result = library.Subscribe(&subscriber, on_callback, nullptr);
    if (result == cupti::success) {
        result = library.EnableDomain(1, subscriber, cupti::runtime_api);
        if (result != cupti::success)
            library.Unsubscribe(subscriber);
    }
    if (result != cupti::success) {
        why = text_of(library, result);
        return false;
    }
    // Older versions do not know the newest functions, which are not called there either.
    for (const CudaFunction& function : cuda_functions)
        library.EnableCallback(function.role != CudaRole::ask, subscriber,
                               static_cast<cupti::Domain>(function.api), function.number);
    for (std::uint32_t event : {cupti::started, cupti::context_created, cupti::context_destroyed})
        library.EnableCallback(1, subscriber, cupti::resource, event);
    return true;
}

}  // namespace vftrace
