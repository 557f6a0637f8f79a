"""Everyday programs, and a check that they behave under `vftrace run` as they do alone.

A row of PROGRAMS is a command line; `< FILE` after it is its standard input. Its files are those of
make_inputs(). A row must print the same each time it runs; output must not depend on the time,
process ids or the machine. USUAL are the programs that exist on every Debian system that can build vftrace.
"""
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess

from support import COMMAND, clean_environment

USUAL = r"""
ls -lnR --time-style=+%Y --block-size=1 tree
cat -A words.txt numbers.txt
sort -n -r numbers.txt
sort --parallel=4 -S 100K words.txt
uniq -c < words.txt
wc words.txt numbers.txt table.csv
cut -d, -f2,3 table.csv
tr a-z A-Z < words.txt
sha256sum words.txt numbers.txt
grep -n -E "an|er" words.txt
grep absent words.txt
sed -e "s/a/A/g" -e "2,4d" words.txt
awk -F, "{ total += $2; print $1, total }" table.csv
find tree -type f -name "*.txt" -exec wc -c {} ;
diff words.txt numbers.txt
tar --sort=name --mtime=@0 --owner=0 --group=0 -czf made.tar.gz tree words.txt
gzip -9 -n -k words.txt
sh script.sh one two
bash -c "for i in 1 2 3; do (echo $i | tr 1-3 a-c; exit $i) & wait $!; echo $?; done; false | true; echo ${PIPESTATUS[@]}"
python3 -c "import hashlib, json, re, threading; [threading.Thread(target=print).run() for _ in 'ab']; print(hashlib.md5(b'x').hexdigest(), json.dumps({'b': 1}))"
perl -e "print join(' ', map { $_ ** 2 } 1..20), qq(\n); exit 7"
gcc -O1 -Wall -o program program.c
make -j2 -f rules.mk
ld --help
"""

