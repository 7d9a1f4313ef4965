/* Products of matrices with tiles that are stored as U V^T: what is refused. */
#include "tiles/low_rank_product.h"

#include "base/error.h"

bool ashi_tiles_have_low(const ashi_tiles_asked *q)
{
    for (int64_t i = 0; i < q->terms; i++)
        if (q->term[i].a->all_low > 0 || q->term[i].b->all_low > 0)
            return true;
    return false;
}

bool ashi_tiles_involve_low(const ashi_tiles_asked *q)
{
    return q->options.tolerance > 0 || q->c->all_low > 0 || ashi_tiles_have_low(q);
}

ashlar_status ashi_tiles_check_low(const ashi_tiles_asked *q, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    if (o->tolerance > 0 && o->budget > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: a tolerance together with a budget", q->who);
    if (o->budget > 0 && ashi_tiles_have_low(q))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: a budget, and tiles of A or B that are stored as U V^T; "
                         "ashlar_tiles_expand makes them dense", q->who);
    if (o->memory_words > 0 && (o->tolerance > 0 || (q->ranges.given && q->c->all_low > 0)))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: memory_words together with %s", q->who,
                         o->tolerance > 0 ? "a tolerance" : "ranges and tiles of C that are stored as U V^T");
    return ASHLAR_OK;
}

ashlar_status ashi_tiles_check_plan(const ashi_tiles_asked *q, ashlar_error *err)
{
    if (q->options.tolerance > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: a plan with a tolerance", q->who);
    if (ashi_tiles_have_low(q) || q->c->all_low > 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: a plan for tiles that are stored as U V^T; "
                         "ashlar_tiles_expand makes them dense", q->who);
    return ASHLAR_OK;
}
