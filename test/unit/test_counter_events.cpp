// Names of perf's events.
#include <catch2/catch.hpp>

#include <linux/perf_event.h>

#include "counters/perf_events.hpp"

using namespace vftrace;

TEST_CASE("perf events: names of hardware, software and raw events") {
    CHECK(perf_event("cycles")->config == PERF_COUNT_HW_CPU_CYCLES);
    CHECK(perf_event("CPU-Cycles")->config == PERF_COUNT_HW_CPU_CYCLES);
    CHECK(perf_event("page-faults")->type == PERF_TYPE_SOFTWARE);
    CHECK(perf_event("page-faults")->config == PERF_COUNT_SW_PAGE_FAULTS);
    CHECK(perf_event("r01c2")->type == PERF_TYPE_RAW);
    CHECK(perf_event("r01c2")->config == 0x1c2);
    CHECK(perf_event("rFFFFFFFFFFFFFFFF")->config == ~0ull);
}

TEST_CASE("perf events: what happens in caches") {
    const auto event = perf_event("L1-dcache-load-misses");
    REQUIRE(event);
    CHECK(event->type == PERF_TYPE_HW_CACHE);
    CHECK(event->config == (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                            PERF_COUNT_HW_CACHE_RESULT_MISS << 16));
    CHECK(perf_event("llc-stores")->config ==
          (PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_WRITE << 8));
    CHECK(perf_event("branch-misses")->type == PERF_TYPE_HARDWARE);
    CHECK(perf_event("branch-load-misses")->type == PERF_TYPE_HW_CACHE);
}

TEST_CASE("perf events: modifiers") {
    CHECK(perf_event("cycles:u")->user_only);
    CHECK(perf_event("cycles:k")->kernel_only);
    CHECK(perf_event("r1:u")->config == 1);
    CHECK_FALSE(perf_event("cycles:x"));
    CHECK_FALSE(perf_event("cycles:"));
}

TEST_CASE("perf events: invalid names") {
    for (const char* name : {"", ":", ":u", "r", "rxyz", "r1g", "r10000000000000000", "L1-dcache",
                             "L1-dcache-", "LLC-load", "cycles ", "PAPI_TOT_CYC"}) {
        CAPTURE(name);
        CHECK_FALSE(perf_event(name));
    }
    CHECK(similar_perf_event("cycels") == "cycles");
    CHECK(similar_perf_event("page-fault") == "page-faults");
    CHECK(similar_perf_event("zzzzzzzzzzzz") == "");
}