FURTHER = r"""
# coreutils
head -n 3 words.txt
tail -n 2 words.txt
tac words.txt
nl words.txt
fold -w 7 words.txt
fmt -w 20 words.txt
expand words.txt
paste words.txt numbers.txt
join words.txt words.txt
comm words.txt words.txt
split -l 3 words.txt piece.
csplit words.txt 3 5
base64 words.txt
base32 words.txt
md5sum words.txt
sha1sum words.txt
sha512sum words.txt
b2sum words.txt
cksum words.txt
sum words.txt
od -c words.txt
seq 1 7 100
factor 123456789 9999999967 18446744073709551557
expr 6 * 7
printf "%05d %s\n" 42 text
echo one two
basename /a/b/c.txt .txt
dirname /a/b/c.txt
realpath tree/../words.txt
readlink -f words.txt
stat -c "%s %f %F" words.txt
cp -r tree copy
mv words.txt moved.txt
ln -s words.txt link
mkdir -p a/b/c
rmdir tree
rm -r tree
touch new.txt
chmod 600 words.txt
truncate -s 1000 words.txt
dd if=words.txt of=out.bin bs=10 count=3 status=none
tee copy.txt < words.txt
shuf --random-source=numbers.txt words.txt
tsort < pairs.txt
test -f words.txt
[ 1 -gt 2 ]
true
false
sleep 0.01
pwd
date -u -d @0
numfmt --to=iec 123456789
ptx words.txt
pr -l 20 -h title words.txt
env -i echo nothing
nohup echo text
timeout 5 echo text
timeout 0.2 sleep 5
nice echo text
stdbuf -o0 echo text
xargs -n 2 echo < words.txt
xargs -P 4 -n 1 sh -c "exit 0" < words.txt
sh -c "kill -TERM $$"
sh -c "kill -SEGV $$"
sh -c "ulimit -c 0; kill -ABRT $$"
env
printenv PATH
# text
egrep -c a words.txt
gawk "BEGIN { for (i = 0; i < 1e5; i++) s += sin(i); printf \"%.6f\\n\", s }"
mawk "{ n[$1]++ } END { for (w in n) c += n[w]; print c }" words.txt
sed -n "$=" words.txt
ed -s words.txt < edit.ed
diff3 words.txt words.txt numbers.txt
cmp words.txt numbers.txt
patch words.txt words.patch
wdiff words.txt words.txt
diffstat words.patch
column -t -s, table.csv
rev words.txt
hexdump -C words.txt
xxd words.txt
look w words.txt
dos2unix -n words.txt unix.txt
iconv -f UTF-8 -t UTF-16LE words.txt
file words.txt program.c page.xml
datamash -t, sum 2 < table.csv
csvtool col 1,3 table.csv
sponge copied.txt < words.txt
tree tree
indent program.c -o indented.c
astyle < program.c
ctags -x program.c
html2text page.xml
enscript -q -p - words.txt -B --word-wrap -o /dev/null
groff -Tascii -man page.1
tidy -q -xml page.xml
xmllint --format page.xml
xsltproc style.xsl page.xml
jq -S .values data.json
m4 macros.m4
units -t "3 miles" km
figlet vftrace
toilet vftrace
perl /usr/games/cowsay text
# archives
bzip2 -k words.txt
xz -k -T2 words.txt
zstd -q -k -T2 words.txt
lz4 -q -k words.txt words.lz4
lzip -k words.txt
brotli -k words.txt
pigz -n -k -p 4 words.txt
pbzip2 -k -p4 words.txt
cpio -o -H newc --reproducible < pairs.txt
zip -X -q made.zip numbers.txt
7z h -bd -mmt=2 words.txt
rsync -a tree/ copy/
ar rcD made.a numbers.txt
# numbers
bc -l < sum.bc
dc -e "2 200 ^ p"
gp -q -f < sum.gp
gnuplot -e "set term dumb; plot x*x"
octave-cli --eval "disp(inv([1 2; 3 4]))"
maxima --very-quiet --batch-string="factor(x^4-1);"
# languages
python3 -c "import multiprocessing as m; p = m.Pool(2); print(p.map(abs, range(-5, 5))); p.close(); p.join()"
python3 -c "import subprocess; print(subprocess.run(['sh', '-c', 'echo in; exit 3'], capture_output=True))"
python3 -c "import threading; t = [threading.Thread(target=lambda: sum(range(100000))) for _ in range(8)]; [x.start() for x in t]; [x.join() for x in t]; print(len(t))"
python3 -c "import os; pid = os.fork(); os._exit(0) if pid == 0 else print(os.waitpid(pid, 0)[1])"
python3 -c "import signal, time; signal.setitimer(signal.ITIMER_REAL, .05); signal.signal(signal.SIGALRM, lambda *a: print('alarm')); time.sleep(.3)"
python3 -c "import ctypes; print(ctypes.CDLL(None).strlen(b'four'))"
python3 -c "raise SystemExit('failed')"
python3 -c "1/0"
python3 -c "import faulthandler, ctypes; ctypes.string_at(0)"
perl -e "use threads; my @t = map { threads->create(sub { $_[0] ** 2 }, $_) } 1..4; print join(' ', map { $_->join } @t), qq(\n)"
perl -e "fork or exit 3; wait; print $? >> 8, qq(\n); print sort { $a cmp $b } <STDIN>" < words.txt
ruby -e "puts (1..100).reduce(:+); puts [3,1,2].sort.inspect"
ruby -e "t = (1..4).map { |i| Thread.new { i * i } }; puts t.map(&:value).inspect; GC.start; exit 5"
lua5.4 -e "local t = {} for i = 1, 1000 do t[i] = i * i end print(#t, t[1000])"
lua5.1 -e "print(string.rep('ab', 3)) error('failed')"
tclsh8.6 script.tcl
guile-3.0 --no-auto-compile -c "(display (apply + (iota 1000))) (newline)"
php -n -r "echo array_sum(range(1, 1000)), PHP_EOL; exit(4);"
nodejs -e "console.log([1, 2, 3].map(x => x * x)); setTimeout(() => process.exit(6), 10)"
nodejs -e "const { Worker } = require('worker_threads'); new Worker('require(\"worker_threads\").parentPort.postMessage(7)', { eval: true }).on('message', m => console.log(m))"
ocaml -noinit hello.ml
clisp -q -norc -x "(print (expt 2 100))"
swipl -g "X is 6 * 7, write(X), nl" -t halt
gforth -e "6 7 * . cr bye"
erl -noshell -eval "io:format(\"~p~n\", [lists:sum(lists:seq(1, 1000))])" -s init stop
java -Xint -XX:+UseSerialGC Hello.java
java -XX:+UseSerialGC -XshowSettings:none -version
go vet hello.go
go env GOOS
sqlite3 :memory: "create table t(a); with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000) insert into t select x from c; select sum(a) from t;"
dash -c "trap 'echo caught' EXIT; echo body; exit 9"
bash -c "coproc cat; echo text >&${COPROC[1]}; read -u ${COPROC[0]} line; echo $line; exec true"
bash -c "exec -a other sh -c 'echo $0'"
bash -c "ulimit -v 500000; sort words.txt"
bash -c "ulimit -n 20; cat words.txt | wc"
bash -c "exec 2>&-; ls words.txt absent.txt"
bash -c "cat words.txt | head -1"
zsh -f -c "print -l **/*.txt(N) | wc -l; exit 3"
fish --no-config -c "for i in 1 2; echo $i; end"
tcsh -f -c "foreach i (a b) echo $i end"
busybox sh -c "echo box; ls tree"
awk "BEGIN { system(\"exit 3\"); print \"ok\" | \"cat\" }"
expect -c "spawn -noecho echo text; expect eof"
# building
gcc -c -O2 program.c
gcc -E -P program.c
g++ -O1 -std=c++20 -o program program.cpp
gfortran -O1 -o program program.f90
gcc wrong.c
clang -O1 -o program program.c
as -o out.o empty.s
ld -o out empty.o
nm -D /bin/true
objdump -d --no-show-raw-insn /bin/false
readelf -h -l /bin/true
strip -o stripped /bin/true
strings -n 12 /bin/true
size /bin/true
objcopy --only-section=.text /bin/true out.o
c++filt _ZNSt6vectorIiSaIiEE9push_backEOi
cpp -P program.c
make -n -f rules.mk
cmake -S project -B cmake-made -G "Unix Makefiles" -Wno-dev --log-level=ERROR
ninja -f build.ninja -t commands
flex -o scanner.c scanner.l
bison -o parser.c parser.y
swig -python -o wrap.c wrap.i
nasm -f elf64 -o out.o empty.nasm
yasm -f elf64 -o out.o empty.nasm
autoconf --version
pkg-config --version
libtool --version
git init -q --initial-branch=main repository
git diff --no-index --stat words.txt numbers.txt
git hash-object words.txt
gdb -batch -nx -ex "print 6 * 7"
gdb -batch -nx -ex "info line main" /bin/true
strace -o /dev/null -f true
ltrace -o /dev/null true
valgrind -q true
openssl dgst -sha256 words.txt
openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -S 0102030405060708 -in words.txt -out words.enc
openssl prime 104729
gpg --version
curl --silent file:///etc/hostname
wget --version
xz --robot --list absent.xz
# pictures, data, sound
convert -size 64x64 gradient:red-blue -depth 8 ppm:made.ppm
convert -size 256x256 plasma:red-blue -seed 3 -blur 0x3 -depth 8 rgb:/dev/null
dot -Tplain graph.dot
neato -Tplain graph.dot
gs -q -dNODISPLAY -dBATCH -c "6 7 mul = quit"
qpdf --empty made.pdf --static-id
rsvg-convert -f svg -o out.svg picture.svg
optipng -version
cjpeg -quality 80 picture.ppm
sox -n -r 8000 -c 1 made.wav synth 0.1 sine 440
flac -s -f -o made.flac tone.wav
ncgen -o made.nc data.cdl
h5dump --version
# system
id -u
uname -s
getconf PAGE_SIZE
getent passwd root
locale -a
cal 1 2000
ncal 1 2000
getopt -o ab: -- -a -b text rest
flock words.txt echo locked
setsid -w echo text
time -f "" true
unshare -r true
taskset 1 echo text
mktemp -u --suffix=.x fixed
logger --version
mount --version
ps --version
lsof -v
"""

