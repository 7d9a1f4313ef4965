/* tensor: reading expressions, their errors with columns, classes of indices and the matching matrix problem. */
#include "tensor/expression.h"
#include "tensor/matching.h"
#include "test.h"

static ashi_expression read(ashi_test *t, const char *text)
{
    ashi_expression e;
    ashlar_error err = {0};
    int column = -1;
    const ashlar_status status = ashi_expression_read(text, &e, &column, &err);
    CHECK(t, status == ASHLAR_OK && column == 0, "%s: %s", text, err.text);
    return e;
}

static void lists(ashi_test *t)
{
    const ashi_expression e = read(t, " aB m,\tmB ->  Ba");
    CHECK(t, e.operands == 2 && e.indices == 3 && memcmp(e.name, "aBm", 3) == 0, "%d operands", e.operands);
    CHECK(t, e.operand[0].order == 3 && e.operand[1].order == 2 && e.output.order == 2, "orders");
    CHECK(t, e.operand[1].index[0] == 2 && e.operand[1].column[0] == 8 && e.operand[1].begin == 8, "second operand");
    CHECK(t, e.output.index[0] == 1 && e.output.index[1] == 0 && e.output.column[1] == 16, "output");
    CHECK(t, e.extent[0] == -1, "extent %" PRId64, e.extent[0]);
    const ashi_expression scalar = read(t, ",ij->"), one = read(t, "->"), four = read(t, "i,j,k,l->lkji");
    CHECK(t, scalar.operands == 2 && scalar.operand[0].order == 0 && scalar.output.order == 0, "scalars");
    CHECK(t, one.operands == 1 && four.operands == 4 && four.output.index[0] == 3, "one and four operands");
}

