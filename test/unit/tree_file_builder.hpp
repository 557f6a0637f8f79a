// Helpers for writing tree files: a process with threads, call paths and open calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/messages.hpp"
#include "record/gpu_record.hpp"
#include "record/process_record.hpp"

namespace vftrace::test {

// Objects are known by the addresses that they have in the process. References that at() returns
// are valid until something is added.
class TreeFileBuilder {
  public:
    using Address = std::uint64_t;

    TreeFileBuilder() {
        bytes_.resize(4096);
        first_piece();
        ProcessRecord& process = record();
        std::memcpy(process.magic, process_record_magic, sizeof process.magic);
        process.layout = process_record_layout;
        process.record_bytes = sizeof(ProcessRecord);
        process.pid = 1234;
        process.process_start = 1;
        process.start_unix_ns = process.library_start_unix_ns = 1'700'000'000'000'000'000;
        process.start = {1'000'000, 1'000'000};
        process.latest = {11'000'000, 11'000'000};
        process.processor_ticks = 0;
        process.ranks = 1;
        set_text(&ProcessRecord::application, "heat");
        set_text(&ProcessRecord::command_line, "./heat 100");
        set_text(&ProcessRecord::output_base, "/nowhere/heat");
        set_text(&ProcessRecord::config_text, "{}");
    }

    ProcessRecord& record() { return *reinterpret_cast<ProcessRecord*>(bytes_.data()); }

    template <class T>
    T& at(Address address) {
        return *reinterpret_cast<T*>(bytes_.data() + offset_of(address));
    }

    // Room for `bytes` zeroed bytes in the newest piece.
    Address allocate(std::size_t bytes) {
        constexpr std::size_t alignment = 64;
        FileExtent& piece = pieces_.back();
        const Address address = piece.address + piece.bytes;
        piece.bytes += (bytes + alignment - 1) / alignment * alignment;
        bytes_.resize(piece.offset + piece.bytes);
        return address;
    }

    // What is added from now on is elsewhere in the memory of the process.
    void start_piece() {
        bytes_.resize((bytes_.size() + 4095) / 4096 * 4096);
        const Address below = pieces_.back().address - (Address{1} << 30);
        pieces_.push_back({below, bytes_.size(), 0});
    }

    Address text(std::string_view text) {
        const Address address = allocate(text.size() + 1);
        std::memcpy(&at<char>(address), text.data(), text.size());
        return address;
    }
    void set_text(const char* ProcessRecord::*member, std::string_view value) {
        const Address address = text(value);
        record().*member = reinterpret_cast<const char*>(address);
    }

    std::uint16_t add_module(std::string_view path, std::uintptr_t start, std::uintptr_t end) {
        constexpr std::size_t most = 16;
        if (!record().modules.modules) {
            const Address table = allocate(most * sizeof(LoadedModule));
            record().modules.modules = pointer<LoadedModule>(table);
        }
        const std::uint16_t index = record().modules.count++;
        const Address name = text(path);
        LoadedModule& module =
            at<LoadedModule>(address_of(record().modules.modules) + index * sizeof(LoadedModule));
        module.start = start;
        module.end = end;
        module.bias = start;
        module.path = reinterpret_cast<const char*>(name);
        module.loaded = true;
        return index;
    }