# Debian packages that contain those of the programs that Debian does not install by default.
PACKAGES = """autoconf bc bison brotli bsdextrautils busybox bzip2 clang clisp cmake cowsay cpio csvtool
curl datamash dc default-jdk-headless diffstat dos2unix ed enscript erlang-base expect figlet file
fish flac flex gawk gdb gfortran ghostscript git gnuplot-nox golang-go gpg graphviz groff guile-3.0
hdf5-tools html2text imagemagick indent astyle jq libjpeg-turbo-progs librsvg2-bin libtool-bin
libxml2-utils locales lsof ltrace lua5.1 lua5.4 lz4 lzip m4 mawk maxima moreutils nasm ncal
netcdf-bin ninja-build nodejs ocaml-nox octave openssl optipng p7zip-full pari-gp patch pbzip2
php-cli pigz pkg-config procps python3 qpdf rsync ruby sox sqlite3 strace swi-prolog-nox
swig tcl8.6 tcsh tidy time toilet tree units universal-ctags valgrind wamerican wdiff wget xsltproc
xxd xz-utils yasm zip zsh zstd gforth"""

FILES = {
    "words.txt": "".join(f"{word}\n" for word in sorted(
        "wander answer banana cherry harbour lantern marble orange paper river stone umber".split())),
    "numbers.txt": "".join(f"{i * 7919 % 1000}\n" for i in range(200)),
    "pairs.txt": "words.txt numbers.txt\nnumbers.txt table.csv\n",
    "table.csv": "one,1,x\ntwo,2,y\nthree,3,z\n",
    "script.sh": "#!/bin/sh\necho \"$0\" \"$#\" \"$@\"\nfor i in 1 2 3; do echo $i; done | sort -r\n"
                 "(exit 4)\necho $?\ncat <<END\n$(expr 6 \\* 7)\nEND\nexit 5\n",
    "script.tcl": "set total 0\nfor {set i 0} {$i < 1000} {incr i} {incr total $i}\nputs $total\nexit 2\n",
    "edit.ed": "1,2d\nw\nq\n",
    "words.patch": "--- words.txt\n+++ words.txt\n@@ -1,2 +1,2 @@\n-answer\n+answers\n banana\n",
    "page.xml": "<?xml version=\"1.0\"?>\n<html><head><title>t</title></head><body><p>text</p></body></html>\n",
    "style.xsl": "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\">"
                 "<xsl:template match=\"/\"><xsl:value-of select=\"//p\"/></xsl:template></xsl:stylesheet>\n",
    "data.json": "{\"values\": [3, 1, 2], \"name\": \"text\"}\n",
    "macros.m4": "define(`twice', `$1$1')twice(ab)\n",
    "page.1": ".TH PAGE 1 2000-01-01\n.SH NAME\npage \\- text\n",
    "sum.bc": "scale=20\ns=0\nfor (i=1;i<500;i++) s+=1/i\ns\n",
    "sum.gp": "print(sum(i=1,1000,1/i)); quit\n",
    "hello.ml": "print_endline (string_of_int (List.fold_left (+) 0 [1;2;3]))\n",
    "hello.go": "package main\n\nfunc main() {}\n",
    "Hello.java": "class Hello { public static void main(String[] a) { System.out.println(6 * 7); } }\n",
    "program.c": "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 6 * 7); return 0; }\n",
    "program.cpp": "#include <map>\n#include <string>\nint main() { std::map<std::string, int> m; return m[\"x\"]; }\n",
    "program.f90": "program p\n  print *, 6 * 7\nend program\n",
    "wrong.c": "int main(void) { return x; }\n",
    "empty.s": ".globl _start\n_start: ret\n",
    "empty.nasm": "global _start\n_start: ret\n",
    "rules.mk": "all: a b c\na b c:\n\t@echo made $@ >$@\n\t@cat $@\n.NOTPARALLEL:\n",
    "build.ninja": "rule copy\n  command = cp $in $out\nbuild copy.txt: copy words.txt\n",
    "scanner.l": "%option noyywrap\n%%\n[a-z]+ ;\n%%\n",
    "parser.y": "%token A\n%{\nint yylex(void); void yyerror(const char *);\n%}\n%%\ns: A s | ;\n%%\n",
    "wrap.i": "%module wrap\nint twice(int);\n",
    "graph.dot": "digraph { a -> b; b -> c; a -> c }\n",
    "picture.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><rect width=\"5\" height=\"5\"/></svg>\n",
    "picture.ppm": "P3\n2 2\n255\n255 0 0 0 255 0 0 0 255 9 9 9\n",
    "data.cdl": "netcdf data { dimensions: n = 2; variables: int v(n); data: v = 1, 2; }\n",
    "project/CMakeLists.txt": "cmake_minimum_required(VERSION 3.0)\nproject(p NONE)\n",
    "tree/a.txt": "a\n", "tree/deep/b.txt": "bb\n", "tree/deep/c.dat": "ccc\n",
}

