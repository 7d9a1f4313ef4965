/* What the command says of itself as a whole: `ashlar help` and `ashlar version`, and the options of the same names. */
#include "cli/general.h"

#include "cli/command.h"
#include "cli/help.h"

#include <stdio.h>

int ashi_general_help(void)
{
    const ashi_command *c = NULL;
    puts("Usage: ashlar COMMAND [ARGUMENT...]\n\n"
         "Plan and run products of matrices that are spread over many processes, moving\n"
         "close to the least data that can be moved.\n");
    for (int i = 0; (c = ashi_command_at(i)) != NULL; i++) {
        char text[160];
        snprintf(text, sizeof text, "%s%s", c->summary, c->mpi ? " (under mpirun)" : "");
        ashi_help_row(c->name, text);
    }
    puts("");
    ashi_help_row("-h, --help", "show this text and end");
    ashi_help_row("-V, --version", "show the version and end");
    puts("\n'ashlar COMMAND --help' or 'ashlar help COMMAND' says more, and so does the\nmanual: man ashlar.");
    return ASHI_EXIT_DONE;
}

int ashi_general_version(void)
{
    printf("ashlar %s\n", ashlar_version());
    return ASHI_EXIT_DONE;
}

static ashi_usage help_usage(char words[ASHI_COMMAND_WORDS])
{
    ashi_command_words(words);
    return (ashi_usage){.command = "help", .synopsis = "[COMMAND]",
                        .summary = "Explain a command and its options, or list the commands.",
                        .example = "ashlar help plan", .least = 0, .most = 1, .words = words};
}

void ashi_describe_help(ashi_usage_use use, void *context)
{
    char words[ASHI_COMMAND_WORDS];
    const ashi_usage usage = help_usage(words);
    use(&usage, context);
}

static void print_usage(const ashi_usage *usage, void *context)
{
    (void)context;
    ashi_help_print(usage);
}

int ashi_command_help(int argc, char **argv)
{
    char words[ASHI_COMMAND_WORDS];
    const ashi_usage usage = help_usage(words);
    int count = 0;
    const int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status >= 0)
        return status;
    if (count == 0)
        return ashi_general_help();
    const ashi_command *c = ashi_command_named(argv[1]);
    if (!c)
        return ashi_command_unknown(argv[1]);
    c->describe(print_usage, NULL);
    return ASHI_EXIT_DONE;
}

static const ashi_usage version_usage = {.command = "version", .synopsis = "", .summary = "Show the version of Ashlar.",
                                         .example = "ashlar version"};

void ashi_describe_version(ashi_usage_use use, void *context)
{
    use(&version_usage, context);
}

int ashi_command_version(int argc, char **argv)
{
    int count = 0;
    const int status = ashi_options_parse(&version_usage, argc, argv, true, &count);
    return status >= 0 ? status : ashi_general_version();
}
