// The records of functions that an object file passes to the run-time library when the program
// starts.
#include "taint/pass/records.hpp"

#include <string>

#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace vftrace::taint {
namespace {

// "advance" of Grid::advance<int>(double), as it is written in the source.
std::string plain_name(const llvm::Function& function) {
    if (const llvm::DISubprogram* where = function.getSubprogram();
        where && !where->getName().empty())
        return where->getName().str();
    const std::string mangled = function.getName().str();  // the demangler refers to it
    llvm::ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(mangled.c_str()))
        return mangled;
    std::size_t size = 0;
    char* name = demangler.getFunctionBaseName(nullptr, &size);
    std::string result = name ? name : mangled;
    std::free(name);
    return result;
}

std::string file_of(const llvm::Function& function) {
    const llvm::DISubprogram* where = function.getSubprogram();
    if (!where)
        return "";
    llvm::SmallString<256> path(where->getFilename());
    if (!llvm::sys::path::is_absolute(path)) {
        path = where->getDirectory();
        llvm::sys::path::append(path, where->getFilename());
    }
    llvm::sys::path::remove_dots(path, true);
    return path.str().str();
}

}  // namespace

llvm::Constant* Records::text(llvm::StringRef content) {
    llvm::Constant*& known_text = texts[content];
    if (!known_text) {
        llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), content);
        auto* variable =
            new llvm::GlobalVariable(module, bytes->getType(), true,
                                     llvm::GlobalValue::PrivateLinkage, bytes, "vftrace.text");
        variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
        known_text = variable;
    }
    return known_text;
}

llvm::Constant* Records::numbers(const std::vector<std::int32_t>& values) {
    if (values.empty())
        return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module.getContext()));
    llvm::Constant* content = llvm::ConstantDataArray::get(
        module.getContext(),
        llvm::ArrayRef<std::uint32_t>(reinterpret_cast<const std::uint32_t*>(values.data()),
                                      values.size()));
    return new llvm::GlobalVariable(module, content->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, content, "vftrace.numbers");
}

llvm::GlobalVariable* Records::record_of(const llvm::Function& function, const FunctionPlan* plan,
                                         FunctionKind kind) {
    llvm::GlobalVariable*& variable = known[&function];
    if (variable)
        return variable;
    std::vector<std::int32_t> loops;
    std::vector<std::int32_t> sites;
    std::vector<std::int32_t> slots;
    if (kind == function_communicates) {
        loops = {-1, 0, 0, 0, loop_of_source};
        sites = {0, -1};
    }
    if (plan) {
        for (const LoopRecord& loop : plan->loops)
            loops.insert(loops.end(), {loop.parent, loop.number, loop.level, loop.line, loop.kind});
        for (const Site& site : plan->sites)
            sites.insert(sites.end(), {site.record.loop, site.record.branch});
        for (const CallPlan& call : plan->calls)
            slots.push_back(call.loop);
    }
    const llvm::DISubprogram* where = function.getSubprogram();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* integer = llvm::Type::getInt32Ty(context);
    const auto number = [&](std::size_t value) { return llvm::ConstantInt::get(integer, value); };
    llvm::Constant* members[] = {
        text(function.getName()),
        text(plain_name(function)),
        text(file_of(function)),
        numbers(loops),
        numbers(sites),
        numbers(slots),
        llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context)),
        llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context)),
        number(where ? where->getLine() : 0),
        number(kind),
        number(loops.size() / members_of_loop_record),
        number(sites.size() / 2),
        number(slots.size()),
        number(0),
        number(function.hasLocalLinkage()),
        number(plan && plan->calls_opaque)};
    llvm::Constant* content = llvm::ConstantStruct::getAnon(members);
    variable =
        new llvm::GlobalVariable(module, content->getType(), false,
                                 llvm::GlobalValue::PrivateLinkage, content, "vftrace.function");
    records.push_back(variable);
    return variable;
}

void Records::set_callees(const llvm::Function& function, llvm::ArrayRef<llvm::Constant*> callees) {
    if (callees.empty())
        return;
    constexpr unsigned place_of_list = 6, place_of_count = 12;
    auto* type =
        llvm::ArrayType::get(llvm::PointerType::getUnqual(module.getContext()), callees.size());
    auto* list =
        new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                 llvm::ConstantArray::get(type, callees), "vftrace.callees");
    llvm::GlobalVariable* record = known.lookup(&function);
    llvm::SmallVector<llvm::Constant*, 16> members;
    for (llvm::Value* member : record->getInitializer()->operand_values())
        members.push_back(llvm::cast<llvm::Constant>(member));
    members[place_of_list] = list;
    members[place_of_count] =
        llvm::ConstantInt::get(members[place_of_count]->getType(), callees.size());
    record->setInitializer(llvm::ConstantStruct::getAnon(members));
}

llvm::GlobalVariable* Records::opaque_record(const llvm::Function& function) {
    llvm::GlobalVariable*& variable = opaque[&function];
    if (!variable) {
        llvm::Type* integer = llvm::Type::getInt64Ty(module.getContext());
        llvm::Constant* content = llvm::ConstantStruct::getAnon(
            {text(function.getName()), llvm::ConstantInt::get(integer, 0),
             llvm::ConstantInt::get(integer, 0)});
        variable =
            new llvm::GlobalVariable(module, content->getType(), false,
                                     llvm::GlobalValue::PrivateLinkage, content, "vftrace.opaque");
    }
    return variable;
}

void Records::register_at_start() {
    if (records.empty())
        return;
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    llvm::Type* integer = llvm::Type::getInt64Ty(context);
    auto* type = llvm::ArrayType::get(pointer, records.size());
    auto* table =
        new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                 llvm::ConstantArray::get(type, records), "vftrace.functions");
    auto* start = llvm::Function::createWithDefaultAttr(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
        llvm::GlobalValue::InternalLinkage, 0, "vftrace_taint_start", &module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", start));
    builder.CreateCall(
        module.getOrInsertFunction("vftrace_taint_register", builder.getVoidTy(), pointer, integer),
        {table, builder.getInt64(records.size())});
    builder.CreateRetVoid();
    llvm::appendToGlobalCtors(module, start, 1);
}

}  // namespace vftrace::taint
