#!/usr/bin/env python3
"""Puts the results of bench/run into the tables of a Markdown file, and into columns for bench/plot.gp.

A table stands between the lines <!-- table: NAME --> and <!-- end: NAME -->, and what was between them is replaced. Of
several results of the same case the last one counts.
"""
import argparse
import json
import math
import os
import re
import sys

MIB = 2**20


def read(path):
    """The last result of each case."""
    results = {}
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            try:
                line = json.loads(text)
                results.pop(case_of(line), None)
                results[case_of(line)] = line
            except (json.JSONDecodeError, KeyError) as error:
                sys.exit(f"table.py: {path}:{number}: no result of bench/run: {error}")
    return list(results.values())


def case_of(line):
    names = ("kind", "m", "n", "k", "ranks")
    more = ("mpi", "threads", "block", "layout_grid", "memory_words_limit", "library", "share", "link_mbit", "routine",
            "from", "to", "call", "where", "memory")
    return tuple(line[name] for name in names) + tuple(json.dumps(line.get(name)) for name in more)


def of_kind(lines, kind):
    return [line for line in lines if line["kind"] == kind]


def table(head, rows):
    """Markdown; columns whose head begins with ' ' are set to the right."""
    if not rows:
        return "*Not measured yet.*"
    rule = ["--:" if name.startswith(" ") else "---" for name in head]
    return "\n".join("| " + " | ".join(str(cell).strip() for cell in row) + " |" for row in [head, rule] + rows)


def shape(line):
    return f"{line['m']} × {line['n']} × {line['k']}"


def grid(cuts):
    return "×".join(map(str, cuts)) if cuts else "none"  # boxes of another kind


def short_mpi(line):
    return re.sub(r"[^A-Za-z ]*[vV]?(ersion)?:? *[0-9].*", "", line["mpi"]).strip()


def seconds(summary):
    return f"{summary['median']:.4g}"


def with_spread(ratio):
    return f"{ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"


def rate(line, name):
    """GFlop/s of the median."""
    return 2e-9 * line["m"] * line["n"] * line["k"] / line["seconds"][name]["median"]


def million(words):
    return f"{words / 1e6:.4g}"


def verdict(good):
    return "yes" if good else "**no**"


def machine_table(lines):
    timed = [line for line in lines if "processor" in line]
    if not lines:
        return table([], [])
    facts = [("Processor", {f"{line['processor']}, {line['cores']} cores" for line in timed}),
             ("Compiler", {f"{line['compiler']}, {line['flags']}" for line in timed}),
             ("BLAS", {line["blas"].get("config", line["blas"]["library"]).strip() for line in timed}),
             ("MPI", {line["mpi"] for line in timed}),
             ("Ashlar", {f"{line['version']}, commit {line['commit']}" for line in lines})]
    return table(["", "used"], [[name, "; ".join(sorted(values))] for name, values in facts if values])


def words_row(line):
    cells = [line["shape"], shape(line), line["ranks"]]
    if line["share"] is not None:
        cells.append(f"{line['share']:g}")
    if "error" in line:
        return cells + [line["error"]] + [""] * 6
    words = line.get("walked_words_max", line["words_max"])
    bound = line["bound_words"]
    landmark = f"{line['landmark']} [{line['published']}]" if "landmark" in line else ""
    reached = verdict(line["reached"]) if "reached" in line else ""
    counted = "walk" if "walked_words_max" in line else "formula"
    return cells + [grid(line["grid"]), f"{words / 1e6:.4g}", counted, f"{bound / 1e6:.4g}",
                    f"{words / bound:.4f}" if bound > 0 else "", landmark, reached]


def words_table(lines):
    head = ["shape", " m × n × k", " ranks", "grid", " words, 10⁶", "counted by", " bound, 10⁶",
            " ratio", " landmark", "reached"]
    return table(head, [words_row(line) for line in of_kind(lines, "words") if line["share"] is None])


def words_memory_table(lines):
    head = ["shape", " m × n × k", " ranks", " S / even share", "grid", " words, 10⁶", "counted by", " bound, 10⁶",
            " ratio", " landmark", "reached"]
    return table(head, [words_row(line) for line in of_kind(lines, "words") if line["share"] is not None])


