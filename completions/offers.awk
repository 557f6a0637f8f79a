# Completions for zsh and fish from the --help of commands, so that they match the installed
# version. Inserted into the completion files when vftrace is built; this file must not contain
# single quotes or doubled backslashes.
#
# Variables: command ("config check", "" for vftrace itself), previous and current word. Prints lines with WORD, a tab and
# DESCRIPTION, or one line that describes what else to offer: ":files ENDING|ENDING", where "*" is any file, ":folders",
# ":settings", the options of the configuration, or ":nothing" if any value is allowed.
{ line[NR] = $0 }

function endings_of_files(of) {
    if (of == "report") return "json|vfd"
    if (of ~ /^(merge|model|parameters|filter|store add|config check|vftrace_check_config)$/) return "json"
    if (of ~ /^(diff|vftrace_diff_profiles)$/) return "json|log"
    if (of == "recover") return "tree|tmpvfd"
    if (of ~ /^(dump|analyze|vftrace_vfd_dump)$/) return "vfd"
    if (of == "export") return "vfd|json"
    if (of == "info") return "vfd|tmpvfd|json|tree"
    return ""
}

function endings_of_value(option) {
    if (option == "--library") return "so*"
    if (option ~ /^(--config|--parameters|--into)$/ || (option == "--output" && command ~ /^(merge|parameters)$/)) return "json"
    return "*"
}

# Reads the option at the start of a line: sets its names, the kind of its value ("" without a value) and its description.
function read_option(text, following) {
    if (substr(following, 1, 30) == sprintf("%30s", "")) {
        description = substr(following, 31)
    } else {
        description = substr(text, 31)
        text = substr(text, 1, 30)
    }
    sub(/^ +/, "", text)
    count = split(text, part, " ")
    names = part[1]
    optional = sub(/[[].*/, "", names)
    kind = optional || count < 2 || part[2] ~ /^(REQUIRED|Excludes:)$/ ? "" : part[2]
    long = names
    sub(/^-.,/, "", long)
}

function offer_value() {
    if (long == "--format" && formats) {
        printf "%s", formats
    } else if (kind ~ /:[{]/) {
        sub(/^[^{]*[{]/, "", kind)
        sub(/[}].*/, "", kind)
        gsub(/,/, "\n", kind)
        print kind
    } else if (kind ~ /^DIR/) {
        print ":folders"
    } else if (kind ~ /(^|[|])(FILE|PROFILE)/) {
        print ":files " endings_of_value(long)
    } else if (kind ~ /^KEY=/) {
        print ":settings"
    } else {
        print ":nothing"
    }
}

END {
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^[A-Z][a-z]+:$/ || line[i] == "") {
            section = line[i]
        } else if (section == "Formats:" && match(line[i], /^  [a-z0-9-]+ +/)) {
            split(line[i], part, " ")
            formats = formats part[1] "\t" substr(line[i], RLENGTH + 1) "\n"
        } else if (section ~ /^(Subc|C)ommands:$/ && match(line[i], /^  [a-z]+ +/)) {
            split(line[i], part, " ")
            commands = commands part[1] "\t" substr(line[i], RLENGTH + 1) "\n"
        }
    }
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^[A-Z][a-z]+:$/ || line[i] == "")
            section = line[i]
        if (section != "Options:" || line[i] !~ /^  -/)
            continue
        read_option(line[i], line[i + 1])
        options = options long "\t" description "\n"
        if (kind != "" && index("," names ",", "," previous ",")) {
            offer_value()
            exit
        }
    }
    if (current ~ /^-/)
        printf "%s", options ? options : "--help\t\n--version\t\n"
    else if (commands)
        printf "%s", commands
    else
        print endings_of_files(command) ? ":files " endings_of_files(command) : ":nothing"
}
