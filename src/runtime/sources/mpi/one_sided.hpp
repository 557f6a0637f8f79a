// One-sided operations, for the generated wrappers: booked when called, or for those with a request
// when it is complete. The data moves to the target at the end of an epoch, and the time of the
// call that ends it is shown under its own name.
#pragma once

#include "mpi/booking.hpp"

namespace vftrace {

enum class Direction : std::uint8_t { put, get };

inline void one_sided(const Call& call, const Elements* sent, const Elements* received, Word peer,
                      Word window, OptionalWord request) {
    if (to_int(peer) == family.constants.proc_null)
        return;
    const CommunicatorInfo* info = window_info(window);
    if (!info)
        return;
    std::int32_t rank = world_rank(*info, to_int(peer));
    if (request)
        one_sided_started(call, sent, received, rank, *request);
    else
        one_sided_done(call, sent, received, rank);
}

template <Direction direction, bool large, Completion>
struct OneSided {
    Word &count, &datatype, &peer, &window;
    OptionalWord request = {};

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result))
            return;
        Elements elements = elements_of(to_count<large>(count), datatype);
        constexpr bool put = direction == Direction::put;
        one_sided(call, put ? &elements : nullptr, put ? nullptr : &elements, peer, window,
                  request);
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
        Elements received = elements_of(to_count<large>(result_count), result_type), sent;
        // MPI_NO_OP only reads: the origin's arguments are then meaningless.
        bool sends = to_handle(op) != handle_constant(family.constants.no_op);
        if (sends)
            sent = elements_of(to_count<large>(origin_count), origin_type);
        one_sided(call, sends ? &sent : nullptr, &received, peer, window, request);
    }
};

// MPI_Fetch_and_op and MPI_Compare_and_swap: one element there, one back.
struct AtomicUpdate {
    Word &datatype, &peer, &window;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result))
            return;
        Elements element = elements_of(1, datatype);
        one_sided(call, &element, &element, peer, window, {});
    }
};

}  // namespace vftrace
