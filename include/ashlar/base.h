/** What every public call shares: status codes, error text, element types, operations, the machine's figures. */
#ifndef ASHLAR_BASE_H
#define ASHLAR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ASHLAR_API __attribute__((visibility("default")))
#else
#define ASHLAR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @file
 *
 * Structures may gain members in later versions, at their end, and programs that were compiled before go on working.
 * A structure that the caller fills begins with `size`: its sizeof, which the functions that return a default set, or 0
 * for the size in version 0.1, so that `{.m = 3}` is enough for the members of that version. A member that a program
 * was compiled without has its default. A member that the library was compiled without must be zero, else the call
 * returns ASHLAR_ERR_ARG. A structure that the library fills is passed with its size by the function in the header:
 * members that the library was compiled without are then zero.
 */

#define ASHLAR_VERSION_MAJOR 0 /**< of the headers; ashlar_version has that of the library that the program runs with */
#define ASHLAR_VERSION_MINOR 1 /**< of the headers */
#define ASHLAR_VERSION_PATCH 0 /**< of the headers */

/** The version of the headers as one number that can be compared: 102 for 0.1.2, 10203 for 1.2.3. */
#define ASHLAR_VERSION (ASHLAR_VERSION_MAJOR * 10000 + ASHLAR_VERSION_MINOR * 100 + ASHLAR_VERSION_PATCH)

/** The version of the headers as text: "major.minor.patch". */
#define ASHLAR_VERSION_STRING "0.1.0"

/** What a call returned. Zero is success; the values never change their meaning. */
typedef enum ashlar_status {
    ASHLAR_OK = 0,
    ASHLAR_ERR_ARG = 1,         /**< an argument is out of its documented range, or arguments do not fit together */
    ASHLAR_ERR_MEMORY = 2,      /**< an allocation failed */
    ASHLAR_ERR_LIMIT = 3,       /**< the memory limit given cannot be met; the text names the least that would do, and
                                     ashlar_context_memory_words has it as a number */
    ASHLAR_ERR_OVERFLOW = 4,    /**< a size does not fit in 64 bits, or in what MPI or BLAS can be given */
    ASHLAR_ERR_MPI = 5,         /**< an MPI call failed */
    ASHLAR_ERR_IO = 6,          /**< a file could not be read or written, or is not what it claims to be */
    ASHLAR_ERR_UNSUPPORTED = 7, /**< a strategy was asked for by name that cannot serve this problem */
    ASHLAR_ERR_INTERNAL = 8,    /**< a defect in Ashlar: please report it with the text */
    ASHLAR_ERR_INTERRUPTED = 9, /**< the program asked for the end: see ashlar_interrupt */
    ASHLAR_ERR_DEVICE = 10      /**< a device is not there, or failed */
} ashlar_status;

/** The longest error text, its closing zero included. */
#define ASHLAR_MESSAGE_MAX 512

/**
 * Where a failing call leaves what went wrong. Every call that can fail takes a pointer to one as its last argument,
 * or NULL. Collective calls leave the same status and the same text on every rank. Untouched on success.
 */
typedef struct ashlar_error {
    ashlar_status status;          /**< what the call returned */
    char text[ASHLAR_MESSAGE_MAX]; /**< one line: who complains, the value found, the value wanted */
} ashlar_error;

/** The name of a status ("ASHLAR_ERR_ARG"), or "unknown status". Never NULL; the string is constant. */
ASHLAR_API const char *ashlar_status_name(ashlar_status status);

/** One sentence about a status. Never NULL; the string is constant. */
ASHLAR_API const char *ashlar_status_text(ashlar_status status);

/**
 * Element types; the letters s, d, c and z are those of BLAS. A complex number is one word.
 *
 * The types H and B are those of A and B in products of matrices in memory (ashlar_problem): C, alpha, beta and all
 * sums are float then. An element of A or B is a number of 16 bits; messages carry its two bytes. Every other call that
 * takes a type refuses them with ASHLAR_ERR_UNSUPPORTED.
 */
typedef enum ashlar_type {
    ASHLAR_TYPE_S = 0, /**< float */
    ASHLAR_TYPE_D = 1, /**< double */
    ASHLAR_TYPE_C = 2, /**< float complex */
    ASHLAR_TYPE_Z = 3, /**< double complex */
    ASHLAR_TYPE_H = 4, /**< float16 (IEEE binary16), with C and sums in float */
    ASHLAR_TYPE_B = 5  /**< bfloat16 (the upper half of a float's bits), with C and sums in float */
} ashlar_type;

/** Bytes of one element (4, 8, 8, 16, 2, 2), or 0 for a value that is no type. Of types H and B: of A and B. */
ASHLAR_API size_t ashlar_type_bytes(ashlar_type type);

/** The type of C, alpha, beta and sums if A and B are of this one: S for H and B, else the type itself. */
ASHLAR_API ashlar_type ashlar_type_of_sums(ashlar_type type);

/** What a matrix and its transpose have in common. For real types Hermitian means symmetric. */
typedef enum ashlar_symmetry {
    ASHLAR_GENERAL = 0,       /**< nothing */
    ASHLAR_SYMMETRIC = 1,     /**< X = X^T */
    ASHLAR_ANTISYMMETRIC = 2, /**< X = -X^T */
    ASHLAR_HERMITIAN = 3,     /**< X = X^H */
    ASHLAR_ANTIHERMITIAN = 4  /**< X = -X^H */
} ashlar_symmetry;

/** What is done to a matrix before it is multiplied: nothing, transposition, conjugate transposition. */
typedef enum ashlar_op { ASHLAR_OP_N = 0, ASHLAR_OP_T = 1, ASHLAR_OP_C = 2 } ashlar_op;

/** Which of the three matrices of C <- alpha op(A) op(B) + beta C. */
typedef enum ashlar_operand { ASHLAR_A = 0, ASHLAR_B = 1, ASHLAR_C = 2 } ashlar_operand;

/** How the elements of a tile lie in memory. */
typedef enum ashlar_order {
    ASHLAR_COL_MAJOR = 0, /**< element (i, j) at i + j * ld */
    ASHLAR_ROW_MAJOR = 1  /**< element (i, j) at i * ld + j */
} ashlar_order;

/**
 * Ask what this process executes to end early, for programs that users may stop. Executions of plans, products of tiles
 * and contractions that exchange messages or go through files end with ASHLAR_ERR_INTERRUPTED, on all ranks even if one
 * asks, once the block of a product, or the piece of a file, that is being worked on is done. So do contractions of
 * one process in its own memory. Results in memory are unspecified then, and results in files cannot be published;
 * plans, matrices and communicators can be used again. A product of matrices that one process gives to the BLAS as a
 * whole goes on to its end, and so do movements and what is no product.
 *
 * @param on  not 0: executions end, those that begin later too, until it is called with 0
 *
 * Local. May be called by any thread, and by a handler of a signal.
 */
ASHLAR_API void ashlar_interrupt(int on);

/** The version of the library that the program runs with: "major.minor.patch". Never NULL; constant. */
ASHLAR_API const char *ashlar_version(void);

#ifdef __cplusplus
}
#endif
#endif