def planning_table(lines):
    rows = [[line["ranks"], f"{line['seconds']['median'] * 1e3:.1f}", f"{line['seconds']['max'] * 1e3:.1f}",
             f"{line['limit'] * 1e3:g}", verdict(line["seconds"]["median"] < line["limit"])]
            for line in of_kind(lines, "planning")]
    return table([" ranks", " ms, median", " ms, longest", " ms wanted", "reached"], rows)


def dgemm_table(lines):
    rows = [[short_mpi(line), shape(line), line["threads"], seconds(line["seconds"]["ashlar"]),
             seconds(line["seconds"]["blas"]), f"{rate(line, 'ashlar'):.1f}", with_spread(line["rate_to_blas"]),
             verdict(line["rate_to_blas"]["median"] >= 0.97)] for line in of_kind(lines, "dgemm")]
    return table(["MPI", " m × n × k", " threads", " Ashlar, s", " BLAS, s", " Ashlar, GFlop/s",
                  " rate, Ashlar / BLAS", "≥ 0.97"], rows)


def pdgemm_row(line):
    ratio, once = line["ratio_to_scalapack"]["ashlar"], line["ratio_to_scalapack"]["ashlar_once"]
    kept = line["ratio_to_scalapack"].get("ashlar_kept")
    plan = line["plan"]
    return [short_mpi(line), shape(line), grid(line["layout_grid"]), grid(plan["grid"]),
            seconds(line["seconds"]["ashlar"]), seconds(line["seconds"]["ashlar_once"]),
            seconds(line["seconds"]["scalapack"]), with_spread(ratio), with_spread(once),
            with_spread(kept) if kept else "", million(plan["measured"]["words_max"]), million(plan["bound_words"]),
            f"{8 * plan['workspace_words'] / MIB:.1f}", verdict(ratio["median"] <= 1 and once["median"] <= 1)]


PDGEMM_HEAD = ["MPI", " m × n × k", "layout", "grid", " Ashlar, s", " in one call, s", " ScaLAPACK, s",
               " Ashlar / ScaLAPACK", " in one call / ScaLAPACK", " context kept / ScaLAPACK", " words, 10⁶",
               " bound, 10⁶", " workspace, MiB", "never slower"]


def pdgemm_table(lines, ranks):
    return table(PDGEMM_HEAD, [pdgemm_row(line) for line in of_kind(lines, "pdgemm") if line["ranks"] in ranks])


# TCP's part of a full packet of 1514 bytes, and those are what the rates of links count.
LINK_PAYLOAD = 1448 / 1514


def words_part(line):
    """The words of the busiest rank alone, at the link's rate, as a part of the time of the product."""
    if not line.get("link_mbit"):
        return ""
    bits = 64 * line["plan"]["measured"]["words_max"]
    return f"{100 * bits * 1e-6 / (line['link_mbit'] * LINK_PAYLOAD) / line['seconds']['ashlar']['median']:.0f}"


def peers_row(line):
    ratios = line["ratios"]
    behind = [ratios[name]["low"] > 1 for name in ("ashlar_to_cosma", "ashlar_own_to_cosma_own")]
    return [short_mpi(line), shape(line), line["ranks"], grid(line["layout_grid"]), line.get("link_mbit", ""),
            seconds(line["seconds"]["ashlar"]), seconds(line["seconds"]["cosma"]),
            seconds(line["seconds"]["scalapack"]), with_spread(ratios["ashlar_to_cosma"]),
            f"{ratios['cosma_to_scalapack']['median']:.3f}", words_part(line),
            seconds(line["seconds"]["ashlar_own"]), seconds(line["seconds"]["cosma_own"]),
            with_spread(ratios["ashlar_own_to_cosma_own"]), verdict(not any(behind))]


def peers_table(lines):
    return table(["MPI", " m × n × k", " ranks", "layout", " Mbit/s", " Ashlar, s", " COSMA, s", " ScaLAPACK, s",
                  " Ashlar / COSMA", " COSMA / ScaLAPACK", " words at the link's rate, %",
                  " Ashlar, own layouts, s", " COSMA, own layouts, s", " Ashlar / COSMA, own layouts", "not behind"],
                 [peers_row(line) for line in of_kind(lines, "peers")])


def shape_name(line):
    """The COSMA paper's names for proportions."""
    m, n, k = line["m"], line["n"], line["k"]
    if m == n == k:
        return "square"
    return "largeK" if k > m else "largeM" if m > n else "flat"


