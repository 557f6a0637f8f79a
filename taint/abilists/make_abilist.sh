#!/bin/sh
# make_abilist.sh OURS SANITIZERS LIBM LIBRARY...
# Prints the list of functions that the data-flow sanitizer reads in an analysis build: our list; the
# sanitizer's own list, without functions that are in ours; the functions of the C++ library. Functions
# that are only listed as not instrumented get the kind "discard", so that the program does not print
# warnings, and vftrace's kind "opaque", which means that labels are lost in them.
set -eu
export LC_ALL=C
ours=$1 sanitizers=$2 mathematics=$3
shift 3

cat "$ours"

# A function in our list hides its rows in the sanitizer's list. The results of functions of the mathematical library depend on
# their arguments; those that return a second result through a pointer are left out.
{ [ ! -f "$mathematics" ] || nm -D --defined-only "$mathematics"; } | awk '
    $2 ~ /^[TWi]$/ { sub(/@.*/, "", $3) }
    $2 ~ /^[TWi]$/ && $3 !~ /^_|^(sincos|frexp|remquo|lgamma.*_r)|^f[es]/ && !($3 in seen) { seen[$3] = 1; print $3 }' |
    awk -F '[:=]' -v ours="$ours" '
    BEGIN {
        while ((getline line < ours) > 0)
            if (line ~ /^fun:/) {
                split(line, parts, /[:=]/)
                if (parts[3] != "uninstrumented")
                    hidden[parts[2]] = 1
                known[parts[2]] = 1
            }
        for (name in hidden)
            print "fun:" name "=uninstrumented"
    }
    NF == 1 && $1 != "" && $1 !~ /^#/ {
        if (!($1 in hidden)) {
            print "fun:" $1 "=uninstrumented"
            print "fun:" $1 "=functional"
            has_kind[$1] = 1
        }
        next
    }
    !/^fun:/ { next }
    $2 in hidden { next }
    { rows[++count] = $0; name_of[count] = $2; kind_of[count] = $3 }
    $3 != "uninstrumented" { has_kind[$2] = 1 }
    END {
        for (i = 1; i <= count; i++) {
            print rows[i]
            if (kind_of[i] == "uninstrumented" && !(name_of[i] in has_kind) && !(name_of[i] in done)) {
                done[name_of[i]] = 1
                print "fun:" name_of[i] "=discard"
                print "fun:" name_of[i] "=opaque"
            }
        }
    }' - "$sanitizers"

# Strings of the C++ library are left out, because they are compiled with the program. Functions that allocate, and those
# of streams and similar classes, return pointers that do not depend on anything; the results of the others depend on
# their arguments.
for library; do
    [ -f "$library" ] && nm -D --defined-only "$library"
done | awk -v ours="$ours" '
    BEGIN {
        while ((getline line < ours) > 0)
            if (split(line, parts, /[:=]/) == 3)
                seen[parts[2]] = 1
    }
    $2 !~ /^[TWViu]$/ { next }
    { sub(/@.*/, "", $3) }
    $3 !~ /^_Z/ { if ($3 ~ /^_(Unwind|_cxa|_gxx|_dynamic_cast)/ && !($3 in seen)) { seen[$3] = 1; other[++others] = $3 } next }
    $3 ~ /^_ZT/ { next }
    $3 ~ /^_ZN?K?St7__cxx1112basic_stringI[cw]/ || $3 ~ /^_ZNKSt7__cxx1112basic_stringI[cw]/ || $3 ~ /^_ZNK?S[sb]/ { next }
    $3 in seen { next }
    { seen[$3] = 1
      print "fun:" $3 "=uninstrumented"
      print "fun:" $3 "=" ($3 ~ /^_Z(nw|na|dl|da)/ || $3 ~ /S[oid]|stream|locale|ios|buf|facet|throw|__cxx11/ ? "discard" : "functional") }
    END { for (i = 1; i <= others; i++) { print "fun:" other[i] "=uninstrumented"; print "fun:" other[i] "=discard" } }'
