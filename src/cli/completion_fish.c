/* The completion script of fish. */
#include "cli/completion.h"

#include <stdio.h>

static void begin_line(const char *command)
{
    printf("complete -c ashlar -n '__ashlar_runs %s'", command);
}

static void end_line(const char *help)
{
    fputs(" -d ", stdout);
    ashi_completion_quoted(help, "\\", "\\'");
    putchar('\n');
}

/* What an option's value may be; -x is a value that is no file. */
static void value(const ashi_option *o)
{
    switch (o->kind) {
    case ASHI_FLAG:
        break;
    case ASHI_FILE:
        fputs(" -r -F", stdout);
        break;
    case ASHI_FOLDER:
        fputs(" -x -a '(__fish_complete_directories)'", stdout);
        break;
    case ASHI_NAME:
    case ASHI_CHOICE:
        fputs(" -x -a '", stdout);
        ashi_completion_words(o->allowed, " ");
        putchar('\'');
        break;
    default:
        fputs(" -x", stdout);
    }
}

static void command_lines(const ashi_usage *u, void *context)
{
    const ashi_command *c = context;
    putchar('\n');
    printf("complete -c ashlar -n __ashlar_begins -a %s", c->name);
    end_line(c->summary);
    if (u->files) {
        begin_line(c->name);
        puts(" -F");
    }
    if (u->words) {
        begin_line(c->name);
        fputs(" -a '", stdout);
        ashi_completion_words(u->words, " ");
        puts("'");
    }
    for (int i = 0; i < u->option_count; i++) {
        begin_line(c->name);
        printf(" -l %s", u->options[i].name);
        if (u->options[i].letter)
            printf(" -s %c", u->options[i].letter);
        value(&u->options[i]);
        end_line(u->options[i].help);
    }
    begin_line(c->name);
    fputs(" -l help -s h", stdout);
    end_line("show the options and end");
}

void ashi_completion_fish(void)
{
    puts("# Completes the command line of ashlar in fish; written by 'ashlar completion fish'.\n\n"
         "function __ashlar_begins\n"
         "    test (count (commandline -opc)) -eq 1\n"
         "end\n\n"
         "function __ashlar_runs\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
         "end\n\n"
         "complete -c ashlar -f\n"
         "complete -c ashlar -n __ashlar_begins -l help -s h -d 'list the commands'\n"
         "complete -c ashlar -n __ashlar_begins -l version -s V -d 'show the version'");
    ashi_completion_each(command_lines);
}
