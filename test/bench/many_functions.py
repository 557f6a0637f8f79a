"""A program with many functions that have hooks, in assembler: compilers would take minutes."""
import subprocess

FUNCTION = """
\t.type\t{name}, @function
{binding}{name}:
\t.cfi_startproc
\tsubq\t$8, %rsp
\t.cfi_adjust_cfa_offset 8
\tleaq\t{name}(%rip), %rdi
\tmovq\t8(%rsp), %rsi
\tcall\t__cyg_profile_func_enter@PLT
\tleaq\t{name}(%rip), %rdi
\tmovq\t8(%rsp), %rsi
\tcall\t__cyg_profile_func_exit@PLT
\taddq\t$8, %rsp
\t.cfi_adjust_cfa_offset -8
\tret
\t.cfi_endproc
{padding}\t.size\t{name}, .-{name}
"""

# Calls as many of the functions as the argument says; prints the seconds of processor time of the calls.
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
extern void (*const functions[])(void);
int main(int count, char **arguments) {
    const clock_t start = clock();
    for (int i = 0; i < atoi(arguments[1]); i++)
        functions[i]();
    if (count > 2)
        printf("%f\\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
"""


def write_assembler(path, functions, prefix="function_", table="functions", binding="", padding=""):
    """Functions `prefix`0 and so on, and a table of them. `binding` and `padding` are lines of a
    function, in which {name} is its name: its binding, and what fills the space after it."""
    names = [f"{prefix}{n}" for n in range(functions)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\t.text\n")
        for name in names:
            file.write(FUNCTION.format(name=name, binding=binding.format(name=name),
                                       padding=padding))
        file.write(f'\t.section .data.rel.ro,"aw"\n\t.globl {table}\n{table}:\n')
        for name in names:
            file.write(f"\t.quad {name}\n")
        file.write('\t.section .note.GNU-stack,"",@progbits\n')


def build_program(folder, functions):
    """Builds the executable in the folder and returns it."""
    source, main, program = (folder / name for name in ("functions.s", "main.c", "many_functions"))
    write_assembler(source, functions)
    main.write_text(MAIN)
    subprocess.run(["gcc", "-O1", source, main, "-o", program], check=True)
    return program
