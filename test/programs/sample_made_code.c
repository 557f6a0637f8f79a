/* Code generated at run time without unwind tables: with a frame pointer it has its callers,
 * without one it appears alone. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef void (*Function)(long);

/* push rbp; mov rbp, rsp; loop: dec rdi; jnz loop; pop rbp; ret */
static const unsigned char with_pointer[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
                                             0xcf, 0x75, 0xfb, 0x5d, 0xc3};
/* Saves rbp, sets it to nonsense and restores it; clearing it would mark the end of the stack */
static const unsigned char without_pointer[] = {0x55, 0x48, 0xc7, 0xc5, 0x08, 0x00, 0x00, 0x00,
                                                0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};

__attribute__((noinline)) void calls_made_code(Function function) {
    function(300000000);
    printf("back\n");
}

int main(void) {
    unsigned char* code =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, with_pointer, sizeof with_pointer);
    memcpy(code + 4096, without_pointer, sizeof without_pointer);
    calls_made_code((Function)code);
    calls_made_code((Function)(code + 4096));
    return 0;
}
