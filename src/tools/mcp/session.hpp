// A conversation in the Model Context Protocol: one JSON-RPC 2.0 message goes in, one comes out
// (https://modelcontextprotocol.io/specification, versions 2024-11-05 to 2025-11-25; the server has
// tools, and nothing else of what the protocol offers).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcp/tools.hpp"

namespace vftrace {

struct ToolAnswer {
    std::string text;
    bool is_error = false;
};

// Carries out the calls of tools.
class ToolHost {
  public:
    // Any exception becomes the answer, as an error.
    virtual ToolAnswer carry_out(const Tool& tool, const ToolCall& call) = 0;

  protected:
    ~ToolHost() = default;
};

class McpSession {
  public:
    McpSession(std::vector<Tool> tools, ToolHost& host) : tools_(std::move(tools)), host_(host) {}

    // The answer to a message, in one line without its end; empty if it needs none. Everything is
    // answered that is not a notification, what is not valid with an error.
    std::string answer(std::string_view message);

  private:
    std::string answer_one(const JsonValue& message);
    std::string initialize(const std::string& id, const JsonValue* parameters) const;
    std::string list_tools(const std::string& id) const;
    std::string call_tool(const std::string& id, const JsonValue* parameters);

    std::vector<Tool> tools_;
    ToolHost& host_;
};

}  // namespace vftrace
