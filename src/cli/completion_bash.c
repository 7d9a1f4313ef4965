/* The completion script of bash. */
#include "cli/completion.h"

#include <stdio.h>

/* A case for each option with a value: $kind of completion and $words. */
static void value_cases(const ashi_usage *u, void *context)
{
    (void)context;
    for (int i = 0; i < u->option_count; i++) {
        const ashi_option *o = &u->options[i];
        if (o->kind == ASHI_FLAG)
            continue;
        printf("    '%s --%s'", u->command, o->name);
        if (o->letter)
            printf(" | '%s -%c'", u->command, o->letter);
        const bool words = o->kind == ASHI_NAME || o->kind == ASHI_CHOICE;
        printf(") kind=%s", words ? "words" : o->kind == ASHI_FILE ? "files" :
                            o->kind == ASHI_FOLDER ? "folders" : "none");
        if (words) {
            fputs(" words='", stdout);
            ashi_completion_words(o->allowed, " ");
            putchar('\'');
        }
        puts(" ;;");
    }
}

static void option_case(const ashi_usage *u, void *context)
{
    (void)context;
    printf("    %s) words='", u->command);
    for (int i = 0; i < u->option_count; i++) {
        printf("--%s ", u->options[i].name);
        if (u->options[i].letter)
            printf("-%c ", u->options[i].letter);
    }
    puts("--help -h' ;;");
}

static void argument_case(const ashi_usage *u, void *context)
{
    (void)context;
    if (u->files)
        printf("    %s) kind=files ;;\n", u->command);
    if (!u->words)
        return;
    printf("    %s) kind=words words='", u->command);
    ashi_completion_words(u->words, " ");
    puts("' ;;");
}

static void write_main(void)
{
    puts("# Bash parts a line at = too, unless its user has it not: both are met.\n"
         "_ashlar()\n"
         "{\n"
         "    local command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local kind=words words= head=\n"
         "    COMPREPLY=()\n"
         "    if [[ $current == = ]]; then\n"
         "        current=\n"
         "    elif [[ $before == = ]]; then\n"
         "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    elif [[ $current == --*=* ]]; then\n"
         "        before=${current%%=*} head=${current%%=*}= current=${current#*=}\n"
         "    fi\n"
         "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "        _ashlar_commands\n"
         "    elif ! _ashlar_value \"$command $before\"; then\n"
         "        if [[ $current == -* ]]; then _ashlar_options \"$command\"; else _ashlar_argument \"$command\"; fi\n"
         "    fi\n"
         "    case $kind in\n"
         "    words) mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- \"$current\") ;;\n"
         "    files | folders)\n"
         "        local action=-f\n"
         "        if [[ $kind == folders ]]; then action=-d; fi\n"
         "        compopt -o filenames 2> /dev/null\n"
         "        mapfile -t COMPREPLY < <(compgen -P \"$head\" $action -- \"$current\") ;;\n"
         "    esac\n"
         "}\n"
         "complete -F _ashlar ashlar");
}

void ashi_completion_bash(void)
{
    char commands[ASHI_COMMAND_WORDS];
    ashi_command_words(commands);
    puts("# Completes the command line of ashlar in bash; written by 'ashlar completion bash'.\n\n"
         "# The value after an option, given as 'COMMAND OPTION'; false if it takes none.\n"
         "_ashlar_value()\n{\n    case $1 in");
    ashi_completion_each(value_cases);
    puts("    *) return 1 ;;\n    esac\n}\n\n_ashlar_options()\n{\n    case $1 in");
    ashi_completion_each(option_case);
    puts("    esac\n}\n\n_ashlar_argument()\n{\n    kind=none\n    case $1 in");
    ashi_completion_each(argument_case);
    fputs("    esac\n}\n\n_ashlar_commands()\n{\n    words='", stdout);
    ashi_completion_words(commands, " ");
    puts(" --help -h --version -V'\n}\n");
    write_main();
}
