// The hash table, which is in the library's own memory.
#include <catch2/catch.hpp>

#include <set>
#include <thread>

#include "device_record/name_table.hpp"
#include "guest/address_set.hpp"
#include "patch/site_table.hpp"

using namespace vftrace;

namespace {

constexpr std::uintptr_t many = 20000, first = 0x555555554000, distance = 5;

std::set<std::uintptr_t> addresses_in(const SiteTable& table) {
    std::set<std::uintptr_t> addresses;
    table.visit([&](const KnownSite& site) { CHECK(addresses.insert(site.address).second); });
    CHECK(addresses.size() == table.count());
    return addresses;
}

void forget(SiteTable& table, std::uintptr_t start, std::uintptr_t end) {
    table.remove_if([&](const KnownSite& site) { return site.is_in(start, end); });
}

}  // namespace

TEST_CASE("An empty table knows nothing") {
    SiteTable table;
    CHECK(table.empty());
    CHECK(table.count() == 0);
    CHECK(table.find(0x1000) == nullptr);
    forget(table, 0, ~std::uintptr_t{0});
    CHECK(addresses_in(table).empty());
}

TEST_CASE("All entries of a table are found again, whatever their number") {
    SiteTable table;
    for (std::uintptr_t i = 0; i < many; i++) {
        KnownSite* added = table.find_or_add({{first + distance * i}, first + i});
        REQUIRE(added);
        CHECK(added->state == SiteState::in_place);
        added->state = SiteState::removed;
        added->original = static_cast<std::uint8_t>(i);
    }
    CHECK(table.count() == many);
    for (std::uintptr_t i = 0; i < many; i++) {
        KnownSite* found = table.find(first + distance * i);
        REQUIRE(found);
        CHECK((found->function == first + i && found->state == SiteState::removed &&
               found->original == static_cast<std::uint8_t>(i)));
        CHECK(table.find_or_add({{first + distance * i}, 0}) == found);
        CHECK(table.find(first + distance * i + 1) == nullptr);
    }
    CHECK(addresses_in(table).size() == many);
}

TEST_CASE("Sites of unloaded code are forgotten, those of other code stay") {
    SiteTable table;
    table.find_or_add({{0x1000}, 0x900});
    table.find_or_add({{0x1fff}, 0x1f00});
    table.find_or_add({{0x2000}, 0x2000});
    table.find_or_add({{0x5000}, 0x1800});  // a function from that range, inlined elsewhere
    forget(table, 0x1000, 0x2000);
    CHECK(addresses_in(table) == std::set<std::uintptr_t>{0x2000});
    CHECK(table.find(0x1000) == nullptr);
    CHECK(table.find(0x5000) == nullptr);
    CHECK(table.find(0x2000));
}

TEST_CASE("Adding and removing entries of a table does not leak memory") {
    SiteTable table;
    const KnownSite* const stays = table.find_or_add({{first}, first});
    std::set<const KnownSite*> places;
    for (std::uintptr_t i = 1; i < many; i++) {
        const std::uintptr_t address = first + distance * i;
        places.insert(table.find_or_add({{address}, address}));
        forget(table, address, address + 1);
        CHECK(table.find(address) == nullptr);
    }
    CHECK(stays->address == first);
    CHECK(table.find(first));
    CHECK(addresses_in(table) == std::set<std::uintptr_t>{first});
    CHECK(places.size() < many / 10);
}

TEST_CASE("A set of addresses forgets removed addresses and accepts them again") {
    AddressSet set;
    CHECK(set.empty());
    CHECK_FALSE(set.contains(0x1000));
    for (std::uintptr_t i = 0; i < many; i++)
        CHECK(set.add(first + distance * i));
    CHECK_FALSE(set.add(first));
    set.remove(first + distance, first + distance * (many - 1));
    CHECK((set.contains(first) && !set.contains(first + distance)));
    CHECK(set.contains(first + distance * (many - 1)));
    std::size_t left = 0;
    set.visit([&](std::uintptr_t) { left++; });
    CHECK(left == 2);
    CHECK(set.add(first + distance));
    CHECK(set.contains(first + distance));
    set.clear();
    CHECK_FALSE(set.contains(first));
    CHECK_FALSE(set.empty());
}

TEST_CASE("Names of one place are distinguished by text and kind") {
    NameTable names;
    char values[3];
    names.add(1, 0x1000, "one", &values[0]);
    names.add(1, 0x1000, "two", &values[1]);
    names.add(2, 0x1000, nullptr, &values[2]);
    CHECK(names.find(1, 0x1000, "one") == &values[0]);
    CHECK(names.find(1, 0x1000, "two") == &values[1]);
    CHECK(names.find(2, 0x1000, nullptr) == &values[2]);
    CHECK(names.find(2, 0x1000, "one") == nullptr);
    CHECK(names.find(1, 0x1001, "one") == nullptr);
}

TEST_CASE("A reader without a lock finds only complete entries of a table") {
    MappedTable<NamedValue, Readers::lock_free> table;
    bool done = false;
    std::size_t wrong = 0;
    std::thread reader([&] {
        for (std::uint64_t i = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); i = (i + 1) % many)
            if (const NamedValue* found = table.find({i, first + i, nullptr}))
                wrong += found->value != reinterpret_cast<void*>(first + i);
    });
    for (std::uint64_t i = 0; i < many; i++) {
        table.find_or_add({{i, first + i, nullptr}, reinterpret_cast<void*>(first + i)});
        wrong += table.find({i / 2, first + i / 2, nullptr}) == nullptr;
    }
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    reader.join();
    CHECK(wrong == 0);
}
