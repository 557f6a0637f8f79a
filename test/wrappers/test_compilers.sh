#!/bin/sh
# Tests of vftrace-cc, vftrace-c++, vftrace-fc and those of MPI. Prints a PASS, FAIL or SKIP line for each
# behaviour; the exit status is 1 if one failed.
#
# It instantiates scripts/vftrace-compiler.in and links a stand-in library that counts calls, so it
# needs neither a built nor an installed vftrace. It does not use VFTRACE_LIBRARY_DIR of a real
# library.
# shellcheck disable=SC2016  # commands are texts that check() has a shell expand

here=$(cd "${0%/*}" && pwd)
source_dir=${srcdir:+$(cd "$srcdir" && pwd)}
if [ ! -f "$source_dir/scripts/vftrace-compiler.in" ]; then
    source_dir=$here/../..
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
XDG_CACHE_HOME=$work/cache && export XDG_CACHE_HOME
unset OMPI_CC OMPI_CXX OMPI_FC MPICH_CC MPICH_CXX MPICH_FC
unset VFTRACE_CC VFTRACE_CXX VFTRACE_FC VFTRACE_MPICC VFTRACE_MPICXX VFTRACE_MPIFORT
unset VFTRACE_BUILD_TREE VFTRACE_INCLUDE_DIR VFTRACE_LIBRARY_DIR
unset CFLAGS CXXFLAGS FFLAGS FCFLAGS LDFLAGS CC CXX FC

failures=0
pass() { echo "PASS $1"; }
fail() {
    echo "FAIL $1"
    failures=$((failures + 1))
}
skip() { echo "SKIP $1"; }
have() { command -v "$1" >/dev/null 2>&1; }

# check "what" command...: the command succeeds.
check() {
    what=$1
    shift
    if "$@" >log 2>&1; then pass "$what"; else
        fail "$what"
        sed 's/^/    /' log
    fi
}
not() { ! "$@"; }

# contains FILE TEXT...: each text is somewhere in the file.
contains() {
    file=$1
    shift
    for text; do
        grep -qF -- "$text" "$file" || {
            echo "no '$text' in:"
            cat "$file"
            return 1
        }
    done
}

# ---- A prefix with the scripts, the headers and a stand-in library -------------------------------

prefix="$work/a prefix"
mkdir -p "$prefix/bin" "$prefix/include" "$prefix/lib"
cp -r "$source_dir/include/vftrace.h" "$source_dir/include/vftrace.hpp" "$source_dir/include/vftrace" "$prefix/include"
make_script() { # make_script NAME DIRECTORY PREFIX
    sed -e "s|@prefix@|$3|" -e 's|@exec_prefix@|${prefix}|' -e 's|@includedir@|${prefix}/include|' \
        -e 's|@libdir@|${exec_prefix}/lib|' -e 's|@CC@|gcc|' -e 's|@CXX@|g++|' \
        -e 's|@FC@|gfortran|' "$source_dir/scripts/vftrace-compiler.in" >"$2/$1"
    chmod +x "$2/$1"
}
for name in vftrace-cc vftrace-c++ vftrace-fc vftrace-mpicc vftrace-mpic++ vftrace-mpifort; do
    make_script $name "$prefix/bin" "$prefix"
done

