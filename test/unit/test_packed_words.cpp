// Words of event buffers, packed and unpacked.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "record/packed_words.hpp"

using namespace vftrace;

static std::vector<std::uint64_t> pack_and_unpack(const std::vector<std::uint64_t>& words,
                                                  std::size_t room) {
    std::vector<std::uint64_t> result;
    std::vector<unsigned char> bytes(room);
    for (std::size_t at = 0; at < words.size();) {
        const PackedWords done =
            pack_words(words.data() + at, words.size() - at, bytes.data(), room);
        REQUIRE(done.words > 0);
        std::vector<std::uint64_t> part(done.kept);
        REQUIRE(unpack_words(bytes.data(), done.bytes, part.data(), part.size()));
        result.insert(result.end(), part.begin(), part.end());
        at += done.words;
    }
    return result;
}

TEST_CASE("packed words come back, holes left out") {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> words, expected;
    std::uint64_t ticks = 0;
    for (int i = 0; i < 100000; i++) {
        const std::uint64_t kind = random() % 50;
        if (kind == 0) {
            words.push_back(0);
            continue;
        }
        const std::size_t before = words.size();
        if (kind == 1) {
            const std::uint64_t length = random() % 8;
            words.push_back(record_word(RecordKind::message, length, 3));
            for (std::uint64_t j = 0; j < length; j++)
                words.push_back(random() % 3 ? random() : 0);
        } else {
            // Small steps, long ones, and back.
            ticks += kind == 2 ? random() % (std::uint64_t{1} << 30) : random() % 300;
            const std::uint64_t at = kind == 3 && ticks > 50 ? ticks - 50 : ticks;
            const auto node =
                static_cast<std::uint32_t>(kind == 4 ? random() % (1u << 22) : random() % 4);
            words.push_back(event_word(random() % 2 ? WordKind::enter : WordKind::exit, node,
                                       at & ((std::uint64_t{1} << word_ticks_bits) - 1)));
        }
        expected.insert(expected.end(), words.begin() + static_cast<std::ptrdiff_t>(before),
                        words.end());
    }
    CHECK(pack_and_unpack(words, 1 << 20) == expected);
    CHECK(pack_and_unpack(words, 200) == expected);
}

TEST_CASE("calls of a leaf take two bytes per event") {
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < 1000; i++)
        words.push_back(event_word(i % 2 ? WordKind::exit : WordKind::enter, 7, 40 * i));
    std::vector<unsigned char> bytes(10000);
    CHECK(pack_words(words.data(), words.size(), bytes.data(), bytes.size()).bytes <= 2002);
}

TEST_CASE("bytes that are not packed words") {
    std::mt19937 random(2);
    for (int i = 0; i < 20000; i++) {
        std::vector<unsigned char> bytes(random() % 40);
        for (unsigned char& byte : bytes)
            byte = static_cast<unsigned char>(random());
        std::vector<std::uint64_t> words(bytes.size());
        // The result may be anything, as long as nothing beyond the ends is accessed.
        unpack_words(bytes.data(), bytes.size(), words.data(), words.size());
    }
    const unsigned char cut[] = {6, 1, 2, 3};
    std::uint64_t word;
    CHECK(!unpack_words(cut, sizeof cut, &word, 1));
    CHECK(!unpack_words(cut, 0, &word, 1));
}
