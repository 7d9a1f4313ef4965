/* Sizes of the public structures and places of their members as C has them, for agree.f90 to compare with Fortran's. */
#include <ashlar/ashlar.h>

#define AT(type, member) (int64_t)offsetof(type, member)

/* A size, then the places in the order of the members; the rest is 0. */
static const int64_t structures[][17] = {
    {sizeof(ashlar_error), AT(ashlar_error, status), AT(ashlar_error, text)},
    {sizeof(ashlar_problem), AT(ashlar_problem, size), AT(ashlar_problem, type), AT(ashlar_problem, op_a),
     AT(ashlar_problem, op_b), AT(ashlar_problem, m), AT(ashlar_problem, n), AT(ashlar_problem, k),
     AT(ashlar_problem, a), AT(ashlar_problem, b), AT(ashlar_problem, c), AT(ashlar_problem, a_file),
     AT(ashlar_problem, b_file), AT(ashlar_problem, c_file), AT(ashlar_problem, c0_file)},
    {sizeof(ashlar_machine), AT(ashlar_machine, size), AT(ashlar_machine, flops_per_second),
     AT(ashlar_machine, latency), AT(ashlar_machine, bandwidth), AT(ashlar_machine, copy_bandwidth),
     AT(ashlar_machine, disk_bandwidth), AT(ashlar_machine, torus_dims), AT(ashlar_machine, torus),
     AT(ashlar_machine, forms), AT(ashlar_machine, disk_read_bandwidth), AT(ashlar_machine, disk_write_bandwidth),
     AT(ashlar_machine, task_seconds), AT(ashlar_machine, message_work),
     AT(ashlar_machine, product_bandwidth)},
    {sizeof(ashlar_options), AT(ashlar_options, size), AT(ashlar_options, strategy), AT(ashlar_options, objective),
     AT(ashlar_options, transport), AT(ashlar_options, route), AT(ashlar_options, memory_words),
     AT(ashlar_options, idle), AT(ashlar_options, window), AT(ashlar_options, caller_workspace),
     AT(ashlar_options, trusted), AT(ashlar_options, node_ranks), AT(ashlar_options, grid),
     AT(ashlar_options, machine), AT(ashlar_options, checkpoint_seconds),
     AT(ashlar_options, local_disks)},
    {sizeof(ashlar_figures), AT(ashlar_figures, words_max), AT(ashlar_figures, words_mean),
     AT(ashlar_figures, words_total), AT(ashlar_figures, messages_max), AT(ashlar_figures, memory_words),
     AT(ashlar_figures, disk_words), AT(ashlar_figures, seconds), AT(ashlar_figures, read_seconds),
     AT(ashlar_figures, write_seconds), AT(ashlar_figures, resumed)},
    {sizeof(ashlar_explanation), AT(ashlar_explanation, strategy), AT(ashlar_explanation, reason),
     AT(ashlar_explanation, grid), AT(ashlar_explanation, ranks_used), AT(ashlar_explanation, rounds),
     AT(ashlar_explanation, bound_words), AT(ashlar_explanation, bound_case), AT(ashlar_explanation, relayout_words),
     AT(ashlar_explanation, workspace_words), AT(ashlar_explanation, warning),
     AT(ashlar_explanation, bound_disk_words), AT(ashlar_explanation, bound_disk_case)},
    {sizeof(ashlar_mover_options), AT(ashlar_mover_options, size), AT(ashlar_mover_options, caller_workspace),
     AT(ashlar_mover_options, trusted), AT(ashlar_mover_options, memory_words)},
    {sizeof(ashlar_movement), AT(ashlar_movement, words), AT(ashlar_movement, words_max),
     AT(ashlar_movement, words_total), AT(ashlar_movement, messages), AT(ashlar_movement, messages_max),
     AT(ashlar_movement, rounds), AT(ashlar_movement, workspace_words)},
    {sizeof(ashlar_tile), AT(ashlar_tile, row), AT(ashlar_tile, col), AT(ashlar_tile, rows), AT(ashlar_tile, cols),
     AT(ashlar_tile, order), AT(ashlar_tile, ld), AT(ashlar_tile, offset)},
    {sizeof(ashlar_file_info), AT(ashlar_file_info, type), AT(ashlar_file_info, order), AT(ashlar_file_info, rows),
     AT(ashlar_file_info, cols)},
    {sizeof(ashlar_verdict), AT(ashlar_verdict, passed), AT(ashlar_verdict, vectors), AT(ashlar_verdict, worst),
     AT(ashlar_verdict, row)},
    {sizeof(ashlar_tiles_description), AT(ashlar_tiles_description, size), AT(ashlar_tiles_description, type),
     AT(ashlar_tiles_description, symmetry), AT(ashlar_tiles_description, tile_rows),
     AT(ashlar_tiles_description, tile_cols), AT(ashlar_tiles_description, row_sizes),
     AT(ashlar_tiles_description, col_sizes), AT(ashlar_tiles_description, grid_rows),
     AT(ashlar_tiles_description, grid_cols), AT(ashlar_tiles_description, grid_ranks),
     AT(ashlar_tiles_description, row_map), AT(ashlar_tiles_description, col_map),
     AT(ashlar_tiles_description, owner), AT(ashlar_tiles_description, user)},
    {sizeof(ashlar_tiles_info), AT(ashlar_tiles_info, type), AT(ashlar_tiles_info, symmetry),
     AT(ashlar_tiles_info, rows), AT(ashlar_tiles_info, cols), AT(ashlar_tiles_info, tile_rows),
     AT(ashlar_tiles_info, tile_cols), AT(ashlar_tiles_info, row_cuts), AT(ashlar_tiles_info, col_cuts),
     AT(ashlar_tiles_info, grid_rows), AT(ashlar_tiles_info, grid_cols), AT(ashlar_tiles_info, local_tiles),
     AT(ashlar_tiles_info, local_words), AT(ashlar_tiles_info, tiles), AT(ashlar_tiles_info, words),
     AT(ashlar_tiles_info, density)},
    {sizeof(ashlar_stored_tile), AT(ashlar_stored_tile, row), AT(ashlar_stored_tile, col),
     AT(ashlar_stored_tile, rows), AT(ashlar_stored_tile, cols), AT(ashlar_stored_tile, ld),
     AT(ashlar_stored_tile, owner), AT(ashlar_stored_tile, number), AT(ashlar_stored_tile, data)},
    {sizeof(ashlar_tiles_options), AT(ashlar_tiles_options, size), AT(ashlar_tiles_options, retain),
     AT(ashlar_tiles_options, window), AT(ashlar_tiles_options, keep_small_products),
     AT(ashlar_tiles_options, keep_small_tiles), AT(ashlar_tiles_options, bound), AT(ashlar_tiles_options, threshold),
     AT(ashlar_tiles_options, ranges), AT(ashlar_tiles_options, budget)},
    {sizeof(ashlar_tiles_result), AT(ashlar_tiles_result, products), AT(ashlar_tiles_result, left_out),
     AT(ashlar_tiles_result, dropped), AT(ashlar_tiles_result, flops), AT(ashlar_tiles_result, words),
     AT(ashlar_tiles_result, messages), AT(ashlar_tiles_result, workspace_words),
     AT(ashlar_tiles_result, iterations), AT(ashlar_tiles_result, window), AT(ashlar_tiles_result, error_bound),
     AT(ashlar_tiles_result, seconds)},
};

/* Entry i of structure s, both counted from zero. */
int64_t ashi_structure(int s, int i);
int64_t ashi_structure(int s, int i)
{
    return structures[s][i];
}
