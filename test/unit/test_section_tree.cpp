// The sections of a profile as a separate tree.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "profile/earlier_sections.hpp"
#include "profile/section_tree.hpp"
#include "record/earlier_section.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using vftrace::test::add_path;

namespace {

class ProfileOfSections {
  public:
    ProfileOfSections() {
        profile.run.application = "heat";
        function("init", NodeKind::root);
        path(no_index, "init", 0, 0);
    }
    std::uint32_t function(const char* name, NodeKind kind, std::uint8_t level = 0) {
        for (std::uint32_t i = 0; i < profile.functions.size(); i++)
            if (profile.functions[i].name == name && profile.functions[i].kind == kind)
                return i;
        Function made;
        made.name = made.display = name;
        made.kind = kind;
        made.offset = level;
        profile.functions.push_back(made);
        return static_cast<std::uint32_t>(profile.functions.size() - 1);
    }
    std::uint32_t path(std::uint32_t parent, const char* name, std::uint64_t calls,
                       std::int64_t exclusive_ns, NodeKind kind = NodeKind::function,
                       std::uint8_t level = 0) {
        const std::uint32_t index = parent == no_index ? 0 : function(name, kind, level);
        add_path(profile, parent, index, 0, calls, exclusive_ns, 0);
        return static_cast<std::uint32_t>(profile.paths.size() - 1);
    }
    std::uint32_t section(std::uint32_t parent, const char* name, std::uint64_t calls,
                          std::int64_t exclusive_ns, std::uint8_t level = 1) {
        return path(parent, name, calls, exclusive_ns, NodeKind::section, level);
    }
    // "name level depth calls self total", one line per section.
    std::string tree(SectionChoice choice = {}) const {
        std::string text;
        for (const SectionNode& node : section_tree(profile, choice))
            text += section_name(profile, node) + ' ' + std::to_string(node.level) + ' ' +
                    std::to_string(node.depth) + ' ' + std::to_string(node.calls) + ' ' +
                    std::to_string(node.self_ns) + ' ' + std::to_string(node.total_ns) + '\n';
        return text;
    }
    Profile profile;
};

}  // namespace

TEST_CASE("time of other paths belongs to the enclosing section") {
    ProfileOfSections made;
    const std::uint32_t main = made.path(0, "main", 1, 5);
    const std::uint32_t solve = made.section(main, "solve", 2, 10);
    const std::uint32_t kernel = made.path(solve, "kernel", 100, 70);
    const std::uint32_t inner = made.section(kernel, "inner", 4, 3, 4);
    made.path(inner, "MPI_Send", 4, 7, NodeKind::mpi);
    made.path(kernel, "leaf", 9, 1);
    made.section(main, "output", 1, 4, 2);
    made.profile.run.runtime_ns = 130;
    CHECK(made.tree() == "heat (main) 0 0 1 35 130\n"
                         "solve 1 1 2 81 91\n"
                         "inner 4 2 4 10 10\n"
                         "output 2 1 1 4 4\n");
    CHECK(has_sections(made.profile));
}

TEST_CASE("the same section from several functions is one row") {
    ProfileOfSections made;
    const std::uint32_t outer = made.section(0, "outer", 1, 1);
    made.section(made.path(outer, "f", 1, 2), "inner", 3, 10);
    made.section(made.path(outer, "g", 1, 3), "inner", 4, 20);
    CHECK(made.tree() == "heat (main) 0 0 1 0 36\nouter 1 1 1 6 36\ninner 1 2 7 30 30\n");
}

TEST_CASE("recursion counts once") {
    ProfileOfSections made;
    std::uint32_t around = 0;
    for (int i = 0; i < 3; i++)
        around = made.section(made.section(around, "x", 1, 10), "y", 1, 1);
    const std::vector<SectionNode> tree = section_tree(made.profile);
    const std::vector<SectionSum> sums = sums_of_sections(tree);
    REQUIRE(sums.size() == 2);
    CHECK(sums[0].name == "x");
    CHECK(sums[0].self_ns == 30);
    CHECK(sums[0].total_ns == 33);
    CHECK(sums[1].self_ns == 3);
    CHECK(sums[1].total_ns == 23);
    CHECK(sums[1].calls == 3);
    CHECK(heaviest_branch(tree).size() == 7);
}

TEST_CASE("the heaviest branch goes by total times, and ignores levels") {
    ProfileOfSections made;
    made.section(0, "light", 1, 40, 1);
    const std::uint32_t heavy = made.section(0, "heavy", 1, 1, 6);
    made.section(heavy, "a", 1, 20, 6);
    made.section(heavy, "b", 1, 30, 6);
    const std::vector<SectionNode> tree = section_tree(made.profile);
    std::string names;
    for (const std::uint32_t i : heaviest_branch(tree))
        names += i == 0 ? "root" : ' ' + std::string(tree[i].name);
    CHECK(names == "root heavy b");
}

