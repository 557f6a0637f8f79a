/* Closes every descriptor, opens its own file in place of stderr, and changes the directory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <vftrace.h>
__attribute__((noinline)) static void work(void) { vftrace_region_end("never begun"); }
int main(void) {
    for (int i = 0; i < 64; i++)
        close(i);
    for (int i = 0; i < 3; i++)
        if (open("own_data", O_RDWR | O_CREAT | O_APPEND, 0666) != i)
            return 9;
    if (write(2, "data\n", 5) != 5 || chdir("/") != 0)
        return 8;
    work();
    return 4;
}
