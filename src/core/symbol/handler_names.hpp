// Names of asio's handlers, from the types of the operations that call them.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

struct HandlerName {
    std::string name;  // "session::read()::<lambda(int)>", "session"; empty: it does not have one
    std::string file;  // of a lambda expression, if the compiler writes it into its type
    int line = 0;
};

// `declaration`: of a function template whose argument `Operation` is the type of the operation, as
// GCC and Clang write it. The name is that of the lambda expression in it that is named last, or of
// the class of the handler that is given to the operation, without those of asio, Boost and the
// standard library around it.
HandlerName name_of_handler(std::string_view declaration);

}  // namespace vftrace