cat >standin.c <<'END'
#include <stdio.h>
#include <string.h>
static long calls;
void __cyg_profile_func_enter(void *function, void *site) { (void)function, (void)site, ++calls; }
void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }
void vftrace_region_begin(const char *name) { fprintf(stderr, "region [%s]\n", name); }
void vftrace_region_end(const char *name) { (void)name; }
void vftrace_region_hint(const char *name, int hint) { (void)name, (void)hint; }
void vftrace_epoch(void) {}
void vftrace_parameter(const void *variable, size_t size, const char *name) {
    (void)variable, (void)size, (void)name;
}
void vftrace_parameter_typed(const void *variable, size_t size, const char *name, int type) {
    (void)variable, (void)size, (void)name, (void)type;
}
char *vftrace_get_stack(void) { return strdup("main<init"); }
void vftrace_pause(void) {}
int MPI_Init(void *a, void *b) { (void)a, (void)b; return 1; }
void vftrace_resume(void) {}
int vftrace_restore_hooks(void) { return 0; }
const void *vftrace_section_register(const char *name, int level, const char *message, int dots) {
    (void)level, (void)message, (void)dots;
    return name;
}
void vftrace_section_begin(const void *section) { (void)section; }
void vftrace_section_end(const void *section) { (void)section; }
int vftrace_section_data(int figure, const char *name, int options, double *value) {
    (void)figure, (void)name, (void)options, (void)value;
    return 2;
}
char *vftrace_section_text(const void *table) { (void)table; return NULL; }
unsigned long long vftrace_task_create(const char *type, const char *file, int line) {
    (void)type, (void)file, (void)line;
    return 0;
}
void vftrace_task_run(unsigned long long task) { (void)task; }
void vftrace_task_pause(unsigned long long task) { (void)task; }
void vftrace_task_complete(unsigned long long task) { (void)task; }
void vftrace_task_fail(unsigned long long task) { (void)task; }
void vftrace_task_cancel(unsigned long long task) { (void)task; }
int vftrace_task_is_live(unsigned long long task) { (void)task; return 0; }
int vftrace_section_snapshot(double label) { (void)label; return 2; }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "calls=%ld\n", calls); }
END
gcc -O1 -fPIC -c standin.c || exit 99
module=
if have gfortran; then
    gfortran -fPIC -J "$prefix/include" -c "$source_dir/fortran/vftrace.F90" -o module.o || exit 99
    module=module.o
fi
gcc -shared -Wl,-soname,libvftrace.so.0 -o "$prefix/lib/libvftrace.so.0" standin.o $module || exit 99
ln -s libvftrace.so.0 "$prefix/lib/libvftrace.so"

PATH="$prefix/bin:$PATH"
export PATH

# ---- Programs ------------------------------------------------------------------------------------

cat >hello.c <<'END'
#include <vftrace.h>
static int twice(int x) { return 2 * x; }
int main(void) { vftrace_region_begin("c"); vftrace_region_end("c"); return twice(0); }
END
cat >hello.cpp <<'END'
#include <string>
#include <vector>
#include <vftrace.hpp>
struct Field {
    std::vector<int> v;
    int sum() const {
        int s = 0;
        for (int x : v) s += x;
        return s;
    }
};
int main() {
    VFTRACE_REGION("c++"); VFTRACE_REGION(std::string("c++ again")); VFTRACE_FUNCTION_REGION();
    Field f;
    for (int i = 0; i < 10; i++) f.v.push_back(i);
    return f.sum() == 45 ? 0 : 1;
}
END
cat >hello.f90 <<'END'
program hello
   use vftrace
   call vftrace_region_begin(" f")
   call work()
   call vftrace_region_end(" f")
contains
   subroutine work()
   end subroutine
end program
END
printf 'int main(void) { return TEXT[0] == 97 && TEXT[2] == 98 ? 0 : 1; }\n' >define.c
cat >answer.s <<'END'
        .text
        .globl answer
answer: ret
        .section .note.GNU-stack,"",@progbits
END

runs() { # runs PROGRAM TEXT...: it exits with 0, and prints each of the texts
    program=$1
    shift
    "$program" >out 2>&1 || {
        echo "exit status $?"
        cat out
        return 1
    }
    contains out "$@"
}
build() { # build "COMMAND" TEXT...: makes ./prog, which prints each of the texts
    command=$1
    shift
    rm -f prog
    eval "$command" || return 1
    runs ./prog "$@"
}
needs_vftrace() { readelf -d "$1" | grep NEEDED | grep -q vftrace; }
# commands WORDS...: what the wrapper would run, in the file `command`.
commands() {
    "$@" --vftrace-verbose 2>"command" || {
        cat "command"
        return 1
    }
}

check "cc compiles and links in one step" build 'vftrace-cc hello.c -o prog' 'calls=2' 'region [c]'
check "cc in two steps" build 'vftrace-cc -c hello.c && vftrace-cc hello.o -o prog' 'calls=2'
check "cc leaves no warning" build 'vftrace-cc -Wall -Wextra -Werror -O2 hello.c -o prog' 'calls='
check "c++ leaves out the standard library" build \
        'vftrace-c++ -O0 hello.cpp -o prog' 'calls=4' 'region [c++]' 'region [c++ again]' 'region [main]'
