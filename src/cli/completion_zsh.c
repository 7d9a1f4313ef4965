/* The completion script of zsh. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

static const char quote[] = "'\\''";

/* ":MESSAGE:ACTION" of an option's value. */
static void value(const ashi_option *o)
{
    const bool words = o->kind == ASHI_NAME || o->kind == ASHI_CHOICE;
    if (o->kind == ASHI_FLAG)
        return;
    printf(":%s:", o->argument ? o->argument : "value");
    if (o->kind == ASHI_FILE)
        fputs("_files", stdout);
    else if (o->kind == ASHI_FOLDER)
        fputs("_files -/", stdout);
    else if (words) {
        putchar('(');
        ashi_completion_words(o->allowed, " ");
        putchar(')');
    } else
        putchar(' ');
}

/* '(-o --output)'{-o+,--output=}'[HELP]:FILE:_files' */
static void option_spec(const ashi_option *o)
{
    char help[512];
    snprintf(help, sizeof help, "%s", o->help);
    fputs("            ", stdout);
    if (o->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, o->kind == ASHI_FLAG ? "" : "+", o->name,
               o->kind == ASHI_FLAG ? "" : "=");
    else
        printf("'--%s%s[", o->name, o->kind == ASHI_FLAG ? "" : "=");
    for (const char *c = help; *c; c++)
        if (*c == '\'')
            fputs(quote, stdout);
        else
            printf("%s%c", strchr("[]:\\", *c) ? "\\" : "", *c);
    putchar(']');
    value(o);
    puts("' \\");
}

static void command_case(const ashi_usage *u, void *context)
{
    const ashi_command *c = context;
    printf("        %s)\n        _arguments \\\n", c->name);
    for (int i = 0; i < u->option_count; i++)
        option_spec(&u->options[i]);
    if (u->files)
        puts("            '*:file:_files' \\");
    if (u->words) {
        fputs("            '1:word:(", stdout);
        ashi_completion_words(u->words, " ");
        puts(")' \\");
    }
    puts("            '(-h --help)'{-h,--help}'[show the options and end]' ;;");
}

static void command_row(const ashi_usage *u, void *context)
{
    const ashi_command *c = context;
    char row[256];
    (void)u;
    snprintf(row, sizeof row, "%s:%s", c->name, c->summary);
    fputs("        ", stdout);
    ashi_completion_quoted(row, "\\", quote);
    putchar('\n');
}

void ashi_completion_zsh(void)
{
    puts("#compdef ashlar\n"
         "# Completes the command line of ashlar in zsh; written by 'ashlar completion zsh'.\n\n"
         "_ashlar()\n"
         "{\n"
         "    local context curcontext=$curcontext state state_descr line\n"
         "    typeset -A opt_args\n"
         "    local -a commands\n"
         "    commands=(");
    ashi_completion_each(command_row);
    puts("    )\n"
         "    _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)'{-V,--version}'[show the version]' \\\n"
         "        '1:command:->command' '*::argument:->argument' && return\n"
         "    case $state in\n"
         "    command) _describe command commands ;;\n"
         "    argument)\n"
         "        case $words[1] in");
    ashi_completion_each(command_case);
    puts("        esac ;;\n"
         "    esac\n"
         "}\n\n"
         "if [ \"$funcstack[1]\" = _ashlar ]; then _ashlar \"$@\"; else compdef _ashlar ashlar; fi");
}
