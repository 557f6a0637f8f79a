// Names of asio's handlers from the types of operations.
#include "symbol/handler_names.hpp"

#include <catch2/catch.hpp>

using vftrace::name_of_handler;

namespace {

std::string name_of(const std::string& type) {
    return name_of_handler(
               "constexpr const char* declaration_of_handler() [with Operation = " + type + "]")
        .name;
}

}  // namespace

TEST_CASE("handlers that are lambda expressions", "[names]") {
    CHECK(name_of("asio::detail::wait_handler<main()::<lambda(asio::error_code)>, "
                  "asio::any_io_executor>") == "main()::<lambda(asio::error_code)>");
    CHECK(name_of("asio::detail::reactive_socket_send_op<asio::const_buffers_1, "
                  "asio::detail::write_op<asio::basic_stream_socket<asio::ip::tcp>, "
                  "asio::mutable_buffers_1, const asio::mutable_buffer*, "
                  "asio::detail::transfer_all_t, server::session<int>::write(std::size_t)::"
                  "<lambda(std::error_code, std::size_t)> >, asio::any_io_executor>") ==
          "server::session<int>::write(std::size_t)::<lambda(std::error_code, std::size_t)>");
    const vftrace::HandlerName clang =
        name_of_handler("const char *vftrace::detail::declaration_of_handler() [Operation = "
                        "boost::asio::detail::wait_handler<(lambda at /home/a (b)/x.cpp:12:34), "
                        "boost::asio::any_io_executor>]");
    CHECK(clang.name == "{lambda}");
    CHECK(clang.file == "/home/a (b)/x.cpp");
    CHECK(clang.line == 12);
}

TEST_CASE("handlers that are objects", "[names]") {
    CHECK(name_of("asio::detail::wait_handler<server::poll, asio::any_io_executor>") ==
          "server::poll");
    CHECK(name_of("asio::detail::wait_handler<polls<int, other>, asio::any_io_executor>") ==
          "polls");
    CHECK(name_of("asio::detail::reactive_socket_recv_op<asio::mutable_buffers_1, "
                  "std::_Bind<void (session::*(std::shared_ptr<session>, "
                  "std::_Placeholder<1>))(const std::error_code&)>, asio::any_io_executor>") ==
          "session");
    CHECK(name_of("asio::detail::write_op<my_stream, asio::const_buffers_1, void "
                  "(*)(const std::error_code&, long unsigned int)>") == "my_stream");
    CHECK(name_of("asio::detail::wait_handler<{anonymous}::poll, asio::any_io_executor>") ==
          "poll");
    CHECK(name_of("asio::detail::executor_op<asio::detail::executor_function, "
                  "std::allocator<void>, asio::detail::scheduler_operation>") == "");
}

TEST_CASE("declarations that are not of handlers", "[names]") {
    for (const char* text : {"", "Operation", "Operation = ", "[Operation = <lambda(",
                             "Operation = >"
                             ">)"})
        CHECK(name_of_handler(text).line == 0);
}