check "--vftrace-all keeps it" sh -c 'vftrace-c++ --vftrace-all -O0 hello.cpp -o prog &&
    ./prog 2>&1 | grep "calls=[0-9][0-9][0-9]"'
check "--vftrace-off is the plain compiler" build \
    'vftrace-cc --vftrace-off define.c -DTEXT=\"axb\" -o prog && not grep -q __cyg_ prog'
check "an unknown own option is refused" not vftrace-cc --vftrace-nonsense hello.c
check "C sources given to c++" build 'vftrace-c++ -x c hello.c -o prog' 'calls=2'
check "source from stdin" build 'vftrace-cc -x c - -o prog <hello.c' 'calls=2'
check "blanks and quotes survive" build "vftrace-cc '-DTEXT=\"a b\\\"\\\$HOME *\"' define.c -o prog" 'calls=1'
check "verbose prints a command that can be pasted" commands vftrace-cc '-DTEXT="a b"' define.c -o prog
check "  with quotes" contains command "'-DTEXT=\"a b\"'" '-finstrument-functions'
mkdir -p "odd dir"
cp hello.c "odd dir/my file.c"
check "file names with blanks" build \
        'vftrace-cc "odd dir/my file.c" -o "odd dir/out" && cp "odd dir/out" prog' 'calls=2'
printf -- '-c\n-O1\n"odd dir/my file.c"\n-o\nresponse.o\n' >compile.rsp
printf 'response.o -o prog\n' >link.rsp
check "response files" build 'vftrace-cc @compile.rsp && vftrace-cc @link.rsp' 'calls=2'
check "the C++ header is clean" vftrace-c++ -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror \
    "-I$prefix/include" -c hello.cpp
check "-std=c99 pedantic" build 'vftrace-cc -std=c99 -pedantic-errors hello.c -o prog' 'calls=2'
check "user options win" build 'vftrace-cc -fno-instrument-functions hello.c -o prog' 'calls=0'
check "library stays with --as-needed" build \
        'vftrace-cc -Wl,--as-needed -fno-instrument-functions define.c -DTEXT=\"axb\" -o prog' 'calls=0'
check "optimised at link time" build 'vftrace-cc -flto -O2 hello.c -o prog' 'calls='
check "several compilers words" env VFTRACE_CC="env LC_ALL=C gcc" vftrace-cc hello.c -o prog
check "a wrapper around itself is refused" not env VFTRACE_CC=vftrace-cc vftrace-cc hello.c
check "failure keeps the exit status" not vftrace-cc no_such_file.c

check "lines are added" commands vftrace-cc -O2 -c define.c '-DTEXT="axb"'
check "  with -g1" contains command ' -g1 '
check "lines of clang" env VFTRACE_CC=clang sh -c 'vftrace-cc --vftrace-verbose -c define.c "-DTEXT=\"axb\"" 2>command'
check "  with line tables" contains command ' -gline-tables-only '
for option in -g -g0 -ggdb3 -gsplit-dwarf --vftrace-no-lines; do
    check "$option leaves lines alone" commands vftrace-cc "$option" -c define.c '-DTEXT="axb"'
    check "  no flag" not grep -q -e ' -g1 ' command
done
check "no lines without sources" commands vftrace-c++ hello.o -o prog
check "  no flag" not grep -q -e ' -g1 ' command
check "assembler is not instrumented" commands vftrace-cc -c answer.s
check "  no flag" not grep -q finstrument command
check "-E passes through" commands vftrace-cc -E define.c
check "  no flag" not grep -q finstrument command
check "-M passes through" commands vftrace-cc -M define.c
check "  no flag" not grep -q finstrument command
check "-MD compiles" commands vftrace-cc -MD -MF define.d '-DTEXT="axb"' -c define.c -include stddef.h
check "  with flag" contains command '-finstrument-functions'
same() { [ "$(vftrace-cc "$@" 2>&1)" = "$(gcc "$@" 2>&1)" ]; }
for option in --version -v -dumpversion -dumpmachine -print-search-dirs -dumpspecs; do
    check "$option is the compiler's" same $option
