// Device events that OpenMP libraries report through OMPT: target constructs, and what they move,
// allocate and launch.
//
// Operations are below the construct that needs them, those of omp_target_memcpy() and similar
// functions below the current path. While a construct is open, the library's Data for it holds the
// construct's code address, because the launch of its kernel is reported without it.
#include "openmp/ompt_devices.hpp"

#include <bit>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/message.hpp"
#include "base/text.hpp"
#include "device_record/construct_transfers.hpp"
#include "openmp/ompt_here.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {
namespace {

constexpr Kind constructs[] = {{ompt::target_region, OpenmpConstruct::target},
                               {ompt::target_enter_data, OpenmpConstruct::target_data},
                               {ompt::target_exit_data, OpenmpConstruct::target_data},
                               {ompt::target_update, OpenmpConstruct::target_update}};

// Associating memory with a device does nothing there: such operations are not in the table.
constexpr struct DataOperation {
    int operation;
    OpenmpConstruct construct;
    bool of_source;  // the device is the source, not the destination
    std::optional<ConstructBytes> bytes;
} data_operations[] = {
    {ompt::target_data_alloc, OpenmpConstruct::target_alloc, false, ConstructBytes::on_device},
    {ompt::target_data_transfer_to_device, OpenmpConstruct::target_to_device, false,
     ConstructBytes::to_device},
    {ompt::target_data_transfer_from_device, OpenmpConstruct::target_from_device, true,
     ConstructBytes::to_host},
    {ompt::target_data_delete, OpenmpConstruct::target_free, true, {}}};

const DataOperation* find_operation(int operation) {
    for (const DataOperation& row : data_operations)
        if (row.operation == (operation & ~ompt::target_data_without_waiting))
            return &row;
    return nullptr;
}

// By number, for those below 64.
std::uint64_t processors;   // devices that are the program's own processor
std::uint64_t new_devices;  // that may have been reported before anything could be recorded

std::uint64_t bit_of(int device) {
    return device >= 0 && device < 64 ? std::uint64_t{1} << device : 0;
}

void note_device(int device) {
    add_construct_device(ProgrammingModel::openmp, device,
                         __atomic_load_n(&processors, __ATOMIC_RELAXED) & bit_of(device));
}

void note_new_devices() {
    if (__atomic_load_n(&new_devices, __ATOMIC_RELAXED) == 0) [[likely]]
        return;
    std::uint64_t devices = __atomic_exchange_n(&new_devices, 0, __ATOMIC_ACQUIRE);
    for (; devices; devices &= devices - 1)
        note_device(std::countr_zero(devices));
}

void show_construct(int kind, int endpoint, const void* code) {
    const OpenmpConstruct* construct =
        construct_of(constructs, kind & ~ompt::target_without_waiting);
    if (!construct)
        return;
    Here here(endpoint);
    if (!here)
        return;
    if (endpoint & ompt::scope_begin) {
        note_new_devices();
        leave_unended_operation(here.state(), here.stack());
    }
    here.enter_or_leave(*construct, endpoint, code);
}

void target(int kind, int endpoint, int, ompt::Data*, std::uint64_t, const void* code) {
    show_construct(kind, endpoint, code);
}

void target_emi(int kind, int endpoint, int, ompt::Data*, ompt::Data*, ompt::Data* data,
                const void* code) {
    if (data)
        data->value = endpoint == ompt::scope_begin ? code_address(code) : 0;
    show_construct(kind, endpoint, code);
}

// The number of the host cannot be known in advance: the operation shows which one is the device.
void count_bytes(const Node* node, const DataOperation& row, int source_device,
                 int destination_device, std::size_t bytes) {
    const int device = row.of_source ? source_device : destination_device;
    note_new_devices();
    if (device >= 0)
        note_device(device);
    if (row.bytes)
        add_transfer(node, device, *row.bytes, bytes);
}

void data_operation_emi(int endpoint, ompt::Data*, ompt::Data*, ompt::Word*, int operation, void*,
                        int source_device, void*, int destination_device, std::size_t bytes,
                        const void* code) {
    const DataOperation* row = find_operation(operation);
    if (!row)
        return;
    Here here(endpoint);
    if (!here)
        return;
    if (endpoint & ompt::scope_begin) {
        leave_unended_operation(here.state(), here.stack());
        if (const Node* node = here.enter(row->construct, code))
            count_bytes(node, *row, source_device, destination_device, bytes);
    }
    if (endpoint & ompt::scope_end)
        here.leave(row->construct);
}

// Reported once, without a beginning or an end.
void data_operation(ompt::Word, ompt::Word, int operation, void*, int source_device, void*,
                    int destination_device, std::size_t bytes, const void* code) {
    const DataOperation* row = find_operation(operation);
    if (!row)
        return;
    Here here;
    if (!here)
        return;
    const Node* node = open_target(here.state());
    if (!node)
        node = book_activation(openmp_key(row->construct, code_address(code)), tree_ticks(),
                               here.stack());
    if (node)
        count_bytes(node, *row, source_device, destination_device, bytes);
}

void launch(int endpoint, ompt::Data* data, ompt::Word*, unsigned) {
    Here here(endpoint);
    if (!here)
        return;
    if (endpoint & ompt::scope_begin) {
        leave_unended_operation(here.state(), here.stack());
        here.enter(OpenmpConstruct::target_launch, data ? data->pointer : nullptr);
    }
    if (endpoint & ompt::scope_end)
        here.leave(OpenmpConstruct::target_launch);
}

// LLVM's library can use the program's own processor as a device, for tests.
void device_is_ready(int device, const char* type, void*, ompt::FindFunction, const char*) {
    if (type && std::string_view(type).starts_with("generic"))
        __atomic_fetch_or(&processors, bit_of(device), __ATOMIC_RELAXED);
    __atomic_fetch_or(&new_devices, bit_of(device), __ATOMIC_RELEASE);
}

// LLVM's library for devices opens "libomp.so", to report its work to tools; a program may find its
// own as libomp.so.5, or by a path that the library for devices does not use.
void check_connection(ompt::FindFunction find) {
    Dl_info openmp_library;
    if (!dlsym(RTLD_DEFAULT, "__tgt_target_kernel") ||
        !dladdr(reinterpret_cast<const void*>(find), &openmp_library) ||
        !base_name(openmp_library.dli_fname).starts_with("libomp.so"))
        return;
    if (void* library = dlopen("libomp.so", RTLD_LAZY | RTLD_NOLOAD)) {
        dlclose(library);
        return;
    }
    const std::string_view file = openmp_library.dli_fname;
    message_of(Speaker::machine,
               "the OpenMP library for devices does not find libomp.so: work on devices will not "
               "be recorded. Add its folder to LD_LIBRARY_PATH, perhaps %.*s",
               static_cast<int>(std::min(file.rfind('/'), file.size())), file.data());
}

}  // namespace

void register_device_callbacks(ompt::FindFunction find, ompt::SetCallback set) {
    check_connection(find);
    const struct {
        Registration with_ends, once;
    } registrations[] = {
        {{ompt::target_emi, checked<ompt::TargetRegionEmi>(target_emi)},
         {ompt::target, checked<ompt::TargetRegion>(target)}},
        {{ompt::target_data_op_emi, checked<ompt::TargetDataOpEmi>(data_operation_emi)},
         {ompt::target_data_op, checked<ompt::TargetDataOp>(data_operation)}}};
    for (const auto& row : registrations)
        if (set(row.with_ends.event, row.with_ends.callback) < ompt::set_sometimes)
            set(row.once.event, row.once.callback);
    set(ompt::target_submit_emi, checked<ompt::TargetSubmitEmi>(launch));
    set(ompt::device_initialize, checked<ompt::DeviceInitialize>(device_is_ready));
}

}  // namespace vftrace