TEST_CASE("regions are shown with sections on request, pauses never") {
    ProfileOfSections made;
    const std::uint32_t region = made.path(0, "region", 1, 5, NodeKind::region);
    const std::uint32_t section = made.section(region, "section", 1, 7);
    made.path(section, "vftrace_pause", 1, 100, NodeKind::pause);
    made.profile.paths.back().flags = path_paused;
    CHECK(made.tree() == "heat (main) 0 0 1 5 12\nsection 1 1 1 7 7\n");
    CHECK(made.tree({.kinds = SectionKinds::and_regions}) ==
          "heat (main) 0 0 1 0 12\nregion 1 1 1 5 12\nsection 1 2 1 7 7\n");
}

TEST_CASE("one thread's share of the sections") {
    ProfileOfSections made;
    const std::uint32_t section = made.section(0, "section", 5, 50);
    made.profile.threads.resize(2);
    made.profile.threads[1].number = 3;
    made.profile.thread_paths = {{0, section, 2, 20, 20}, {1, section, 3, 30, 30}};
    CHECK(made.tree({.thread = 3}) == "heat (main) 0 0 1 0 30\nsection 1 1 3 30 30\n");
    CHECK(made.tree() == "heat (main) 0 0 1 0 50\nsection 1 1 5 50 50\n");
}

TEST_CASE("memory of sections: their own, and that of nested sections") {
    ProfileOfSections made;
    const std::uint32_t outer = made.section(0, "outer", 1, 1),
                        inner = made.section(outer, "inner", 1, 1);
    made.section(outer, "without", 1, 1);
    made.profile.metrics = {{.name = "section.memory", .unit = "B"}};
    made.profile.metric_values = {{0, 0, 100.0}, {outer, 0, 70.0}, {inner, 0, 20.0}};
    const std::vector<SectionNode> tree = section_tree(made.profile);
    REQUIRE(tree.size() == 4);
    CHECK(tree[0].self_memory == 30);
    CHECK(tree[1].self_memory == 50);
    CHECK(tree[1].total_memory == 70);
    CHECK(tree[2].has_memory);
    CHECK_FALSE(tree[3].has_memory);
}

TEST_CASE("a run that continues another adds its sections by their chain of names") {
    ProfileOfSections earlier;
    const std::uint32_t solve = earlier.section(0, "solve", 2, 10);
    earlier.section(solve, "inner", 4, 5, 2);
    earlier.section(0, "inner", 1, 7, 2);
    const std::vector<EarlierSection> kept = sections_for_later_runs(earlier.profile);
    REQUIRE(kept.size() == 4);
    CHECK(std::is_sorted(kept.begin(), kept.end(),
                         [](const auto& a, const auto& b) { return a.id < b.id; }));
    CHECK(kept.back().id < std::uint64_t{1} << 53);

    ProfileOfSections later;
    later.section(later.path(0, "main", 1, 1), "inner", 1, 100, 2);
    later.profile.earlier_sections = kept;
    const std::string lines = "heat (main) 0 0 2 1 123\n"
                              "inner 2 1 2 107 107\n"
                              "solve 1 1 2 10 15\n"
                              "inner 2 2 4 5 5\n";
    CHECK(later.tree() == lines);
    SectionChoice choice;
    choice.earlier_run = false;
    CHECK(later.tree(choice) == "heat (main) 0 0 1 1 101\ninner 2 1 1 100 100\n");
    choice = {};
    choice.thread = 0;
    CHECK(later.tree(choice) == "heat (main) 0 0 1 1 101\ninner 2 1 1 100 100\n");

    // A third run: what the second keeps for it is the sum of all runs so far.
    ProfileOfSections third;
    third.profile.earlier_sections = sections_for_later_runs(later.profile);
    CHECK(third.tree() == "heat (main) 0 0 3 1 123\n"
                          "inner 2 1 2 107 107\n"
                          "solve 1 1 2 10 15\n"
                          "inner 2 2 4 5 5\n");
}

TEST_CASE("sections of an earlier run are kept if their parents are missing or circular") {
    ProfileOfSections made;
    const auto add = [&](std::uint64_t id, std::uint64_t parent, const char* name) {
        EarlierSection section;
        section.id = id;
        section.parent = parent;
        section.name = name;
        section.calls = 1;
        section.self_ns = 10;
        made.profile.earlier_sections.push_back(section);
    };
    add(1, 2, "a");
    add(2, 1, "b");
    add(3, 3, "c");
    add(4, 99, "d");
    const std::string tree = made.tree();
    for (const char* name : {"a ", "b ", "c ", "d "})
        CHECK(tree.find(name) != std::string::npos);
    CHECK(section_tree(made.profile)[0].total_ns == 40);
}

TEST_CASE("shares of ranks add up to the whole") {
    for (const std::int64_t sum : {0, 1, 7, 12, -7, -12}) {
        std::int64_t shares = 0;
        for (std::uint32_t rank = 0; rank < 5; rank++)
            shares += share_of_rank(sum, rank, 5);
        CHECK(shares == sum);
    }
    CHECK(share_of_rank(std::uint64_t{7}, 1, 5) == 2);
    CHECK(share_of_rank(std::uint64_t{7}, 2, 5) == 1);
}
