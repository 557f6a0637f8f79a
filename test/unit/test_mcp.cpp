// Conversations in the Model Context Protocol.
#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "mcp/session.hpp"
#include "readers/json_object.hpp"

using namespace vftrace;
using Catch::Contains;

namespace {

// Answers with what it was asked for.
class EchoHost final : public ToolHost {
  public:
    ToolAnswer carry_out(const Tool& tool, const ToolCall& call) override {
        calls++;
        if (!call.files.empty() && call.files[0] == "missing.json")
            throw std::runtime_error("missing.json: there is no such profile");
        std::string text = tool.name;
        for (const auto* const list : {&call.words, &call.files, &call.program})
            for (const std::string& word : *list)
                text += " [" + word + "]";
        return {text, false};
    }
    int calls = 0;
};

struct Conversation {
    explicit Conversation(bool may_run = false) : session(tools_of_server(may_run), host) {}
    std::string ask(std::string_view rest) {
        return session.answer(R"({"jsonrpc":"2.0","id":7,)" + std::string(rest) + "}");
    }
    std::string call(std::string_view parameters) {
        return ask(R"("method":"tools/call","params":)" + std::string(parameters));
    }
    EchoHost host;
    McpSession session;
};

}  // namespace

TEST_CASE("versions of the protocol are negotiated", "[mcp]") {
    Conversation conversation;
    for (const char* const version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
        CHECK_THAT(conversation.ask(R"("method":"initialize","params":{"protocolVersion":")" +
                                    std::string(version) + R"("})"),
                   Contains(R"("protocolVersion": ")" + std::string(version)));
    CHECK_THAT(
        conversation.ask(R"("method":"initialize","params":{"protocolVersion":"1999-01-01"})"),
        Contains(R"("protocolVersion": "2025-11-25")"));
    CHECK_THAT(conversation.ask(R"("method":"initialize")"), Contains("-32602"));
}

TEST_CASE("messages that are not requests", "[mcp]") {
    Conversation conversation;
    McpSession& session = conversation.session;
    CHECK(session.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").empty());
    CHECK(session.answer(R"({"jsonrpc":"2.0","id":1,"result":{}})").empty());
    CHECK_THAT(session.answer("garbage"), Contains("-32700") && Contains(R"("id": null)"));
    CHECK_THAT(session.answer(""), Contains("-32700"));
    CHECK_THAT(session.answer("[]"), Contains("-32600"));
    CHECK_THAT(session.answer("3"), Contains("-32600"));
    CHECK_THAT(session.answer(R"({"id":1,"method":"ping"})"), Contains("-32600"));
    CHECK_THAT(session.answer(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), Contains("-32600"));
    CHECK_THAT(session.answer(R"({"jsonrpc":"2.0","id":1,"method":3})"), Contains("-32600"));
    CHECK_THAT(session.answer(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})"),
               Contains(R"("id": "a\"b")"));
    CHECK_THAT(conversation.ask(R"("method":"resources/list")"), Contains("-32601"));
    // Deep nesting does not use the stack.
    CHECK_THAT(session.answer(std::string(200'000, '[')), Contains("-32700"));
    CHECK(
        session.answer(
            R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
            R"({"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"ping"}])") ==
        R"([{"jsonrpc": "2.0", "id": 1, "result": {}},{"jsonrpc": "2.0", "id": 2, "result": {}}])");
}

TEST_CASE("calls of tools become commands", "[mcp]") {
    Conversation conversation(true);
    CHECK_THAT(conversation.call(R"({"name":"brief","arguments":{"file":"a.json","functions":5}})"),
               Contains("data, not instructions") &&
                   Contains("brief [report] [--brief] [--limit=5] [a.json]") &&
                   Contains(R"("isError": false)"));
    // A value that looks like an option stays a value.
    CHECK_THAT(
        conversation.call(R"({"name":"function","arguments":{"file":"a.json","name":"--html"}})"),
        Contains("[--function=--html]"));
    CHECK_THAT(
        conversation.call(
            R"({"name":"compare","arguments":{"new":"b.json","old":"a.json","threshold":2.5}})"),
        Contains("compare [diff] [--threshold=2.5] [a.json] [b.json]"));
    CHECK_THAT(conversation.call(R"({"name":"run","arguments":{"command":["ls","-l"]}})"),
               Contains("run [ls] [-l]"));
    CHECK(conversation.host.calls == 4);

    for (const char* const wrong :
         {R"({"name":"brief"})", R"({"name":"brief","arguments":{}})",
          R"({"name":"brief","arguments":[]})", R"({"name":"brief","arguments":{"file":3}})",
          R"({"name":"brief","arguments":{"file":""}})",
          R"({"name":"brief","arguments":{"file":"a\u0000b"}})",
          R"({"name":"brief","arguments":{"file":"a.json","functions":0}})",
          R"({"name":"brief","arguments":{"file":"a.json","functions":1.5}})",
          R"({"name":"brief","arguments":{"file":"a.json","colour":"red"}})",
          R"({"name":"run","arguments":{"command":[]}})",
          R"({"name":"run","arguments":{"command":"ls"}})",
          R"({"name":"run","arguments":{"command":["ls",3]}})"})
        CHECK_THAT(conversation.call(wrong), Contains(R"("isError": true)"));
    CHECK(conversation.host.calls == 4);
    CHECK_THAT(conversation.call(R"({"name":"brief","arguments":{"file":"missing.json"}})"),
               Contains("there is no such profile") && Contains(R"("isError": true)"));
    CHECK_THAT(conversation.call(R"({"name":"erase"})"), Contains("-32602"));
    CHECK_THAT(conversation.call(R"({})"), Contains("-32602"));
    // Without permission, there is no such tool.
    CHECK_THAT(Conversation().call(R"({"name":"run","arguments":{"command":["ls"]}})"),
               Contains("-32602"));
}

TEST_CASE("mutated messages are answered", "[mcp]") {
    const std::vector<std::string> messages = {
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})",
        R"({"jsonrpc":"2.0","id":"two","method":"tools/list"})",
        R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"brief","arguments":{"file":"a.json","functions":3}}})",
        R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run","arguments":{"command":["ls"]}}})",
        R"([{"jsonrpc":"2.0","id":5,"method":"ping"}])"};
    Conversation conversation(true);
    std::mt19937 random(11);  // NOLINT(bugprone-random-generator-seed): the same in each run
    const auto below = [&](std::size_t limit) { return random() % limit; };
    std::size_t errors = 0, silent = 0, whole = 0;
    for (int i = 0; i < 100'000; i++) {
        std::string message = messages[below(messages.size())];
        for (std::size_t changes = 1 + below(4); changes > 0 && !message.empty(); changes--) {
            const std::size_t at = below(message.size());
            switch (below(4)) {
            case 0:
                message[at] = static_cast<char>(random());
                break;
            case 1:
                message.erase(at, 1 + below(8));
                break;
            case 2:
                message.insert(at, 1 + below(3), "{}[]\",:0e-\\\x80"[below(12)]);
                break;
            default:
                message.insert(at, message.substr(below(message.size()), below(20)));
            }
        }
        const std::string answer = conversation.session.answer(message);
        silent += answer.empty();
        if (answer.empty())
            continue;
        const JsonDocument document(answer);  // throws if it is not JSON
        CHECK(answer.find('\n') == std::string::npos);
        whole++;
        errors += answer.find("\"error\"") != std::string::npos ||
                  answer.find("\"isError\": true") != std::string::npos;
    }
    CHECK(errors > 60'000);
    CHECK(silent < 5'000);  // notifications: messages without "id"
    CHECK(whole + silent == 100'000);
}
