/* The machine's figures, as `ashlar calibrate` writes them and a report repeats them. */
#include "machine.h"
#include "die.h"

ashlar_machine ashi_machine_of(const char *path)
{
    ashlar_machine m = ashlar_machine_default(); /* without a torus */
    json_error_t wrong;
    json_t *object = json_load_file(path, 0, &wrong);
    if (!object || json_unpack_ex(object, &wrong, 0, "{s:F, s:F, s:F, s:F, s:F}", "flops_per_second",
                                  &m.flops_per_second, "latency", &m.latency, "bandwidth", &m.bandwidth,
                                  "copy_bandwidth", &m.copy_bandwidth, "disk_bandwidth", &m.disk_bandwidth) != 0)
        ashi_die("%s: %s", path, wrong.text);
    const json_t *forms = json_object_get(object, "forms"); /* files of older versions have none */
    static const char *const names[] = {"NN", "NT", "TN", "TT"};
    for (int f = 0; f < 4; f++)
        m.forms[f] = json_number_value(json_object_get(forms, names[f]));
    json_decref(object);
    return m;
}

json_t *ashi_machine_report(const ashlar_machine *m)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "flops_per_second", m->flops_per_second, "latency", m->latency,
                     "bandwidth", m->bandwidth, "copy_bandwidth", m->copy_bandwidth, "disk_bandwidth",
                     m->disk_bandwidth);
}
