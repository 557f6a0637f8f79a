// LD_PRELOAD for programs that cannot load the library, or need another one before it.
#include <catch2/catch.hpp>

#include <cstring>
#include <string>

#include "symbol/preload_list.hpp"

using namespace vftrace;

namespace {

// The list that fits; "(same)" if it is the given list.
std::string fitting(const std::string& list, Obstacle obstacle, const char* sanitizer) {
    ProgramImage image;
    image.obstacle = obstacle;
    std::strcpy(image.sanitizer, sanitizer);
    std::string target(longest_fitting_list(list), '#');
    return make_fitting_list(list, image, target.data()) ? target.c_str() : "(same)";
}

constexpr const char* ours = "/a/libvftrace_serial.so";

}  // namespace

TEST_CASE("the library is not given to a program that cannot load it") {
    for (Obstacle obstacle :
         {Obstacle::is_32_bit, Obstacle::other_processor, Obstacle::other_c_library}) {
        CHECK(fitting(ours, obstacle, "") == "");
        CHECK(fitting("/x.so:/a/libvftrace.so.0 y.so", obstacle, "") == "/x.so:y.so");
        CHECK(fitting(std::string(ours) + ":/a/libvftrace_allocations.so:/x.so", obstacle, "") ==
              "/x.so");
        CHECK(fitting("/x.so", obstacle, "") == "(same)");
        CHECK(reason_and_remedy(obstacle) != nullptr);
    }
    CHECK(fitting(ours, Obstacle::none, "") == "(same)");
    CHECK(reason_and_remedy(Obstacle::none) == nullptr);
}

TEST_CASE("AddressSanitizer comes first, once, and only together with the library") {
    const std::string list = std::string(ours) + ":x.so";
    CHECK(fitting(list, Obstacle::none, "libasan.so.8") == "libasan.so.8::" + list);
    CHECK(fitting("libasan.so.6:" + list, Obstacle::none, "libasan.so.8") == "(same)");
    CHECK(fitting("x.so", Obstacle::none, "libasan.so.8") == "(same)");
    CHECK(fitting(list + ":/lib/libasan.so.8", Obstacle::none, "libasan.so.8") ==
          "libasan.so.8::" + list + ":/lib/libasan.so.8");
    CHECK(is_address_sanitizer("libclang_rt.asan-x86_64.so"));
    CHECK(!is_address_sanitizer("libclang_rt.ubsan_standalone-x86_64.so"));
    CHECK(!is_address_sanitizer("libtsan.so.2"));
}

TEST_CASE("our entries before the library are distinguished from the user's") {
    CHECK(sanitizer_prefix("libasan.so.8::/a/libvftrace.so") == 14);
    for (const char* list : {"libasan.so.8:/a/libvftrace.so", "libasan.so.8 /a/libvftrace.so",
                             "x.so::/a/libvftrace.so", "libasan.so.8", ""})
        CHECK(sanitizer_prefix(list) == 0);
}