# What we put into the environment: programs may print it.
OURS = re.compile(rb".*(LD_PRELOAD|VFTR_|_INJECTION64_PATH|ACC_PROFLIB|libvftrace).*\n?")
# Our messages on stderr: one line, and indented ones.
MESSAGES = re.compile(rb"^vftrace: .*\n(?: {9}.*\n)*", re.M)


def command_lines(rows):
    """[(arguments, file for stdin or None)] of the rows of a table."""
    result = []
    for row in rows.splitlines():
        if not row or row.startswith("# "):
            continue
        words = shlex.split(row)
        stdin = words[words.index("<") + 1] if "<" in words else None
        result.append((words[:words.index("<")] if stdin else words, stdin))
    return result


def make_inputs(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "home").mkdir()


def files_in(folder):
    """The files that a program has left: kind, permissions and content of every file, by path."""
    result = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = None
        if stat.S_ISLNK(mode):
            content = os.readlink(path)
        elif stat.S_ISREG(mode):
            content = path.read_bytes()
        result[str(path.relative_to(folder))] = (oct(mode), content)
    return result


class Trial:
    """Runs one command line alone and under `vftrace run` in the same folder, made anew each time."""

    WAYS = {"run": [], "run --sample": ["--sample"],
            "run, allocations counted": ["--option", "section.memory=allocations"],
            "run --sample --memory": ["--sample", "--memory", "--option", "memory.sample_bytes=20000"],
            "run, each allocation": ["--option", "memory.profile=all"],
            "run --sample --io": ["--sample", "--io"]}

    def __init__(self, words, stdin, folder):
        self.words, self.stdin = words, stdin
        self.folder = pathlib.Path(folder)
        self.work = self.folder / "work"

    def result(self, prefix=()):
        make_inputs(self.work)
        for name in ("out", "tmp"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        environment = clean_environment(
            HOME=self.work / "home", TMPDIR=self.folder / "tmp", TZ="UTC", LC_ALL="C.UTF-8",
            TERM="dumb", SOURCE_DATE_EPOCH=0, PYTHONHASHSEED=0, PYTHONDONTWRITEBYTECODE=1,
            COLUMNS=80, GOCACHE=self.folder / "tmp", VFTR_OUTPUT_DIRECTORY=self.folder / "out")
        environment["PATH"] = os.environ["PATH"] + ":/usr/games"
        with open(self.work / self.stdin if self.stdin else os.devnull, "rb") as stdin:
            process = subprocess.run([*prefix, *self.words], cwd=self.work, env=environment,
                                     stdin=stdin, capture_output=True, timeout=100)
        return {"status": process.returncode, "stdout": process.stdout, "stderr": process.stderr,
                "files": files_in(self.work)}

    def differences(self, way):
        """(verdict, what differs): "same", "same but for our variables", "varies" or "differs"."""
        alone = self.result()
        profiled = self.result([str(COMMAND), "run", *self.WAYS[way], "--"])
        profiled["stderr"] = MESSAGES.sub(b"", profiled["stderr"])
        different = [part for part in alone if alone[part] != profiled[part]]
        if not different:
            return "same", ""
        again = self.result()
        if any(again[part] != alone[part] for part in different):
            return "varies", ", ".join(different)
        if all(isinstance(alone[part], bytes) and
               OURS.sub(b"", alone[part]) == OURS.sub(b"", profiled[part]) for part in different):
            return "same but for our variables", ", ".join(different)
        return "differs", "\n".join(f"{part}: alone {show(alone[part])}\n{' ' * len(part)}  "
                                    f"{way} {show(profiled[part])}" for part in different)


def show(value):
    if isinstance(value, dict):
        return ", ".join(f"{name} ({hash(content) % 10000})" for name, content in value.items()
                         if name not in FILES)
    return repr(value)[:600]
