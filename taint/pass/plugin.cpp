// What clang calls when it loads the plugin (-fpass-plugin).
#undef PIC  // defined by libtool; LLVM has an argument of that name
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "taint/pass/watch_pass.hpp"

namespace {

void register_passes(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [&builder](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
            passes.addPass(vftrace::taint::WatchPass());
            // clang has registered its sanitizers by now, so passes registered here run after them.
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& last_passes, llvm::OptimizationLevel) {
                    last_passes.addPass(vftrace::taint::InlineChecksPass());
                });
        });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "vftrace-taint", "1", register_passes};
}
