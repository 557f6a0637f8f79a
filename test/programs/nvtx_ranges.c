/* Ranges of NVTX: nested, in domains, with registered and wide names, over calls, and one left
 * open. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <wchar.h>

static volatile int work;
static void step(void) { work++; }

static void solve(nvtxDomainHandle_t domain, nvtxStringHandle_t name) {
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = name;
    for (int i = 0; i < 3; ++i) {
        nvtxDomainRangePushEx(domain, &attributes);
        step();
        nvtxRangePushW(L"inner");
        step();
        nvtxRangePop();
        nvtxDomainRangePop(domain);
    }
    attributes.messageType = NVTX_MESSAGE_UNKNOWN;
    nvtxRangePushEx(&attributes);
    nvtxRangePop();
}

int main(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "iteration");
    int level = nvtxRangePushA("whole");
    solve(domain, name);
    step();
    nvtxRangePop();
    nvtxRangePop(); /* no range is open */
    nvtxMarkA("mark");
    step();
    nvtxRangePushA("open");
    step();
    printf("%d %d\n", work, level);
    return 0;
}
