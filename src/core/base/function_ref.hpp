// A function object that is called only before its receiver returns: it refers to a lambda without
// owning it, so that functions that take a lambda need not be templates.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace vftrace {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
  public:
    // `function` must live as long as this object is used.
    template <class Function,
              class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef>>>
    FunctionRef(Function&& function)
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Function>*>(object))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

  private:
    void* object_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace vftrace
