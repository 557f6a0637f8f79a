/* Words of an environment variable: "late,drop=3". */
#pragma once

#include <stdlib.h>
#include <string.h>

/* The number after `word=`, 1 for the bare word, 0 if it is not there. */
static inline long script_word(const char* variable, const char* word) {
    const char* text = getenv(variable);
    const size_t length = strlen(word);
    while (text && *text) {
        if (!strncmp(text, word, length) && strchr("=,", text[length]))
            return text[length] == '=' ? atol(text + length + 1) : 1;
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    return 0;
}
