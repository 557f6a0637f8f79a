// Data read back from the tree file of a process.
#include "recover/recovered_process.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "record/openmp_constructs.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using vftrace::test::TreeFileBuilder;
using Address = TreeFileBuilder::Address;

namespace {

RecoveredProcess read(TreeFileBuilder& builder) {
    return RecoveredProcess(FileImage(builder.contents(), "the file"));
}

std::string error_of(const std::vector<char>& contents) {
    try {
        FileImage(contents, "the file");
    } catch (const TreeFileError& error) {
        return error.what();
    }
    return "";
}

std::vector<const Node*> nodes_of(const ThreadRecord& thread) {
    std::vector<const Node*> nodes;
    for (const Node* node = thread.root; node; node = node->next_created)
        nodes.push_back(node);
    return nodes;
}

std::vector<const Frame*> open_frames(const StackSegment& segment) {
    std::vector<const Frame*> frames;
    for (std::size_t i = 1; i < segment.capacity && segment.frames[i].stack; i++)
        frames.push_back(&segment.frames[i]);
    return frames;
}

std::string name(const Node& node) { return reinterpret_cast<const char*>(node.key); }

}  // namespace

TEST_CASE("a file that is not a tree file is refused") {
    CHECK(error_of({}) == "the file: is not a tree file of vftrace");
    const std::string_view shell = "#!/bin/sh\necho hello\n";
    CHECK(error_of({shell.begin(), shell.end()}) == "the file: is not a tree file of vftrace");
    TreeFileBuilder builder;
    std::vector<char> whole = builder.contents();
    whole.resize(sizeof process_record_magic);
    CHECK(error_of(whole) == "the file: is truncated: nothing can be recovered");
    builder.record().layout++;
    CHECK(error_of(builder.contents()) == "the file: was written by another version of vftrace");
    builder.record().layout--;
    CHECK(error_of(builder.contents()).empty());
    builder.record().record_bytes += 8;
    CHECK(error_of(builder.contents()) == "the file: was written by another version of vftrace");
    CHECK_THROWS_AS(FileImage::of_file("/"), TreeFileError);
    CHECK_THROWS_AS(FileImage::of_file("/nowhere"), TreeFileError);
}

TEST_CASE("texts and figures of the record") {
    TreeFileBuilder builder;
    const RecoveredProcess process = read(builder);
    CHECK(process.record().application == std::string("heat"));
    CHECK(process.record().command_line == std::string("./heat 100"));
    CHECK(process.record().config_source == std::string());
    CHECK(process.record().threads == nullptr);
    CHECK(process.left_out() == 0);
}

TEST_CASE("a tree whose pieces lie anywhere in memory") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    Address parent = builder.root(thread);
    // More pieces than the record lists itself.
    for (int i = 0; i < 40; i++) {
        builder.start_piece();
        parent = builder.add_region(thread, parent, "level " + std::to_string(i), 1u + i, 7);
    }
    const RecoveredProcess process = read(builder);
    REQUIRE(process.record().thread_count == 1);
    const std::vector<const Node*> nodes = nodes_of(*process.record().threads);
    REQUIRE(nodes.size() == 41);
    CHECK(process.record().threads->node_count == 41);
    CHECK(nodes[0]->kind == NodeKind::root);
    CHECK(nodes[0]->parent == nullptr);
    for (std::uint32_t i = 1; i < nodes.size(); i++) {
        CHECK(nodes[i]->parent == nodes[i - 1]);
        CHECK(nodes[i]->number == i);
        CHECK(nodes[i]->calls == i);
        CHECK(name(*nodes[i]) == "level " + std::to_string(i - 1));
    }
    CHECK(process.left_out() == 0);
}

TEST_CASE("open calls are distinguished from those that have ended") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    const Address main = builder.add_region(thread, builder.root(thread), "main");
    const Address work = builder.add_region(thread, main, "work");
    builder.open_frame(thread, main, 2'000'000);
    builder.open_frame(thread, work, 3'000'000);
    builder.open_frame(thread, work, 20'000'000);
    builder.close_frame(thread);
    const RecoveredProcess process = read(builder);
    const ThreadRecord& read_thread = *process.record().threads;
    const std::vector<const Frame*> frames = open_frames(*read_thread.segments);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0]->node == nodes_of(read_thread)[1]);
    CHECK(frames[0]->start == 2'000'000);
    CHECK(frames[1]->node == nodes_of(read_thread)[2]);
    // The ended call shows that the process was alive then.
    CHECK(process.latest_ticks() == 20'000'000);
}