    // A thread with the root of its tree and a stack for `capacity` open calls.
    Address add_thread(std::size_t capacity = 16) {
        const Address thread = allocate(sizeof(ThreadRecord));
        const Address root = allocate(sizeof(Node));
        const Address segment = allocate(sizeof(StackSegment));
        const Address frames = allocate((capacity + 1) * sizeof(Frame));
        at<Node>(root).kind = NodeKind::root;
        at<Node>(root).module = no_module;
        at<StackSegment>(segment).frames = pointer<Frame>(frames);
        at<StackSegment>(segment).capacity = at<StackSegment>(segment).reserved = capacity;
        at<Frame>(frames).node = pointer<Node>(root);
        at<Frame>(frames).stack = 0x7ffd'0000'0000;
        ThreadRecord& record = at<ThreadRecord>(thread);
        record.root = pointer<Node>(root);
        record.segments = pointer<StackSegment>(segment);
        record.threads = 1;
        record.started = this->record().start.ticks;
        record.number = this->record().thread_count++;
        record.node_count = 1;
        record.tid = 1234 + static_cast<std::int32_t>(record.number);
        record.in_use = 1;
        record.next = this->record().threads;
        this->record().threads = pointer<ThreadRecord>(thread);
        return thread;
    }
    Address root(Address thread) { return address_of(at<ThreadRecord>(thread).root); }

    Address add_node(Address thread, Address parent, std::uintptr_t key, NodeKind kind,
                     std::uint64_t calls = 1, std::uint64_t ticks = 0) {
        const Address address = allocate(sizeof(Node));
        Node& node = at<Node>(address);
        node.key = key;
        node.kind = kind;
        node.parent = pointer<Node>(parent);
        node.calls = calls;
        node.inclusive_ticks = ticks;
        node.module = no_module;
        node.number = at<ThreadRecord>(thread).node_count++;
        Address last = root(thread);
        while (at<Node>(last).next_created)
            last = address_of(at<Node>(last).next_created);
        at<Node>(last).next_created = pointer<Node>(address);
        return address;
    }
    Address add_region(Address thread, Address parent, std::string_view name,
                       std::uint64_t calls = 1, std::uint64_t ticks = 0) {
        return add_node(thread, parent, text(name), NodeKind::region, calls, ticks);
    }
    Address add_graft(Address thread, Address parent, Address target, std::uint64_t ticks = 0) {
        return add_node(thread, parent, target, NodeKind::graft, 1, ticks);
    }

    // The call of `node` has been open since `start`, inside those that are open already.
    void open_frame(Address thread, Address node, std::uint64_t start) {
        Frame* frame = &first_frame(thread);
        while ((++frame)->stack) {
        }
        frame->node = pointer<Node>(node);
        frame->start = start;
        frame->stack = 0x7ffc'0000'0000;
    }
    // The innermost open call has ended.
    void close_frame(Address thread) {
        Frame* frame = &first_frame(thread);
        while ((frame + 1)->stack)
            frame++;
        frame->stack = 0;
    }

    void add_message(Address thread, Address node, std::int32_t peer, std::uint64_t messages,
                     std::uint64_t bytes) {
        if (!at<ThreadRecord>(thread).messages) {
            const Address made = allocate(sizeof(ThreadMessages));
            at<ThreadRecord>(thread).messages = pointer<ThreadMessages>(made);
        }
        const Address address = allocate(sizeof(MessageEntry));
        ThreadMessages& all = at<ThreadMessages>(address_of(at<ThreadRecord>(thread).messages));
        MessageEntry& entry = at<MessageEntry>(address);
        entry.node = pointer<Node>(node);
        entry.peer = peer;
        entry.sent.messages = messages;
        entry.sent.bytes = bytes;
        entry.sent.ticks = 1000;
        if (all.first)
            at<MessageEntry>(address_of(all.newest)).next_created = pointer<MessageEntry>(address);
        else
            all.first = pointer<MessageEntry>(address);
        all.newest = pointer<MessageEntry>(address);
    }

