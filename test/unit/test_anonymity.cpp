// Keyed hashes of names.
#include <catch2/catch.hpp>

#include <string>

#include "export/anonymity.hpp"
#include "sample_profile.hpp"

using namespace vftrace;

TEST_CASE("the keyed hash is SipHash-2-4", "[anonymity]") {
    // Aumasson and Bernstein, appendix A.
    const AnonymityKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    std::string text;
    for (char c = 0; c < 15; c++)
        text += c;
    CHECK(keyed_hash(text, key) == 0xa129ca6149be45e5);
    // Reference implementation, vectors of 64 bits.
    CHECK(keyed_hash("", key) == 0x726fdb47dd0e0e31);
    CHECK(keyed_hash(text.substr(0, 1), key) == 0x74f839c593dc67fd);
    CHECK(keyed_hash(text.substr(0, 8), key) == 0x93f5f5799a932462);
}

TEST_CASE("names of a profile become hashes", "[anonymity]") {
    const AnonymityKey key = anonymity_key("0123456789abcdef");
    Profile profile = test::sample_profile(), again = test::sample_profile();
    std::map<std::string, std::string> names;
    anonymise(profile, key, names);
    anonymise(again, key, names);
    REQUIRE(profile.functions.size() == again.functions.size());
    const Profile before = test::sample_profile();
    std::size_t changed = 0;
    for (std::size_t i = 0; i < profile.functions.size(); i++) {
        CHECK(profile.functions[i].name == again.functions[i].name);
        changed += profile.functions[i].name != before.functions[i].name;
        if (profile.functions[i].name != before.functions[i].name)
            CHECK(names.count(profile.functions[i].name) == 1);
    }
    CHECK(changed > 0);
    CHECK(profile.run.host != before.run.host);
    CHECK(profile.run.config_text.empty());
    CHECK(profile.paths.size() == before.paths.size());
    for (std::size_t i = 0; i < profile.paths.size(); i++)
        CHECK(profile.paths[i].exclusive_ns == before.paths[i].exclusive_ns);
}