def link_bytes(line, name):
    """What the busiest host's link carried, in the direction that carried more."""
    return max(line["link_bytes"][name].values())


def link_use(line, name):
    """What was carried, as a part of what the link could have carried in that time."""
    return link_bytes(line, name) * 8e-6 / line["link_mbit"] / line["seconds"][name]["median"]


def cluster_row(line):
    ratio, default = line["ratio_to_scalapack"]["ashlar"], line["ratio_to_scalapack"]["ashlar_default"]
    plan = line["plan"]
    return [shape_name(line), shape(line), grid(line["layout_grid"]), line["link_mbit"], grid(plan["grid"]),
            seconds(line["seconds"]["ashlar"]), seconds(line["seconds"]["scalapack"]), with_spread(ratio),
            with_spread(default), million(plan["measured"]["words_max"]), million(plan["bound_words"]),
            plan["measured"]["messages_max"], f"{link_bytes(line, 'ashlar') / 1e6:.1f}",
            f"{link_bytes(line, 'scalapack') / 1e6:.1f}", f"{100 * link_use(line, 'ashlar'):.0f}",
            f"{100 * link_use(line, 'scalapack'):.0f}", verdict(ratio["median"] <= 1 and default["median"] <= 1)]


CLUSTER_HEAD = ["shape", " m × n × k", "layout", " Mbit/s", "grid", " Ashlar, s", " ScaLAPACK, s",
                " Ashlar / ScaLAPACK", " Ashlar, default figures / ScaLAPACK", " words, 10⁶", " bound, 10⁶",
                " messages",
                " MB, Ashlar", " MB, ScaLAPACK", " link in use, Ashlar, %", " link in use, ScaLAPACK, %",
                "never slower"]


def by_shape(lines):
    """The results on a cluster, by name of the shape and number of hosts."""
    groups = {}
    for line in sorted(of_kind(lines, "cluster"), key=lambda line: line["link_mbit"]):
        groups.setdefault((shape_name(line), line["ranks"]), []).append(line)
    return groups


def cluster_table(lines, hosts):
    return table(CLUSTER_HEAD, [cluster_row(line) for (_, ranks), group in by_shape(lines).items() if ranks == hosts
                                for line in group])


