/* The program brings its own allocator, which is instrumented. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static char pool[64 << 20];
static size_t used;

__attribute__((noinline)) static void* take(size_t size) {
    void* result = pool + used;
    used += (size + 31) & ~(size_t)31;
    return used <= sizeof pool ? result : NULL;
}
void* malloc(size_t size) {
    size_t* block = take(size + 16);
    if (!block)
        return NULL;
    block[0] = size;
    return block + 2;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t size) {
    void* block = malloc(count * size);
    return block ? memset(block, 0, count * size) : block;
}
void* realloc(void* old, size_t size) {
    void* block = malloc(size);
    if (old && block) {
        size_t old_size = ((size_t*)old)[-2];
        memcpy(block, old, old_size < size ? old_size : size);
    }
    return block;
}

int main(void) {
    char* text = malloc(100);
    strcpy(text, "own malloc");
    puts(text);
    free(text);
    return 0;
}