TEST_CASE("ended calls show how long the process lived at least") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    const Address main = builder.add_region(thread, builder.root(thread), "main");
    builder.add_region(thread, main, "work", 100, 50'000'000);
    SECTION("below a call that is open") {
        builder.open_frame(thread, main, 2'000'000);
        CHECK(read(builder).latest_ticks() == 52'000'000);
    }
    SECTION("below one that may not be the only one") {
        builder.at<Node>(main).calls = 2;
        builder.open_frame(thread, main, 2'000'000);
        CHECK(read(builder).latest_ticks() == 11'000'000);
    }
    SECTION("on the outermost level") {
        builder.at<Node>(main).inclusive_ticks = 60'000'000;
        builder.at<ThreadRecord>(thread).lived_ticks = 20'000'000;
        CHECK(read(builder).latest_ticks() == 41'000'000);
    }
}

TEST_CASE("where the time is found at which the open calls of an OpenMP thread ended") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    builder.start_piece();
    const Address until = builder.allocate(sizeof(std::uint64_t));
    builder.at<std::uint64_t>(until) = 5'000'000;
    builder.at<ThreadRecord>(thread).open_until = reinterpret_cast<const std::uint64_t*>(until);
    CHECK(*read(builder).record().threads->open_until == 5'000'000);
    builder.at<ThreadRecord>(thread).open_until = reinterpret_cast<const std::uint64_t*>(0x1234);
    CHECK(*read(builder).record().threads->open_until == 0);
}

TEST_CASE("grafts lead to the trees of other threads") {
    TreeFileBuilder builder;
    const Address creator = builder.add_thread();
    const Address main = builder.add_region(creator, builder.root(creator), "main");
    const Address made = builder.add_node(creator, main, thread_key, NodeKind::thread);
    builder.start_piece();
    const Address worker = builder.add_thread();
    const Address graft = builder.add_graft(worker, builder.root(worker), made);
    builder.add_region(worker, graft, "work");
    builder.add_graft(worker, graft, 0x1234);
    builder.at<ThreadRecord>(worker).start = reinterpret_cast<const Node*>(made);
    const RecoveredProcess process = read(builder);
    REQUIRE(process.record().thread_count == 2);
    const ThreadRecord& second = *process.record().threads;
    const ThreadRecord& first = *second.next;
    CHECK(second.number == 1);
    CHECK(second.root->body_offset == 1);
    const Node* target = nodes_of(first)[2];
    CHECK(second.start == target);
    CHECK(nodes_of(second)[1]->key == reinterpret_cast<std::uintptr_t>(target));
    CHECK(nodes_of(second)[3]->key == 0);
    CHECK(process.left_out() == 1);
}

TEST_CASE("messages, in the order of their creation") {
    TreeFileBuilder builder;
    builder.record().uses_mpi = 1;
    builder.record().ranks = 4;
    const Address thread = builder.add_thread();
    const Address main = builder.add_region(thread, builder.root(thread), "main");
    builder.add_message(thread, main, 1, 3, 300);
    builder.add_message(thread, main, unknown_peer, 2, 20);
    builder.add_message(thread, main, all_peers, 1, 10);
    builder.add_message(thread, main, 4, 1, 10);  // there is no such rank
    builder.add_message(thread, main + 8, 1, 1, 10);
    const RecoveredProcess process = read(builder);
    const ThreadMessages* messages = process.record().threads->messages;
    REQUIRE(messages);
    std::vector<std::int32_t> peers;
    for (const MessageEntry* entry = messages->first; entry; entry = entry->next_created) {
        CHECK(entry->node == nodes_of(*process.record().threads)[1]);
        peers.push_back(entry->peer);
    }
    CHECK(peers == std::vector<std::int32_t>{1, unknown_peer, all_peers});
    CHECK(process.left_out() == 2);
}