def mean(values):
    """Geometric: these are ratios."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def speedups(group, name="ashlar"):
    return [1 / line["ratio_to_scalapack"][name]["median"] for line in group]


def cluster_means_row(title, hosts, group):
    gains = speedups(group)
    fewer = mean(link_bytes(line, "scalapack") / link_bytes(line, "ashlar") for line in group)
    busier = mean(link_use(line, "ashlar") / link_use(line, "scalapack") for line in group)
    return [title, hosts, f"{min(gains):.2f}", f"{mean(gains):.2f}", f"{max(gains):.2f}",
            f"{mean(speedups(group, 'ashlar_default')):.2f}", f"{fewer:.2f}", f"{busier:.2f}"]


def cluster_means_table(lines):
    groups = by_shape(lines)
    rows = [cluster_means_row(name, hosts, group) for (name, hosts), group in groups.items()]
    if groups:
        rows.append(cluster_means_row("all", "4 and 8", [line for group in groups.values() for line in group]))
    return table(["shape", " hosts", " least", " mean", " most", " mean, default figures", " of it by fewer bytes",
                  " of it by busier links"], rows)


def block_of(line):
    return re.search(r"/(\d+x\d+)", line["call"])[1]


def by_layout(lines, head, cell):
    """A row for each call, a column for each process grid and block size."""
    columns = list(dict.fromkeys((grid(line["layout_grid"]), block_of(line)) for line in lines))
    rows = {}
    for line in lines:
        name = (short_mpi(line), line["call"].replace(block_of(line), "B").replace("/B", "", 1).lstrip("/"))
        rows.setdefault(name, {})[(grid(line["layout_grid"]), block_of(line))] = cell(line)
    return table(["MPI", head] + [f" {layout}, {block.replace('x', '×')}" for layout, block in columns],
                 [[mpi, f"`{call}`"] + [cells.get(column, "") for column in columns]
                  for (mpi, call), cells in rows.items()])


def marked(text, bad):
    return f"**{text}**" if bad else text


def calls_cell(line):
    ratio = line["ratio_to_scalapack"]
    return marked(f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})", ratio["median"] > 1.05)


def least_words(line):
    return min(line["scalapack"]["words_max"], line["relayout"]["words_max"])


def pblas_words_cell(line):
    ours, least = line["ashlar"]["words_max"], least_words(line)
    return marked(f"{ours / least:.2f}" if least else f"{ours} to 0" if ours else "1.00", ours > least)


def calls_table(lines):
    return by_layout(of_kind(lines, "calls"), "call", calls_cell)


def pblas_words_table(lines):
    return by_layout(of_kind(lines, "pblas_words"), "call", pblas_words_cell)


def redistribute_row(line):
    grown = line["growth_kib"]
    return [f"`{line['routine']}`", f"{line['m']} × {line['n']}", line["from"], line["to"],
            seconds(line["seconds"]["ashlar"]), seconds(line["seconds"]["scalapack"]),
            marked(with_spread(line["ratio_to_scalapack"]), line["ratio_to_scalapack"]["median"] > 1.05),
            grown["ashlar"], grown["scalapack"]]


def redistribute_table(lines):
    return table(["routine", "matrix", "from", "to", " Ashlar, s", " ScaLAPACK, s", " Ashlar / ScaLAPACK",
                  " Ashlar, KiB", " ScaLAPACK, KiB"], [redistribute_row(line) for line in of_kind(lines, "redistribute")])


def call_losses(lines):
    for line in of_kind(lines, "calls"):
        if line["ratio_to_scalapack"]["median"] > 1.05:
            yield [f"call `{line['call']}`, layout {grid(line['layout_grid'])}, {short_mpi(line)}",
                   "time, Ashlar / ScaLAPACK", with_spread(line["ratio_to_scalapack"])]
    for line in of_kind(lines, "redistribute"):
        if line["ratio_to_scalapack"]["median"] > 1.05:
            yield [f"`{line['routine']}` of {line['m']} × {line['n']}, {line['from']} to {line['to']}",
                   "time, Ashlar / ScaLAPACK", with_spread(line["ratio_to_scalapack"])]
    for line in of_kind(lines, "pblas_words"):
        if line["ashlar"]["words_max"] > least_words(line):
            yield [f"call `{line['call']}`, layout {grid(line['layout_grid'])}",
                   "words, Ashlar and the least of ScaLAPACK and COSMA after a change of layout",
                   f"{line['ashlar']['words_max']} and {least_words(line)}"]


def losses_table(lines):
    """What was slower than it must be, or moved more words: nothing is left out by hand."""
    rows = []
    for line in of_kind(lines, "dgemm"):
        if line["rate_to_blas"]["median"] < 0.97:
            rows.append([f"{shape(line)}, 1 rank, {line['threads']} threads, {short_mpi(line)}", "rate, Ashlar / BLAS",
                         with_spread(line["rate_to_blas"])])
    for line in of_kind(lines, "pdgemm"):
        for name, said in (("ashlar", "time, Ashlar / ScaLAPACK"),
                           ("ashlar_once", "time, Ashlar in one call / ScaLAPACK"),
                           ("ashlar_kept", "time, Ashlar in one call, context kept / ScaLAPACK")):
            if line["ratio_to_scalapack"].get(name, {"median": 0})["median"] > 1:
                rows.append([f"{shape(line)}, layout {grid(line['layout_grid'])}, {short_mpi(line)}", said,
                             with_spread(line["ratio_to_scalapack"][name])])
    for line in of_kind(lines, "cluster"):
        for name, said in (("ashlar", "Ashlar"), ("ashlar_default", "Ashlar, default figures")):
            if line["ratio_to_scalapack"][name]["median"] > 1:
                rows.append([f"{shape(line)}, {line['ranks']} hosts, {line['link_mbit']} Mbit/s",
                             f"time, {said} / ScaLAPACK", with_spread(line["ratio_to_scalapack"][name])])
    for line in of_kind(lines, "words"):
        words = line.get("walked_words_max", line.get("words_max", 0))
        if line["share"] is None and words > 1.02 * line.get("bound_words", words):
            rows.append([f"{shape(line)}, {line['ranks']} ranks", "words / bound",
                         f"{words / line['bound_words']:.4f}"])
        if line.get("reached") is False:
            rows.append([f"{shape(line)}, {line['ranks']} ranks", "words over the landmark, 10⁶",
                         f"{words / 1e6:.2f}, wanted {line['landmark']}"])
    rows += call_losses(lines)
    if not rows and lines:
        return "*Nowhere, of what was measured.*"
    return table(["case", "what", " figure"], rows)


def predicted_row(line):
    lanes = line.get("lanes")
    busy = max(lanes, key=lanes.get) if lanes else "disk"
    return (line["where"], line["ranks"], shape(line), line["library"], f"{line['predicted']:.4g}",
            f"{line['measured']:.4g}", f"{line['predicted'] / line['measured']:.2f}", busy)


def predicted_table(lines):
    head = ("where", " ranks", "m × n × k", "layout", " predicted, s", " measured, s", " predicted / measured",
            "busiest lane")
    return table(head, [predicted_row(line) for line in of_kind(lines, "predicted")])


def greatest(line, moment, key):
    return max(line["resident"][moment][key]) / 1024


def memory_table(lines):
    rows = []
    for line in of_kind(lines, "memory"):
        limit = line["memory_words_limit"]
        promise = line["plan"]["predicted"]["memory_words"] if "plan" in line else None
        held = line["plan"]["measured"]["memory_words"] if "plan" in line else None
        rows.append([short_mpi(line), line["library"], f"{8 * limit / MIB:.1f}" if limit else "none",
                     f"{8 * line['matrices_words'] / MIB:.1f}", f"{8 * promise / MIB:.1f}" if promise else "",
                     f"{8 * held / MIB:.1f}" if held else "", f"{greatest(line, 'started', 'vm_rss_kib'):.1f}",
                     f"{greatest(line, 'filled', 'vm_rss_kib'):.1f}",
                     f"{greatest(line, 'multiplied', 'vm_hwm_kib'):.1f}"])
    return table(["MPI", "library", " limit", " matrices", " promised", " held", " resident at start", " filled",
                  " peak"], rows)


def routes_table(lines):
    rows = []
    for line in of_kind(lines, "routes"):
        for name, ratio in line["ratio_to_default"].items():
            transport, route, window = name.split()
            rows.append([short_mpi(line), shape(line), line["ranks"], transport, route, window,
                         seconds(line["seconds"][name]), with_spread(ratio),
                         million(line["plans"][name]["measured"]["words_max"]),
                         f"{8 * line['plans'][name]['workspace_words'] / MIB:.1f}"])
    return table(["MPI", " m × n × k", " ranks", "transport", "route", " window", " s", " time / default's",
                  " words, 10⁶", " workspace, MiB"], rows)


def cuts_table(lines):
    found = of_kind(lines, "cuts")
    names = list(found[0]["ratio_to_whole"]) if found else []
    return table([" m × n × k"] + [f" {name[1]} of {name[0]}" for name in names],
                 [[shape(line)] + [with_spread(line["ratio_to_whole"][name]) for name in names] for line in found])


def workspace_table(lines):
    rows = []
    for line in of_kind(lines, "workspace"):
        for name, ratio in line["ratio_to_default"].items():
            plan = line["plans"][name]
            rows.append([short_mpi(line), shape(line), line["ranks"], name,
                         f"{plan['workspace_words'] / line['share_words']:.2f}", plan["rounds"],
                         seconds(line["seconds"][name]), with_spread(ratio)])
    return table(["MPI", " m × n × k", " ranks", " allowed", " taken", " rounds", " s", " time / default's"], rows)


def outofcore_row(line, peer):
    planned = f"{8 * line['disk_words'] / 1e6:.0f}" if "disk_words" in line else ""
    beside = f"{line['seconds'] / peer['seconds']:.2f}" if peer is not None and peer is not line else ""
    return (line["where"], shape(line), line["library"], line.get("memory", f"chunks of {line.get('chunk')}"),
            f"{line['seconds']:.1f}", beside, f"{line['peak_mib']:.0f}", planned,
            "" if line["delivered_mb"] is None else line["delivered_mb"])


def outofcore_table(lines):
    """Ashlar's product over dask's of the same size on the same disk."""
    found = sorted(of_kind(lines, "outofcore"), key=lambda line: (line["where"], line["library"] == "dask"))
    peers = {(line["where"], line["m"]): line for line in found if line["library"] == "dask"}
    head = ("disk", " m × n × k", "library", "a rank holds", " s", " time / dask's", " peak, MiB", " files' words, MB",
            " delivered, MB")
    return table(head, [outofcore_row(line, peers.get((line["where"], line["m"]))) for line in found])


def fill(text, tables):
    for name, content in tables.items():
        pattern = re.compile(rf"(<!-- table: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"table.py: wanted one place for the table {name}")
        text = pattern.sub(lambda found, content=content: f"{found[1]}{content}\n{found[2]}", text)
    return text


def write_columns(folder, name, groups):
    """Blocks for gnuplot's `index`: a title, then rows; two empty lines between. NaN where there is nothing to draw."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        for title, rows in groups.items():
            file.write(f'"{title}"\n')
            file.writelines(" ".join(map(str, row)) + "\n" for row in sorted(rows) or [("NaN",) * 4])
            file.write("\n\n")


