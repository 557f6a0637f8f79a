// Exceptions caught half-way, rethrown, thrown by constructors, while others are handled, and by a
// function that was entered many levels down. Destructors that run on the way call functions.
#include <cstdio>
#include <exception>

__attribute__((noinline)) static void leaf() { asm volatile(""); }
__attribute__((noinline)) static void cleaned() { asm volatile(""); }
struct Cleaner {
    __attribute__((noinline)) ~Cleaner() { cleaned(); }
};
struct Member {
    __attribute__((noinline)) Member() { leaf(); }
    __attribute__((noinline)) ~Member() { cleaned(); }
};
struct Fails {
    Member member;
    __attribute__((noinline)) explicit Fails(int n) {
        if (n > 0)
            throw n;
    }
};

__attribute__((noinline)) static void thrower(int n) {
    if (n > 0)
        throw n;
}
__attribute__((noinline)) static void cleans(int n) {
    Cleaner cleaner;
    thrower(n);
    leaf();
}
__attribute__((noinline)) static void half_way(int n) {
    try {
        cleans(n);
    } catch (int& value) {
        leaf();
        value++;
        throw;
    }
}
__attribute__((noinline)) static int top(int n) {
    try {
        half_way(n);
    } catch (int value) {
        leaf();
        return value;
    }
    return 0;
}
__attribute__((noinline)) static int constructs(int n) {
    try {
        Fails object(n);
        leaf();
    } catch (int value) {
        leaf();
        return value;
    }
    return 0;
}
__attribute__((noinline)) static int in_handler(int n) {
    try {
        thrower(n);
    } catch (int outer) {
        int inner = top(n);  // throws and catches while the first one is handled
        leaf();
        return outer + inner;
    }
    return 0;
}
__attribute__((noinline)) static void down(int n) {
    if (n == 0)
        thrower(1);
    else
        down(n - 1);
}
__attribute__((noinline)) static int from_below(int n) {
    try {
        down(n);
    } catch (int value) {
        leaf();
        return value;
    }
    return 0;
}
__attribute__((noinline)) static std::exception_ptr stores(int n) {
    try {
        thrower(n);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}
__attribute__((noinline)) static int rethrows_stored(int n) {
    std::exception_ptr stored = stores(n);
    leaf();
    try {
        std::rethrow_exception(stored);
    } catch (int value) {
        leaf();
        return value;
    }
}

int main() {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += top(1) + constructs(2) + in_handler(3) + from_below(100) + rethrows_stored(4);
    sum += top(0) + constructs(0);
    leaf();
    std::printf("%d\n", sum);
}
