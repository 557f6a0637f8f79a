// asio and Boost.Asio in one program: compiled twice, with -DWITH_BOOST for the part with Boost,
// which the other part calls. The clock only advances in take(). Does not use vftrace.
#include <cstdio>
#include <utility>

void run_boost(void (*take)(double));

#ifdef WITH_BOOST
#include <boost/asio.hpp>
namespace asio = boost::asio;
#define RUN run_boost
#define HANDLER boost_handler
#define COROUTINE of_boost
constexpr double factor = 3;
#else
#include "set_clock.h"

#include <asio.hpp>
#define RUN run_asio
#define HANDLER asio_handler
#define COROUTINE of_asio
constexpr double factor = 1;
#endif

struct HANDLER {
    void (*take)(double);
    void operator()() const { take(factor); }
};

asio::awaitable<void> COROUTINE(void (*take)(double)) {
    take(2 * factor);
    co_return;
}

void RUN(void (*take)(double)) {
    asio::io_context context(1);
    asio::co_spawn(context, COROUTINE(take), asio::detached);
    asio::post(context, HANDLER{take});
    context.run();
}

#ifndef WITH_BOOST
int main() {
    run_asio(take);
    run_boost(take);
    std::puts("done");
}
#endif
