/* What the parts of `ashlar contract` share. */
#ifndef ASHI_CLI_CONTRACT_H
#define ASHI_CLI_CONTRACT_H

#include "cli/multiply.h"
#include "exec/trace.h"
#include "tensor/expression.h"

/* A run in progress. Zeroed at first. */
typedef struct ashi_contract_job {
    const ashi_multiply_wishes *wish; /* input[2]: what is added */
    const char *text;           /* the expression as typed */
    const char *operand[ASHI_OPERANDS_MOST]; /* their files, NULL behind the last */
    const char *scratch;        /* a folder for scratch files, or NULL */
    ashi_expression expression;
    int column;                 /* of the text that the last error is about, from 1; 0: none */
    ashlar_context *context;
    bool loud;                  /* this rank shows progress */
    ashlar_tensor_file *in[ASHI_OPERANDS_MOST], *added, *out;
    ashlar_type type;
    ashlar_contraction_plan *plan;
    ashlar_contraction_explanation why;
    unsigned char alpha[16], beta[16]; /* one element of the type each */
    ashi_threads threads;
    ashlar_verdict verdict;     /* if wish->check */
    ashlar_figures predicted, measured;
    ashi_device_report device;  /* if wish->device */
    ashi_multiply_times took;
    ashi_output stats, trace;   /* on rank 0, where asked for */
    ashi_trace *events;         /* of all products, if wish->trace */
    bool stats_begun, trace_begun;
} ashi_contract_job;

/* As rank 0 sees the files: what is written is not another of them. Collective. */
ashlar_status ashi_contract_check_files(const ashi_contract_job *job, const char *machine, ashlar_error *err);

/* Open operands and what is added, and settle type, extents and scalars. Collective. */
ashlar_status ashi_contract_open_inputs(ashi_contract_job *job, ashlar_error *err);

/* Begin all that is written. Collective. */
ashlar_status ashi_contract_begin_outputs(ashi_contract_job *job, ashlar_error *err);

/* Close what was opened, and delete what was not published. */
void ashi_contract_close_files(ashi_contract_job *job);

/* Local to rank 0: the figures for people on standard output, or as JSON, and to the file asked for. */
ashlar_status ashi_contract_print_run(ashi_contract_job *job, ashlar_error *err);

#endif