static void mistakes(ashi_test *t)
{
    static const struct {
        const char *text;
        int column;
        ashlar_status status;
        const char *says;
    } wrong[] = {
        {"", 1, ASHLAR_ERR_ARG, "wanted '->'"},
        {"ij,jk", 6, ASHLAR_ERR_ARG, "wanted '->'"},
        {"ij,jk-ik", 6, ASHLAR_ERR_ARG, "'-' is no index"},
        {"ij,jk->iq", 9, ASHLAR_ERR_ARG, "index 'q' of the output is in no operand"},
        {"ij,jk->ii", 9, ASHLAR_ERR_ARG, "index 'i' is in the output twice"},
        {"ij,jk->i,k", 9, ASHLAR_ERR_ARG, "one output"},
        {"ij,jk->ik->", 10, ASHLAR_ERR_ARG, "'-' is no index"},
        {"ij,...k->ik", 4, ASHLAR_ERR_UNSUPPORTED, "'...' is not supported"},
        {"i1,jk->ik", 2, ASHLAR_ERR_ARG, "'1' is no index"},
        {"i\x01,jk->ik", 2, ASHLAR_ERR_ARG, "byte 1 is no index"},
        {",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,->", 33, ASHLAR_ERR_UNSUPPORTED, "more than 32 operands"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa->", 65, ASHLAR_ERR_UNSUPPORTED,
         "more than 64 dimensions"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ashi_expression e;
        ashlar_error err = {0};
        int column = -1;
        const ashlar_status status = ashi_expression_read(wrong[i].text, &e, &column, &err);
        CHECK(t, status == wrong[i].status && column == wrong[i].column && strstr(err.text, wrong[i].says),
              "'%s': column %d: %s", wrong[i].text, column, err.text);
    }
}

static void extents(ashi_test *t)
{
    ashi_expression e = read(t, "iij,jk->ik");
    const int64_t good[3] = {3, 3, 5}, bad[3] = {3, 4, 5}, other[2] = {6, 7};
    ashlar_error err = {0};
    int column = -1;
    CHECK(t, ashi_expression_shape(&e, 0, 2, good, &column, &err) == ASHLAR_ERR_ARG && column == 1, "%s", err.text);
    CHECK(t, strcmp(err.text, "column 1: operand 1 has 2 dimensions, the expression names 3") == 0, "%s", err.text);
    CHECK(t, ashi_expression_shape(&e, 0, 3, good, &column, &err) == ASHLAR_OK && column == 0, "%s", err.text);
    CHECK(t, ashi_expression_shape(&e, 0, 3, bad, &column, &err) == ASHLAR_ERR_ARG && column == 2, "column %d", column);
    CHECK(t, ashi_expression_shape(&e, 1, 2, other, &column, &err) == ASHLAR_ERR_ARG && column == 5, "%d", column);
    CHECK(t, strcmp(err.text, "column 5: dimension 1 of operand 2 is 6, index 'j' has extent 5") == 0, "%s", err.text);
    CHECK(t, ashi_expression_check(&e, &column, &err) == ASHLAR_ERR_ARG && column == 6, "column %d", column);
    CHECK(t, ashi_expression_extent(&e, 'x', 4, &err) == ASHLAR_ERR_ARG, "x");
    CHECK(t, ashi_expression_extent(&e, 'i', 4, &err) == ASHLAR_ERR_ARG, "i");
    CHECK(t, strcmp(err.text, "index 'i' has extent 3 and 4") == 0, "%s", err.text);
    CHECK(t, ashi_expression_extent(&e, 'k', -1, &err) == ASHLAR_ERR_ARG, "k");
    CHECK(t, ashi_expression_extent(&e, 'k', INT64_C(1) << 62, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_expression_check(&e, &column, &err) == ASHLAR_ERR_OVERFLOW && column == 5, "column %d", column);
    CHECK(t, ashi_expression_words(&e, &e.operand[0]) == 45, "a diagonal is stored whole");
}

/* The matching problem of a text, each index with the extent that stands at its place in `extent`. */
static ashi_matching match(ashi_test *t, const char *text, const int64_t *extent)
{
    ashi_expression e = read(t, text);
    ashi_matching m;
    ashlar_error err = {0};
    int column = 0;
    for (int i = 0; i < e.indices; i++)
        e.extent[i] = extent[i];
    CHECK(t, ashi_expression_check(&e, &column, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_matching_make(&e, &m, &err) == ASHLAR_OK, "%s", err.text);
    return m;
}

static void classes(ashi_test *t)
{
    /* indices in order of appearance: z i s k q j */
    const int64_t extent[] = {2, 3, 5, 7, 11, 13};
    const ashi_matching m = match(t, "ziisk,kzqj->jiz", extent);
    const int64_t wanted[ASHI_CLASSES] = {2, 3, 13, 7, 5, 11};
    for (int c = 0; c < ASHI_CLASSES; c++)
        CHECK(t, m.group[c].extent == wanted[c] && m.group[c].count == 1, "%s: %" PRId64,
              ashi_index_class_name((ashi_index_class)c), m.group[c].extent);
    CHECK(t, m.diagonal[0] && !m.diagonal[1], "diagonals");
    CHECK(t, m.stored[0] == 2 * 3 * 3 * 5 * 7 && m.read[0] == 2 * 3 * 5 * 7 && m.words[0] == 2 * 3 * 7, "words of A");
    CHECK(t, m.stored[1] == 2002 && m.read[1] == 2002 && m.words[1] == 182 && m.words[2] == 78, "words of B and C");
    CHECK(t, !m.in_place[0] && !m.in_place[1] && !m.in_place[2], "C's fastest index is of the batch");
    const ashi_matching outer = match(t, "ab,cd->abcd", extent), dot = match(t, "ab,ab->", extent);
    CHECK(t, outer.group[ASHI_SUMMED].count == 0 && outer.group[ASHI_SUMMED].extent == 1 && outer.in_place[2], "outer");
    CHECK(t, dot.group[ASHI_SUMMED].extent == 6 && dot.words[2] == 1 && dot.in_place[0] && dot.in_place[1], "dot");
}

static void groups(ashi_test *t)
{
    const int64_t extent[] = {2, 3, 5, 7, 11, 13}, thin[] = {2, 1, 5, 7, 11, 13};
    const ashi_matching paper = match(t, "abmn,cdmn->abcd", extent);
    CHECK(t, paper.in_place[0] && paper.in_place[1] && paper.in_place[2], "all lie as matrices");
    const ashi_matching turned = match(t, "abmn,cdnm->abcd", extent);
    CHECK(t, turned.in_place[0] && !turned.in_place[1] && !turned.fused[1][ASHI_SUMMED], "B has m and n in turn");
    CHECK(t, turned.fused[0][ASHI_SUMMED] && turned.fused[1][ASHI_FREE_B], "the rest is fused");
    const ashi_matching split = match(t, "ambn,cdmn->abcd", extent);
    CHECK(t, !split.fused[0][ASHI_FREE_A] && !split.fused[0][ASHI_SUMMED], "a m b n");
    const ashi_matching lone = match(t, "ambn,cdmn->abcd", thin);
    CHECK(t, lone.fused[0][ASHI_FREE_A] && lone.fused[0][ASHI_SUMMED], "with m = 1, a and b are neighbours");
    const ashi_matching batch = match(t, "zik,zkj->zij", extent), inner = match(t, "ikz,kjz->ijz", extent);
    CHECK(t, batch.in_place[0] && batch.in_place[1] && batch.in_place[2], "batch outermost");
    CHECK(t, !inner.in_place[0] && !inner.in_place[1] && !inner.in_place[2], "batch innermost");
}

static void too_large(ashi_test *t)
{
    ashi_expression e = read(t, "ab,cd->abcd");
    ashi_matching m;
    ashlar_error err = {0};
    int column = 0;
    for (int i = 0; i < 4; i++)
        e.extent[i] = INT64_C(1) << 16;
    CHECK(t, ashi_expression_check(&e, &column, &err) == ASHLAR_ERR_OVERFLOW && column == 8, "column %d", column);
    ashi_expression dot = read(t, "ab,bc->ac");
    dot.extent[0] = dot.extent[1] = dot.extent[2] = INT64_C(1) << 22;
    CHECK(t, ashi_expression_check(&dot, &column, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_matching_make(&dot, &m, &err) == ASHLAR_ERR_OVERFLOW, "2^66 products");
}

int main(void)
{
    ashi_test t = {0};
    lists(&t);
    mistakes(&t);
    extents(&t);
    classes(&t);
    groups(&t);
    too_large(&t);
    return ashi_test_end(&t, "expression");
}
