#include "gpu/openacc_callbacks.hpp"

#include "base/relaxed.hpp"
#include "device_record/construct_transfers.hpp"
#include "device_record/record_memory.hpp"
#include "gpu/openacc_names.hpp"
#include "guest/frame_address.hpp"
#include "tree/activation.hpp"

namespace vftrace {
namespace {

using acc::valid_or;

// The value that a start leaves in the run-time library's word for its end: the node with these
// bits, which distinguish it from values left by others, or `not_recorded`.
constexpr std::uintptr_t word_mark = 0x35, word_mark_bits = alignof(Node) - 1;
constexpr std::uintptr_t not_recorded = word_mark;

void leave_word(acc::EventInfo& info, const Node* node) {
    if (is_valid(info, &acc::EventInfo::tool_info))
        info.tool_info =
            reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(node) | word_mark);
}

bool is_of_event(const Node* node, const OpenaccEvent& event) {
    if (node->kind != NodeKind::gpu)
        return false;
    const auto* name = reinterpret_cast<const GpuCallName*>(node->key);
    return name->api == GpuApi::openacc && openacc_event_number(name->callback) == event.number;
}

// The innermost open activation that an end with this word belongs to, or nullptr. If the start was
// not seen, or the library does not keep the word, the word does not help: then it is the innermost
// activation of the same kind.
const Node* open_node(const ThreadState& state, const OpenaccEvent& event, std::uintptr_t word) {
    const bool known = (word & word_mark_bits) == word_mark;
    const auto* wanted = reinterpret_cast<const Node*>(word & ~word_mark_bits);
    int frames_left = 256;  // of functions that the host runs in a construct
    for (const Frame* frame = state.top; frame->start != frame_base && frames_left > 0; frame--) {
        if (frame->start == frame_overflow)
            return nullptr;
        if (known ? frame->node == wanted : is_of_event(frame->node, event))
            return frame->node;
        frames_left--;
    }
    return nullptr;
}

const GpuCallName* name_of(const OpenaccEvent& event, const acc::ProfInfo& prof) {
    const char* none = nullptr;
    const OpenaccPlace place = {.file = valid_or(prof, &acc::ProfInfo::src_file, none),
                                .function = valid_or(prof, &acc::ProfInfo::func_name, none),
                                .line = valid_or(prof, &acc::ProfInfo::line_no, 0),
                                .last_line = valid_or(prof, &acc::ProfInfo::end_line_no, 0)};
    return openacc_name(event, place);
}

void note_device(const acc::ProfInfo& prof) {
    const std::int32_t type = valid_or(prof, &acc::ProfInfo::device_type, acc::no_device + 0);
    if (type > acc::default_device && is_valid(prof, &acc::ProfInfo::device_number))
        add_construct_device(ProgrammingModel::openacc, prof.device_number,
                             type == acc::host_device);
}

void note_bytes(const Node* node, const acc::ProfInfo& prof, const acc::EventInfo& info) {
    ConstructBytes which;
    switch (prof.event_type) {
    case acc::alloc:
        which = ConstructBytes::on_device;
        break;
    case acc::enqueue_upload_start:
        which = ConstructBytes::to_device;
        break;
    case acc::enqueue_download_start:
        which = ConstructBytes::to_host;
        break;
    default:
        return;
    }
    add_transfer(node, valid_or(prof, &acc::ProfInfo::device_number, 0), which,
                 valid_or(info, &acc::EventInfo::bytes, std::size_t{0}));
}

// The following functions return whether something was recorded.
bool begin(const OpenaccEvent& event, const acc::ProfInfo& prof, acc::EventInfo& info,
           std::uintptr_t stack) {
    const Node* node = nullptr;
    ThreadState* state = recording_state();
    const GpuCallName* name = state ? name_of(event, prof) : nullptr;
    if (name) {
        const auto key = reinterpret_cast<std::uintptr_t>(name);
        // No event can be nested in itself: the end of the previous one was not reported.
        if (state->top->start != frame_base && is_of_event(state->top->node, event))
            leave_activation(state->top->node, place_in_caller(*state, stack));
        node = enter_activation(key, NodeKind::gpu, place_in_caller(*state, stack));
    }
    leave_word(info, node);
    if (!node)
        return false;
    if (event.number != acc::device_init_start)
        note_device(prof);
    note_bytes(node, prof, info);
    return true;
}

bool end(const OpenaccEvent& event, const acc::ProfInfo& prof, const acc::EventInfo& info,
         std::uintptr_t stack) {
    ThreadState* state = known_state();
    if (!state)
        return false;
    void* none = nullptr;
    const auto word =
        reinterpret_cast<std::uintptr_t>(valid_or(info, &acc::EventInfo::tool_info, none));
    const Node* node = word == not_recorded ? nullptr : open_node(*state, event, word);
    if (!node)
        return false;
    leave_activation(node, place_in_caller(*state, stack));
    if (event.number == acc::device_init_start)
        note_device(prof);
    return true;
}

// Counts an event that takes no time under a separate path, so that it is shown how often it
// happens.
bool note_moment(const OpenaccEvent& event, const acc::ProfInfo& prof, const acc::EventInfo& info,
                 std::uintptr_t stack) {
    ThreadState* state = recording_state();
    const GpuCallName* name = state ? name_of(event, prof) : nullptr;
    Node* node = name ? make_place(reinterpret_cast<std::uintptr_t>(name), NodeKind::gpu,
                                   place_in_caller(*state, stack))
                      : nullptr;
    if (!node)
        return false;
    add_relaxed(node->calls, 1);
    note_bytes(node, prof, info);
    return true;
}

}  // namespace

void on_openacc_event(acc::ProfInfo* prof, acc::EventInfo* info, const void*) {
    const std::uint64_t begun = tree_ticks();
    const std::uintptr_t stack = frame_address();
    const OpenaccEvent* event = openacc_event(static_cast<std::uint32_t>(prof->event_type));
    if (!event)
        return;
    const bool recorded = !event->lasts ? note_moment(*event, *prof, *info, stack)
                          : event->number == static_cast<std::uint32_t>(prof->event_type)
                              ? begin(*event, *prof, *info, stack)
                              : end(*event, *prof, *info, stack);
    GpuRecord* record = recorded ? gpu_record() : nullptr;
    if (record)
        __atomic_fetch_add(&record->openacc_ticks, tree_ticks() - begun, __ATOMIC_RELAXED);
}

}  // namespace vftrace