done

printf 'int middle(int x) { return x + 1; }\n' >middle.c
printf 'int middle(int); int main(void) { return middle(-1); }\n' >outer.c
check "hooks of a shared library reach the executable's" build \
    'vftrace-cc -fPIC -shared -Wl,-z,defs middle.c -o libmiddle.so && not needs_vftrace libmiddle.so &&
        vftrace-cc outer.c -L. -lmiddle -Wl,-rpath,. -o prog' 'calls=2'
check "-r makes an object" build \
        'vftrace-cc -r hello.c -o hello_r.o && vftrace-cc hello_r.o -o prog' 'calls=2'
check "-static tells" build \
        'vftrace-cc -static outer.c middle.c -o prog 2>told && contains told "cannot be profiled"'
check "the library comes before others" sh -c 'vftrace-cc outer.c -L. -lmiddle -Wl,-rpath,. -o first &&
    readelf -d first | grep NEEDED | head -1 | grep -q vftrace'

# ---- Where things are ----------------------------------------------------------------------------

mkdir -p tree/scripts tree/.libs tree/source/include moved/lib
cp -P "$prefix"/lib/* tree/.libs
cp -r "$prefix"/include/* tree/source/include
echo "abs_top_srcdir = $work/tree/source" >tree/Makefile
make_script vftrace-cc tree/scripts /nowhere
check "runs from a build tree" build \
        'tree/scripts/vftrace-cc hello.c -o prog && readelf -d prog | grep -q tree/.libs' 'calls=2'
make_script vftrace-c++ . /nowhere
check "VFTRACE_BUILD_TREE" build 'VFTRACE_BUILD_TREE=tree ./vftrace-c++ hello.cpp -o prog' 'calls=4'
check "VFTRACE_INCLUDE_DIR and VFTRACE_LIBRARY_DIR" build \
    'VFTRACE_INCLUDE_DIR="$prefix/include" VFTRACE_LIBRARY_DIR="$work/tree/.libs" \
        ./vftrace-c++ hello.cpp -o prog' 'calls=4'
ar rcs moved/lib/libvftrace.a standin.o $module
if printf 'int main(void){return 0;}' | gcc -x c - -lelf -o /dev/null 2>/dev/null; then
    check "static library alone" build \
        'VFTRACE_LIBRARY_DIR=moved/lib vftrace-cc hello.c -o prog && not needs_vftrace prog' 'calls=2'
    touch static_works
else
    skip "static library alone (no libelf)"
fi

# ---- Other compilers and build systems -----------------------------------------------------------

if have clang++; then
    VFTRACE_CC=clang VFTRACE_CXX=clang++
    export VFTRACE_CC VFTRACE_CXX
    check "clang: inlined functions do not appear" build \
        'vftrace-c++ -O2 hello.cpp -o prog' 'calls=1'
    check "clang: no warning" sh -c 'vftrace-cc -Weverything -Werror -c outer.c &&
        vftrace-cc -Werror outer.o middle.c -o prog && vftrace-cc -Werror -c answer.s'
    check "clang: --vftrace-all" build 'vftrace-cc -O0 --vftrace-all hello.c -o prog' 'calls=2'
    unset VFTRACE_CC VFTRACE_CXX
else
    skip "clang"
fi
if have gfortran; then
    check "fc" build 'vftrace-fc -O0 hello.f90 -o prog' 'calls=' 'region [f ]'
    check "fc in two steps" build 'vftrace-fc -c hello.f90 && vftrace-fc hello.o -o prog' 'calls='
    check "fc preprocesses plainly" commands vftrace-fc -E -cpp hello.f90
    check "  no flag" not grep -q finstrument command
else
    skip "fc (no gfortran)"
fi

# ---- MPI -----------------------------------------------------------------------------------------

# A stand-in for mpicc shows that nothing comes between vftrace and the MPI library.
mkdir mpi
cat >mpi/mpicc <<'END'
#!/bin/sh
case $1 in
-show) echo "gcc -lmpi $*" ;;
*) exec gcc "$@" -L"${0%/*}" -lmpi ;;
esac
END
chmod +x mpi/mpicc
printf 'int MPI_Init(void *a, void *b) { (void)a, (void)b; return 1; }\n' |
    gcc -x c - -shared -fPIC -Wl,-soname,libmpi.so -o mpi/libmpi.so
printf 'int MPI_Init(void *, void *); int main(void) { return MPI_Init(0, 0) - 1; }\n' >mpi.c
with_mpi() { PATH="$work/mpi:$PATH" LD_LIBRARY_PATH=$work/mpi "$@"; }
vftrace_comes_first() { readelf -d prog | grep NEEDED | tr -d '\n' | grep "vftrace.*$1"; }
check "mpicc" with_mpi build 'vftrace-mpicc mpi.c -o prog' 'calls=1'
check "  vftrace comes before MPI" vftrace_comes_first libmpi.so
check "mpicc in two steps" with_mpi build \
    'vftrace-mpicc -c mpi.c && vftrace-mpicc mpi.o -o prog && vftrace_comes_first libmpi.so' 'calls=1'
check "the MPI library stays though vftrace has its functions" with_mpi build \
    'vftrace-mpicc -Wl,--as-needed mpi.c -o prog && vftrace_comes_first libmpi.so' 'calls=1'
check "  also where -lmpi is given" with_mpi build \
    'vftrace-cc -Wl,--as-needed mpi.c -Lmpi -lmpi -o prog && vftrace_comes_first libmpi.so' 'calls=1'
check "  and where its file is" with_mpi build \
    'vftrace-cc -Wl,--as-needed mpi.c mpi/libmpi.so -o prog && vftrace_comes_first libmpi.so' 'calls=1'
check "a question to mpicc" sh -c \
    'test "$(PATH="mpi:$PATH" vftrace-mpicc -show mpi.c -o prog)" = "gcc -lmpi -show mpi.c -o prog"'
check "an MPI compiler that is not installed" sh -c \
    '! VFTRACE_MPICC=no_mpicc vftrace-mpicc mpi.c 2>told && grep "name a compiler in VFTRACE_MPICC" told'
if [ -f static_works ]; then
    check "static library with MPI" with_mpi build \
        'VFTRACE_LIBRARY_DIR=moved/lib vftrace-mpicc mpi.c -o prog && not needs_vftrace prog' 'calls=1'
fi

same_answer() { [ "$("$1" "$3" 2>&1)" = "$("$2" "$3" 2>&1)" ]; }
printf '#include <mpi.h>\nint main(void) { int is; return MPI_Initialized(&is); }\n' >initialized.c
cp initialized.c initialized.cpp
printf 'program p\nuse mpi\nlogical :: is\ninteger :: e\ncall MPI_Initialized(is, e)\nend\n' \
    >initialized.f90
for family in openmpi mpich; do
    if ! have mpicc.$family; then
        skip "$family"
        continue
    fi
    VFTRACE_MPICC=mpicc.$family VFTRACE_MPICXX=mpicxx.$family VFTRACE_MPIFORT=mpifort.$family
    export VFTRACE_MPICC VFTRACE_MPICXX VFTRACE_MPIFORT
    for option in -show -showme -showme:link --showme:compile -compile-info -link_info --version -v; do
        check "$family: $option is mpicc's" same_answer vftrace-mpicc mpicc.$family $option
    done
    check "$family: C" build 'vftrace-mpicc -Wall -Werror initialized.c -o prog' 'calls=1'
    check "  vftrace comes before MPI" vftrace_comes_first 'libmpi'
    check "$family: C++" build 'vftrace-mpic++ initialized.cpp -o prog' 'calls='
    check "  vftrace comes before MPI" vftrace_comes_first 'libmpi'
    if have mpifort.$family && have gfortran; then
        check "$family: Fortran" build 'vftrace-mpifort initialized.f90 -o prog' 'calls='
        check "  vftrace comes before MPI" vftrace_comes_first 'libmpi'
    fi
    if have clang; then
        check "$family: another compiler below mpicc" env OMPI_CC=clang MPICH_CC=clang sh -c \
            'vftrace-mpicc --vftrace-verbose initialized.c -o prog 2>&1 | grep after-inlining'
    fi
    unset VFTRACE_MPICC VFTRACE_MPICXX VFTRACE_MPIFORT
done

cat >coroutine.cpp <<'END'
#include <coroutine>
struct Task {
    struct promise_type {
        std::coroutine_handle<> next = std::noop_coroutine();
        Task get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Transfer {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(
                std::coroutine_handle<promise_type> h) noexcept {
                return h.promise().next;
            }
            void await_resume() noexcept {}
        };
        Transfer final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
        handle.promise().next = h;
        return handle;
    }
    void await_resume() { handle.destroy(); }
};
Task leaf() { co_return; }
Task root() { for (int i = 0; i < 100; i++) co_await leaf(); }
int main() {
    Task t = root();
    t.handle.resume();
    const bool done = t.handle.done();
    t.handle.destroy();
    return done ? 0 : 1;
}
END
check "coroutines with symmetric transfer" build \
        'vftrace-c++ -std=c++20 -O2 coroutine.cpp -o prog' 'calls='
check "  also with -fcoroutines" build \
        'vftrace-c++ -std=c++17 -fcoroutines -O2 coroutine.cpp -o prog' 'calls='

if have cmake; then
    mkdir cmake_project
    fortran_language=
    if have gfortran; then fortran_language=Fortran; fi
    cat >cmake_project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.15)
project(example LANGUAGES C CXX $fortran_language)
add_library(middle SHARED ../middle.c)
add_executable(prog ../outer.c)
target_link_libraries(prog PRIVATE middle)
add_executable(hello ../hello.cpp)
END
    if [ -n "$fortran_language" ]; then
        printf 'program p\nend program\n' >cmake_project/f.f90
        cat >>cmake_project/CMakeLists.txt <<END
add_executable(mixed f.f90 ../hello.cpp)
target_compile_definitions(mixed PRIVATE main=cxx_main)
set_target_properties(mixed PROPERTIES LINKER_LANGUAGE Fortran)
END
    fi
    check "cmake" build 'cmake -S cmake_project -B cmake_build -DCMAKE_C_COMPILER=vftrace-cc \
        -DCMAKE_CXX_COMPILER=vftrace-c++ -DCMAKE_Fortran_COMPILER=vftrace-fc &&
        cmake --build cmake_build && cp cmake_build/prog prog' 'calls=2'
    check "cmake knows the compiler" grep -rq 'CMAKE_CXX_COMPILER_ID "GNU"' \
        cmake_build/CMakeFiles --include=CMakeCXXCompiler.cmake
else
    skip "cmake"
fi
if have autoconf; then
    mkdir autoconf_project
    (
        cd autoconf_project || exit
        cat >configure.ac <<'END'
AC_INIT([x],[1])
AC_PROG_CC
AC_PROG_CXX
AC_CHECK_HEADERS([stdio.h no_such.h])
AC_CHECK_FUNCS([printf no_such_function])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
        printf 'prog: ../hello.c\n\t@CC@ @CFLAGS@ ../hello.c -o ../prog\n' >Makefile.in
        autoconf
    ) >log 2>&1
    check "autoconf" build \
        '(cd autoconf_project && ./configure CC=vftrace-cc CXX=vftrace-c++ && make)' 'calls='
    check "autoconf finds what is there and no more" contains autoconf_project/config.log \
        ac_cv_func_printf=yes ac_cv_func_no_such_function=no ac_cv_header_no_such_h=no
else
    skip "autoconf"
fi

# ---- Hooks in prologues ----------------------------------------------------------------------------

if [ "$(uname -m)" = x86_64 ]; then
    mkdir "$prefix/lib/vftrace"
    cp "$source_dir/scripts/prologue-hooks.specs" "$prefix/lib/vftrace"
    gcc -c "$source_dir/scripts/empty_hooks.c" -o "$prefix/lib/vftrace/empty-hooks.o"
    gcc -c "$source_dir/scripts/return_hook.c" -o "$prefix/lib/vftrace/return-hook.o"
    cat >prologues.c <<'END'
long prologues, epilogues;
__asm__(".globl vftrace_function_entry, __return__\n"
        ".type vftrace_function_entry, @function\n.type __return__, @function\n"
        ".globl vftrace_function_entry_hook, vftrace_return_hook\n"
        ".type vftrace_function_entry_hook, @function\n.type vftrace_return_hook, @function\n"
        "vftrace_function_entry: vftrace_function_entry_hook: incq prologues(%rip); ret\n"
        "__return__: vftrace_return_hook: incq epilogues(%rip); ret\n");
int printf(const char *, ...);
__attribute__((destructor)) static void tell(void) {
    printf("prologues=%ld epilogues=%ld\n", prologues, epilogues);
}
END
    gcc -O1 -fPIC -fvisibility=hidden -c prologues.c || exit 99
    gcc -shared -Wl,-soname,libvftrace.so.0 -o "$prefix/lib/libvftrace.so.0" standin.o prologues.o \
        $module || exit 99
    cat >twice.c <<'END'
__attribute__((noinline)) static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
int main(int argc, char **argv) { (void)argv; return twice(argc) + thrice(argc) - 5; }
END
    both='prologues=2 epilogues=2'
    neither='prologues=0 epilogues=0'
    check "optimised code has its hooks behind inlining" build \
        'vftrace-cc -O2 twice.c -o prog' "$both" 'calls=0'
    check "  in two steps" build 'vftrace-cc -c -O1 twice.c && vftrace-cc twice.o -o prog' "$both"
    check "  optimised at link time" build 'vftrace-cc -flto -O2 twice.c -o prog' "$both"
    check "  and in two steps" build \
        'vftrace-cc -flto -O2 -c twice.c && vftrace-cc -flto twice.o -o prog' "$both"
    check "  and in C++" build \
        'vftrace-c++ -flto -O2 -c hello.cpp && vftrace-c++ -flto hello.o -o prog' 'calls=0'
    check "  but not twice" build \
        'vftrace-cc -flto -O2 -c --vftrace-all twice.c && vftrace-cc -flto --vftrace-all twice.o -o prog' "$neither" 'calls=3'
    check "  in C++" build 'vftrace-c++ -O2 hello.cpp -o prog' 'calls=0' 'region [c++]'
    check "  without position independence" build \
        'vftrace-cc -O2 -no-pie -fno-pie twice.c -o prog' "$both"
    check "  without linkage table" build 'vftrace-cc -O2 -fno-plt twice.c -o prog' "$both"
    check "  in a program that is profiled by gprof too" build \
        'vftrace-cc -O2 -pg twice.c -o prog' "$neither" 'calls=3'
    rm -f gmon.out
    check "  with a stack that is split, for which gold reads the prologues" build \
        'vftrace-cc -O2 -fsplit-stack twice.c -o prog' "$neither" 'calls=3'
    if ld.gold --version >/dev/null 2>&1; then
        check "  linked by gold" build \
            'vftrace-cc -O2 -fsplit-stack -fuse-ld=gold twice.c -o prog' "$neither" 'calls=3'
    fi
    check "code that is not optimised has the others" build \
        'vftrace-cc twice.c -o prog' "$neither" 'calls=3'
    check "  the last -O counts" build 'vftrace-cc -O2 -O0 twice.c -o prog' "$neither" 'calls=3'
    check "--vftrace-all has the others" build \
        'vftrace-cc --vftrace-all -O2 twice.c -o prog' "$neither" 'calls=3'
    check "own flags of instrumentation stay" build \
        'vftrace-cc -O2 -finstrument-functions-exclude-function-list=thrice twice.c -o prog' \
        "$neither" 'calls=2'
    printf 'int twice(int x) { return 2 * x; }\n' >part.c
    printf 'int twice(int); int main(void) { return twice(0); }\n' >user.c
    check "a shared library is of use without vftrace" sh -c \
        'vftrace-cc -O2 -fPIC -shared part.c -o libpart.so && gcc user.c ./libpart.so -o prog && ./prog'
    check "  and calls its hooks with it" build \
        'vftrace-cc -O2 user.c ./libpart.so -o prog' "$both"
    if [ -n "$module" ]; then
        check "  in Fortran" build 'vftrace-fc -O2 hello.f90 -o prog' 'calls=0' 'region [f ]' \
            'prologues='
        check "  not $neither" not grep -q "$neither" out
    fi
else
    skip "hooks in prologues: for x86-64"
fi

[ "$failures" -eq 0 ]
