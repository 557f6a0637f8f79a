// MPI operations in a vfd file: about 15 bytes each.
#pragma once

#include <cstdint>

#include "record/collective_shapes.hpp"
#include "record/packed_words.hpp"
#include "vfd/vfd_format.hpp"
#include "vfd/vfd_output.hpp"

namespace vftrace {

class OperationSection {
  public:
    explicit OperationSection(VfdOutput& out) : out_(out) {}

    // To be called in the order of start times.
    void put(const VfdOperation& operation) {
        unsigned char bytes[13 * 10];
        unsigned char* end = bytes;
        const auto add = [&](auto number) {
            end = put_packed_number(end, static_cast<std::uint64_t>(number));
        };
        const bool by_another = operation.enter_ns != operation.start_ns ||
                                operation.completing_stack != operation.stack ||
                                operation.completing_thread != operation.thread;
        add(operation.what + (by_another ? VfdOperation::completed_by_another : 0));
        add(operation.start_ns - latest_start_);
        add(operation.end_ns - operation.start_ns);
        if (by_another) {
            add(operation.enter_ns - operation.start_ns);
            add(operation.completing_stack);
            add(operation.completing_thread);
        }
        add(operation.stack);
        add(operation.thread);
        add(operation.communicator);
        add(operation.peer + 1);
        if (operation.is_collective()) {
            add(operation.number);
        } else {
            add(static_cast<std::uint32_t>(operation.tag));
            add(operation.bytes);
        }
        latest_start_ = operation.start_ns;
        out_.write(bytes, static_cast<std::size_t>(end - bytes));
    }

  private:
    VfdOutput& out_;
    std::int64_t latest_start_ = 0;
};

}  // namespace vftrace
