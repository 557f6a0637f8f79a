// One-sided operations, for the generated wrappers: booked when called, those with a request when
// that is complete. What moves the data to the target is the end of an epoch, which has its time
// under its own name.
#pragma once

#include "mpi/booking.hpp"

namespace vftrace {

enum class Direction : std::uint8_t { put, get };

inline void one_sided(const Call& call, const Traffic& traffic, Word peer, Word window,
                      OptionalWord request) {
    if (to_int(peer) == family.constants.proc_null)
        return;
    const CommunicatorInfo* info = window_info(window);
    if (!info)
        return;
    std::int32_t rank = world_rank(*info, to_int(peer));
    if (request)
        traffic_started(call, traffic, rank, *request, Completion::request);
    else
        traffic_done(call, traffic, rank);
}

template <Direction direction, bool large, Completion>
struct OneSided {
    Word &count, &datatype, &peer, &window;
    OptionalWord request = {};

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result))
            return;
        std::uint64_t bytes = size_of(to_count<large>(count), datatype);
        Traffic traffic = direction == Direction::put
                              ? Traffic{.sends = 1, .send_bytes = bytes}
                              : Traffic{.receives = 1, .receive_bytes = bytes};
        one_sided(call, traffic, peer, window, request);
    }
};

template <bool large, Completion>
struct FetchAndReplace {
    Word &origin_count, &origin_type, &result_count, &result_type, &op, &peer, &window;
    OptionalWord request = {};

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result))
            return;
        Traffic traffic{.receives = 1,
                        .receive_bytes = size_of(to_count<large>(result_count), result_type)};
        // MPI_NO_OP reads only: the origin's arguments mean nothing then.
        if (to_handle(op) != handle_constant(family.constants.no_op)) {
            traffic.sends = 1;
            traffic.send_bytes = size_of(to_count<large>(origin_count), origin_type);
        }
        one_sided(call, traffic, peer, window, request);
    }
};

// MPI_Fetch_and_op and MPI_Compare_and_swap: one element there, one back.
struct AtomicUpdate {
    Word &datatype, &peer, &window;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result))
            return;
        std::uint64_t bytes = size_of(1, datatype);
        one_sided(call, {.sends = 1, .send_bytes = bytes, .receives = 1, .receive_bytes = bytes},
                  peer, window, {});
    }
};

}  // namespace vftrace