def is_square(line):
    return line["m"] == line["n"] == line["k"]


def write_data(lines, folder):
    peak = max((rate(line, "blas") for line in of_kind(lines, "dgemm") if line["threads"] == 1), default=float("nan"))
    layouts = ([1, 2], [2, 1], [2, 2])
    ratios = {f"{layout[0]} × {layout[1]}": [] for layout in layouts}
    rates = {f"{name}, {ranks} ranks": [] for ranks in (2, 4) for name in ("Ashlar", "ScaLAPACK")}
    for line in filter(is_square, of_kind(lines, "pdgemm")):
        if not short_mpi(line).startswith("Open MPI") or line["layout_grid"] not in layouts:
            continue
        ratio = line["ratio_to_scalapack"]["ashlar"]
        ratios[f"{line['layout_grid'][0]} × {line['layout_grid'][1]}"].append(
            (line["n"], ratio["median"], ratio["low"], ratio["high"]))
        if line["layout_grid"][0] <= line["layout_grid"][1]:
            top = peak * min(line["cores"], line["ranks"] * line["threads"])
            for name in ("Ashlar", "ScaLAPACK"):
                rates[f"{name}, {line['ranks']} ranks"].append((line["n"], 100 * rate(line, name.lower()) / top))
    words = {"4096 × 4096 × 4096": [], "RPA": [], "flat": []}
    for line in of_kind(lines, "words"):
        name = shape(line) if is_square(line) else line["shape"]
        if name in words and line["share"] is None and line.get("bound_words", 0) > 0:
            words[name].append((line["ranks"], line.get("walked_words_max", line["words_max"]) / line["bound_words"]))
    for hosts in (4, 8):
        groups = by_shape(lines)
        write_columns(folder, f"cluster-{hosts}.dat", {
            name: [(line["link_mbit"],) + tuple(line["ratio_to_scalapack"]["ashlar"][key]
                                                for key in ("median", "low", "high"))
                   for line in groups.get((name, hosts), [])] for name in ("square", "largeK", "largeM", "flat")})
    write_columns(folder, "ratio.dat", ratios)
    write_columns(folder, "rate.dat", rates)
    write_columns(folder, "words.dat", words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="the file of JSON lines that bench/run appends to")
    parser.add_argument("--into", required=True, help="the Markdown file")
    parser.add_argument("--data", help="write columns for bench/plot.gp into this folder")
    options = parser.parse_args()
    lines = read(options.results)
    tables = {"machine": machine_table(lines), "words": words_table(lines), "words-memory": words_memory_table(lines),
              "planning": planning_table(lines), "dgemm": dgemm_table(lines), "pdgemm-2": pdgemm_table(lines, [2]),
              "pdgemm-4": pdgemm_table(lines, [4]), "pdgemm-odd": pdgemm_table(lines, [7, 14]),
              "peers": peers_table(lines), "memory": memory_table(lines),
              "routes": routes_table(lines), "workspace": workspace_table(lines), "calls": calls_table(lines),
              "pblas-words": pblas_words_table(lines),
              "redistribute": redistribute_table(lines), "cluster": cluster_means_table(lines),
              "cluster-4": cluster_table(lines, 4), "cluster-8": cluster_table(lines, 8),
              "cuts": cuts_table(lines), "losses": losses_table(lines), "predicted": predicted_table(lines),
              "outofcore": outofcore_table(lines)}
    with open(options.into, encoding="utf-8") as file:
        text = fill(file.read(), tables)
    with open(options.into, "w", encoding="utf-8") as file:
        file.write(text)
    if options.data:
        write_data(lines, options.data)


if __name__ == "__main__":
    main()
