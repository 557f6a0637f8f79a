// A library is unloaded and loaded again while the calls of its hooks are removed. Argument: its
// path.
#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "patch_hooks.h"

static long (*work)(int);

NOT_INSTRUMENTED static void* worker(void*) {
    long sum = 0;
    for (int i = 0; i < 20000; i++)
        sum += work(i & 63);
    return reinterpret_cast<void*>(sum);
}

NOT_INSTRUMENTED static int range_of(dl_phdr_info* info, size_t, void* data) {
    auto** range = static_cast<char**>(data);
    auto address = reinterpret_cast<ElfW(Addr)>(work);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        ElfW(Addr) start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        ElfW(Addr) end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= start && address < end) {
            range[0] = reinterpret_cast<char*>(start);
            range[1] = reinterpret_cast<char*>(end);
        }
    }
    return 0;
}

NOT_INSTRUMENTED int main(int, char** arguments) {
    long first = 0;
    for (int turn = 0; turn < 10; turn++) {
        void* plugin = dlopen(arguments[1], RTLD_NOW);
        if (!plugin)
            return puts(dlerror()), 1;
        work = reinterpret_cast<long (*)(int)>(dlsym(plugin, "plugin_work"));
        long untouched = work(5);
        unsigned long entries = patch_entries(), exits = patch_exits();
        if (turn == 0)
            printf("hooks called: %d\n", entries > 20 && exits > 20);
        patch_remove(1);
        pthread_t ids[2];
        long sums[2];
        for (pthread_t& id : ids)
            pthread_create(&id, nullptr, worker, nullptr);
        for (int i = 0; i < 2; i++)
            pthread_join(ids[i], reinterpret_cast<void**>(&sums[i]));
        work(5);  // all that were not reached while another thread was working
        for (int i = 0; i < 64; i++)
            work(i);
        patch_entries();
        patch_exits();
        bool same = work(5) == untouched && sums[0] == sums[1] && (turn == 0 || sums[0] == first);
        unsigned long left = patch_entries() + patch_exits();
        first = sums[0];
        patch_remove(0);
        char* range[2] = {};
        dl_iterate_phdr(range_of, range);
        unsigned before = patch_removed();
        // Every other time the unloading is not announced.
        if (turn & 1)
            patch_forget(range[0], range[1]);
        unsigned after = patch_removed();
        dlclose(plugin);
        printf("same results: %d, calls left: %lu, %s\n", same, left,
               turn & 1          ? after == 0 && before > 0 ? "forgotten" : "not forgotten"
               : after == before ? "kept"
                                 : "lost");
        if (!(turn & 1))
            printf("restored: %u\n", patch_restore());
    }
    return 0;
}