    // A call of CUDA that may be the key of nodes. `kernel` may be nullptr.
    Address add_gpu_name(GpuApi api, std::uint32_t callback, const char* function,
                         const char* kernel) {
        const Address name_of_function = text(function);
        const Address name_of_kernel = kernel ? text(kernel) : 0;
        return append_gpu(&GpuRecord::names,
                          {api, callback, pointer<char>(name_of_function),
                           kernel ? pointer<char>(name_of_kernel) : nullptr, nullptr});
    }
    Address add_gpu_work(Address node, const char* kernel, GpuWork kind, std::uint64_t count) {
        const Address name = kernel ? text(kernel) : 0;
        return append_gpu(&GpuRecord::work,
                          {pointer<Node>(node), kernel ? pointer<char>(name) : nullptr, 0, kind,
                           count, 100 * count, 90, 110, 8 * count, count, 7 * count, nullptr});
    }
    Address add_gpu_stream(const GpuStream& stream) {
        return append_gpu(&GpuRecord::streams, stream);
    }
    Address add_gpu_device(const GpuDevice& device) {
        return append_gpu(&GpuRecord::devices, device);
    }
    // Not in any list.
    Address add_openacc_name(std::uint32_t callback, const char* name, const char* file,
                             std::uint32_t line, const char* within) {
        const Address texts[] = {text(name), text(file), text(within)};
        const Address made = allocate(sizeof(GpuCallName));
        at<GpuCallName>(made) = {GpuApi::openacc,
                                 callback,
                                 pointer<char>(texts[0]),
                                 nullptr,
                                 nullptr,
                                 pointer<char>(texts[1]),
                                 pointer<char>(texts[2]),
                                 line};
        return made;
    }
    Address add_transfers(Address node, ConstructTransfers work) {
        work.node = pointer<Node>(node);
        return append_gpu(&GpuRecord::transfers, work);
    }
    Address add_construct_device(const ConstructDevice& device) {
        return append_gpu(&GpuRecord::construct_devices, device);
    }
    GpuRecord& gpu() {
        if (!record().gpu) {
            const Address made = allocate(sizeof(GpuRecord));
            record().gpu = pointer<GpuRecord>(made);
        }
        return at<GpuRecord>(address_of(record().gpu));
    }

    // The whole file.
    std::vector<char> contents() {
        const std::size_t inlined = std::size(record().first_extents);
        if (pieces_.size() > inlined)
            start_page_of_extents();
        record().extent_count = static_cast<std::uint32_t>(pieces_.size());
        for (std::size_t i = 0; i < pieces_.size(); i++) {
            if (i < inlined)
                record().first_extents[i] = pieces_[i];
            else
                std::memcpy(bytes_.data() + record().extent_pages[0] +
                                (i - inlined) * sizeof(FileExtent),
                            &pieces_[i], sizeof(FileExtent));
        }
        record().file_bytes = bytes_.size();
        return bytes_;
    }

  private:
    template <class T>
    static T* pointer(Address address) {
        return reinterpret_cast<T*>(address);
    }
    static Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

    // At the end of one of the lists of the GPU record.
    template <class Element>
    Address append_gpu(Element* GpuRecord::*list, const Element& element) {
        gpu();
        const Address made = allocate(sizeof element);
        at<Element>(made) = element;
        Element** link = &(gpu().*list);
        while (*link)
            link = &at<Element>(address_of(*link)).next_created;
        *link = pointer<Element>(made);
        return made;
    }

    void first_piece() {
        pieces_.push_back({0x7f00'0000'0000, 0, 4096});
        record().address = pointer<ProcessRecord>(pieces_[0].address);
    }
    void start_page_of_extents() {
        bytes_.resize((bytes_.size() + 4095) / 4096 * 4096);
        record().extent_pages[0] = bytes_.size();
        bytes_.resize(bytes_.size() + 4096);
    }
    Frame& first_frame(Address thread) {
        return at<Frame>(
            address_of(at<StackSegment>(address_of(at<ThreadRecord>(thread).segments)).frames));
    }
    std::size_t offset_of(Address address) const {
        for (const FileExtent& piece : pieces_)
            if (address - piece.address < piece.bytes)
                return piece.offset + (address - piece.address);
        throw std::out_of_range("there is nothing at this address");
    }

    std::vector<char> bytes_;
    std::vector<FileExtent> pieces_;
};

}  // namespace vftrace::test