TEST_CASE("misplaced nodes are left out, their siblings stay") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    const Address root = builder.root(thread);
    builder.add_region(thread, root, "before");
    const Address bad = builder.add_region(thread, root, "bad");
    const Address below = builder.add_region(thread, bad, "below");
    builder.add_region(thread, root, "after");
    std::size_t left = 4;
    SECTION("its parent is not a node") { builder.at<Node>(bad).parent = nullptr; }
    SECTION("its parent comes later") {
        builder.at<Node>(bad).parent = reinterpret_cast<Node*>(below);
    }
    SECTION("it is its own parent") { builder.at<Node>(bad).parent = reinterpret_cast<Node*>(bad); }
    SECTION("its kind is unknown") { builder.at<Node>(bad).kind = static_cast<NodeKind>(99); }
    SECTION("it is a second root") { builder.at<Node>(bad).kind = NodeKind::root; }
    SECTION("it is not an OpenMP construct") {
        builder.at<Node>(bad).kind = NodeKind::openmp;
        builder.at<Node>(bad).key = openmp_key(static_cast<OpenmpConstruct>(200), 0);
    }
    SECTION("only its name is lost") {
        builder.at<Node>(bad).key = 0x1234;
        left = 5;
    }
    const RecoveredProcess process = read(builder);
    const std::vector<const Node*> nodes = nodes_of(*process.record().threads);
    CHECK(nodes.size() == left - (left == 4 ? 1 : 0));
    CHECK(name(*nodes.back()) == "after");
    CHECK(nodes.back()->number == nodes.size() - 1);
    CHECK(process.left_out() == (left == 4 ? 2 : 1));
}

TEST_CASE("circular lists end") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    const Address first = builder.add_region(thread, builder.root(thread), "first");
    const Address second = builder.add_region(thread, first, "second");
    std::uint32_t threads = 1;
    SECTION("nodes") { builder.at<Node>(second).next_created = reinterpret_cast<Node*>(first); }
    SECTION("threads") {
        const Address other = builder.add_thread();
        builder.at<ThreadRecord>(thread).next = reinterpret_cast<ThreadRecord*>(other);
        threads = 2;
    }
    SECTION("stacks") {
        StackSegment* segment = builder.at<ThreadRecord>(thread).segments;
        builder.at<StackSegment>(reinterpret_cast<Address>(segment)).next = segment;
    }
    SECTION("messages") {
        builder.add_message(thread, first, 0, 1, 1);
        const ThreadMessages* messages = builder.at<ThreadRecord>(thread).messages;
        MessageEntry* entry = builder.at<ThreadMessages>(reinterpret_cast<Address>(messages)).first;
        builder.at<MessageEntry>(reinterpret_cast<Address>(entry)).next_created = entry;
    }
    const RecoveredProcess process = read(builder);
    CHECK(process.record().thread_count == threads);
    CHECK(process.left_out() > 0);
}

TEST_CASE("a stack that is deeper than the file") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread(4);
    const Address main = builder.add_region(thread, builder.root(thread), "main");
    builder.start_piece();
    for (int i = 0; i < 3; i++)
        builder.open_frame(thread, main, 2'000'000);
    StackSegment* segment = builder.at<ThreadRecord>(thread).segments;
    builder.at<StackSegment>(reinterpret_cast<Address>(segment)).capacity = ~std::size_t{0};
    const RecoveredProcess process = read(builder);
    const StackSegment& stack = *process.record().threads->segments;
    CHECK(open_frames(stack).size() == 3);
    CHECK(stack.frames[stack.capacity].stack == 0);
}

TEST_CASE("impossible times are limited") {
    TreeFileBuilder builder;
    const Address thread = builder.add_thread();
    builder.add_region(thread, builder.root(thread), "main", ~std::uint64_t{0}, ~std::uint64_t{0});
    RecoveredProcess process(FileImage(builder.contents(), "the file"));
    process.limit_times(1000);
    const Node& node = *process.record().threads->root->next_created;
    CHECK(node.inclusive_ticks == 1000);
    CHECK(node.calls < ~std::uint64_t{0});
}

TEST_CASE("threads get names that the kernel knows, but keep those of the program") {
    TreeFileBuilder builder;
    const Address named = builder.add_thread();
    builder.add_thread();
    std::strcpy(builder.at<ThreadRecord>(named).name, "solver");
    RecoveredProcess process(FileImage(builder.contents(), "the file"));
    process.name_thread(1234, "other");
    process.name_thread(1235, "a name that is much too long");
    CHECK(process.record().threads->name == std::string("a name that is "));
    CHECK(process.record().threads->next->name == std::string("solver"));
}
