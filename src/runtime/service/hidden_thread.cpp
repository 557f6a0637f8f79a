#include "service/hidden_thread.hpp"

#include <cerrno>
#include <csignal>
#include <pthread.h>

#include "guest/next_function.hpp"

namespace vftrace {

int start_hidden_thread(void* (*function)(void*), void* argument) {
    // Not our wrapper, which would register the thread.
    const auto create = next_function<decltype(&pthread_create)>("pthread_create");
    if (!create)
        return ENOSYS;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = create(&thread, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
}

}  // namespace vftrace
