# Manual pages of section 3 from the comments of the public headers:
# awk -v out=FOLDER -v date=DATE -f man.awk HEADER...
#
# One page for each function and type, under each of its names, and ashlar(3) that lists them all. A declaration without
# a comment shares the page of the one before it, one whose comment is "The same ... See NAME." that of NAME, and
# NAME_sized that of NAME. The comments are those that doxygen reads: text, then "@param names  text", "@return text",
# and what holds for the call as a whole.

# ---- reading ----

FNR == 1 { header = FILENAME; sub(/.*include\//, "", header); headers[++header_count] = header; comment = ""; first = 1 }

/^\/\*\*/ { comment = ""; in_comment = 1 }

in_comment {
    line = $0
    ends = sub(/ *\*\/$/, "", line)
    sub(/^\/\*\* ?/, "", line) || sub(/^ \* ?/, "", line) || sub(/^ \*$/, "", line)
    comment = comment line "\n"
    if (ends) {
        in_comment = 0
        if (first) { about[header] = trim(comment); comment = "" }
        else if (sub(/^\n*@file\n/, "", comment)) { about[header] = about[header] "\n\n" trim(comment); comment = "" }
        first = 0
    }
    next
}

/^#define ASHLAR_[A-Z_]+ / && $2 != "ASHLAR_API" {
    text = comment
    if (match($0, /\/\*\*<.*\*\//)) text = substr($0, RSTART + 4, RLENGTH - 6)
    macros[header] = macros[header] $2 "\t" squeeze(text) "\n"
    comment = ""
    next
}

/^typedef / || /^ASHLAR_API / || /^static inline / { declaration = ""; in_declaration = 1 }

in_declaration {
    declaration = declaration $0 "\n"
    if (declaration ~ /^typedef / ? /;$/ && (declaration !~ /\{/ || /\}/) : declaration ~ /^static/ ? /\)$/ : /;$/) {
        in_declaration = 0
        keep()
        comment = ""
    }
}

function keep(    name, page)
{
    if (declaration ~ /^typedef /) {
        name = declaration
        sub(/;\n$/, "", name)
        sub(/.*[ }]/, "", name)
    } else {
        sub(/^(ASHLAR_API|static inline) /, "", declaration)
        sub(/;?\n$/, "", declaration)
        name = declaration
        sub(/\(.*/, "", name)
        sub(/.*[ *\n]/, "", name)
    }
    page = comment == "" ? last : name
    if (name ~ /_sized$/) page = substr(name, 1, length(name) - 6)
    if (match(comment, /^The same .*See ashlar_[a-z0-9_]*\./)) {
        page = comment
        sub(/.*See /, "", page)
        sub(/\..*/, "", page)
    }
    if (!(page in pages)) {
        pages[page] = ++page_count
        order[page_count] = page
        header_of[page] = header
    }
    names[page] = name == page ? trim(name " " names[page]) : trim(names[page] " " name)
    text_of[name] = comment
    declaration_of[name] = declaration
    page_of[name] = page
    last = page
}

# ---- text ----

function trim(s) { gsub(/^[ \n]+|[ \n]+$/, "", s); return s }

function squeeze(s) { gsub(/[ \n]+/, " ", s); return trim(s) }

# Names of calls and what stands in backquotes in bold, a line for each sentence.
function roff(s,    result, token)
{
    s = squeeze(s)
    gsub(/\\/, "\\e", s)
    result = ""
    while (match(s, /`[^`]*`|ashlar_[a-z0-9_]*[a-z0-9]_?/)) {
        token = substr(s, RSTART, RLENGTH)
        gsub(/`/, "", token)
        result = result substr(s, 1, RSTART - 1) "\\fB" token "\\fP"
        s = substr(s, RSTART + RLENGTH)
    }
    s = result s
    result = ""
    while (match(s, /[.:] [A-Z]/)) {
        if (substr(s, RSTART, 1) == ".")
            result = result guard(substr(s, 1, RSTART)) "\n"
        else
            result = result substr(s, 1, RSTART) " "
        s = substr(s, RSTART + 2)
    }
    return result guard(s)
}

# A line of text must not look like a request.
function guard(s) { return s ~ /^[.']/ ? "\\&" s : s }

# The paragraphs of a text.
function paragraphs(s,    part, n, i, result)
{
    n = split(trim(s), part, /\n[ ]*\n/)
    result = ""
    for (i = 1; i <= n; i++)
        if (squeeze(part[i]) != "")
            result = result (result == "" ? "" : ".Pp\n") roff(part[i]) "\n"
    return result
}

# The first sentence, for one line; the first part of a long one.
function brief(s)
{
    s = squeeze(s)
    sub(/ *@(param|return).*/, "", s)
    if (match(s, /\.( |$)/)) s = substr(s, 1, RSTART - 1)
    if (length(s) > 70 && match(s, /[:;] /)) s = substr(s, 1, RSTART - 1)
    gsub(/`/, "", s)
    gsub(/\\/, "\\e", s)
    return s
}

# ---- a comment's parts: said[], params[1 .. param_count], result_text, afterwards ----

function take_apart(s,    line, n, i, where, match_end)
{
    said = result_text = afterwards = ""
    param_count = 0
    where = "said"
    gsub(/ @return /, "\n@return ", s)
    n = split(s, line, /\n/)
    for (i = 1; i <= n; i++) {
        if (line[i] ~ /^@param /) {
            where = "param"
            sub(/^@param +/, "", line[i])
            match_end = match(line[i], /  +/)
            param_name[++param_count] = match_end ? substr(line[i], 1, RSTART - 1) : line[i]
            param_text[param_count] = match_end ? substr(line[i], RSTART + RLENGTH) : ""
            continue
        }
        if (sub(/^@return /, "", line[i])) {
            result_text = line[i]
            where = "return"
            continue
        }
        if (line[i] ~ /^ *$/ && where != "said") where = "after"
        if (where == "said") said = said line[i] "\n"
        else if (where == "param") param_text[param_count] = param_text[param_count] "\n" line[i]
        else if (where == "return") result_text = result_text "\n" line[i]
        else afterwards = afterwards line[i] "\n"
    }
}

# What a call returns: a list of statuses with what each means, if the text is one.
function returned(s,    depth, i, c, item, intro, rest)
{
    s = squeeze(s)
    i = index(s, "ASHLAR_")
    intro = i > 1 ? trim(substr(s, 1, i - 1)) : "One of these:"
    if (i == 0 || intro !~ /:$/) {
        put(roff(s))
        return
    }
    put(roff(toupper(substr(intro, 1, 1)) substr(intro, 2)))
    put(".Bl -tag -width Ds")
    item = ""
    depth = 0
    for (; i <= length(s) + 1; i++) {
        c = i > length(s) ? ";" : substr(s, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0 && c == "." && rest == "") { # what follows holds for the call
            rest = trim(substr(s, i + 1))
            s = substr(s, 1, i - 1)
            c = ";"
        }
        if (c == ";" && depth == 0) {
            item = trim(item)
            match(item, /^[A-Z_]+/)
            put(".It Dv " substr(item, 1, RLENGTH))
            item = trim(substr(item, RLENGTH + 1))
            if (item ~ /^\([^()]*(\([^()]*\)[^()]*)*\)$/) item = substr(item, 2, length(item) - 2)
            if (item != "") put(roff(item))
            item = ""
        } else
            item = item c
    }
    put(".El")
    if (rest != "") printf ".Pp\n%s\n", roff(rest) > file
}

# ---- declarations ----

function synopsis(name,    s, head, depth, i, c, argument)
{
    s = squeeze(declaration_of[name])
    head = s
    sub(/\(.*/, "", head)
    sub(/[a-z0-9_]+$/, "", head)
    put(".Ft " quoted(trim(head)))
    put(".Fo " name)
    s = substr(s, index(s, "(") + 1)
    s = substr(s, 1, length(s) - 1)
    argument = ""
    depth = 0
    for (i = 1; i <= length(s) + 1; i++) {
        c = i > length(s) ? "," : substr(s, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && depth == 0) {
            put(".Fa " quoted(trim(argument)))
            argument = ""
        } else
            argument = argument c
    }
    put(".Fc")
}

function quoted(s) { return "\"" s "\"" }

# A structure's or an enumeration's text without the comments.
function synopsis_of_type(name,    s, line, n, i)
{
    s = declaration_of[name]
    while (match(s, / *\/\*\*</)) {
        i = RSTART
        s = substr(s, 1, i - 1) substr(s, i + index(substr(s, i), "*/") + 1)
    }
    put(".Bd -literal")
    n = split(trim(s), line, /\n/)
    for (i = 1; i <= n; i++) put(guard(line[i]))
    put(".Ed")
}

# Its members with their comments.
function members(name,    s, n, line, i, item, text, open, listed)
{
    s = declaration_of[name]
    n = split(s, line, /\n/)
    listed = open = 0
    for (i = 1; i <= n; i++) {
        if (!open && match(line[i], /\/\*\*<.*/)) {
            item = trim(substr(line[i], 1, RSTART - 1))
            text = substr(line[i], RSTART + 4)
            open = 1
        } else if (open)
            text = text "\n" line[i]
        if (open && text ~ /\*\//) {
            sub(/ *\*\/.*/, "", text)
            sub(/[;,]$/, "", item)
            if (!listed++) put(".Bl -tag -width Ds")
            put(".It Li " quoted(item))
            put(roff(text))
            open = 0
        }
    }
    if (listed) put(".El")
}

# ---- writing ----

function put(s) { print s > file }

function is_type(name) { return declaration_of[name] ~ /^typedef / }

function see_also(page,    all, found, n, list, i, j, t, count)
{
    split(names[page], list, " ")
    for (i in list) all = all declaration_of[list[i]] " " text_of[list[i]] " "
    while (match(all, /ashlar_[a-z0-9_]*[a-z0-9]_?/)) {
        t = substr(all, RSTART, RLENGTH)
        all = substr(all, RSTART + RLENGTH)
        if (t in page_of && page_of[t] != page) found[page_of[t]] = 1
    }
    count = 0
    for (t in found) {
        for (j = count++; j > 0 && sorted[j] > t; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = t
    }
    put(".Sh SEE ALSO")
    put(".Xr ashlar 3 ,")
    for (i = 1; i <= count; i++) put(".Xr " sorted[i] " 3 ,")
    put(header_of[page] ~ /pblas/ ? ".Xr ashlar_pblas 7" : ".Xr ashlar 7")
}

function begin(title, section_names, one_line)
{
    gsub(/ /, " ,\n.Nm ", section_names)
    put(".\\\" Made from the comments of the headers by cmake/man.awk.")
    put(".Dd " date)
    put(".Dt " toupper(title) " 3")
    put(".Os")
    put(".Sh NAME")
    put(".Nm " section_names)
    put(".Nd " one_line)
}

function write_page(page, title,    list, n, i, main, text)
{
    file = out "/" title ".3"
    n = split(names[page], list, " ")
    main = page in text_of ? page : list[1]
    take_apart(text_of[main])
    begin(title, names[page], brief(text_of[main]))
    put(".Sh SYNOPSIS")
    put(".In " header_of[page])
    for (i = 1; i <= n; i++)
        if (is_type(list[i])) synopsis_of_type(list[i])
        else synopsis(list[i])
    put(".Sh DESCRIPTION")
    printf "%s", paragraphs(said) > file
    if (is_type(main)) members(main)
    if (param_count > 0) {
        put(".Bl -tag -width Ds")
        for (i = 1; i <= param_count; i++) {
            gsub(/, /, " , ", param_name[i])
            put(".It Fa " param_name[i])
            put(roff(param_text[i]))
        }
        put(".El")
    }
    text = paragraphs(afterwards)
    if (text != "") printf ".Pp\n%s", text > file
    for (i = 1; i <= n; i++)
        if (list[i] != main && text_of[list[i]] != "")
            printf ".Pp\n\\fB%s\\fP:\n%s", list[i], paragraphs(text_of[list[i]]) > file
    if (result_text != "") {
        put(".Sh RETURN VALUES")
        returned(result_text)
    }
    see_also(page)
    close(file)
}

function write_overview(    h, i, m, n, row, cell)
{
    file = out "/ashlar.3"
    begin("ashlar", "ashlar", "the library, header by header")
    put(".Sh SYNOPSIS")
    put(".In ashlar/ashlar.h")
    put(".Pp")
    put(".Dl mpicc program.c $(pkg-config --cflags --libs ashlar)")
    put(".Sh DESCRIPTION")
    put("Every call and type has a page of its own in section 3.")
    for (h = 1; h <= header_count; h++) {
        put(".Ss " headers[h])
        printf "%s", paragraphs(about[headers[h]]) > file
        n = split(macros[headers[h]], row, /\n/)
        m = 0
        for (i = 1; i < n; i++) {
            split(row[i], cell, /\t/)
            if (!m++) put(".Bl -tag -width Ds")
            put(".It Dv " cell[1])
            put(roff(cell[2]))
        }
        for (i = 1; i <= page_count; i++)
            if (header_of[order[i]] == headers[h]) {
                if (!m++) put(".Bl -tag -width Ds")
                put(".It Xr " order[i] " 3")
                put(roff(brief(text_of[main_name(order[i])]) "."))
            }
        if (m) put(".El")
    }
    put(".Sh SEE ALSO")
    put(".Xr ashlar 1 ,")
    put(".Xr ashlar_fortran 3 ,")
    put(".Xr ashlar 7 ,")
    put(".Xr ashlar_pblas 7")
    close(file)
}

function main_name(page,    list)
{
    split(names[page], list, " ")
    return page in text_of ? page : list[1]
}

END {
    for (i = 1; i <= page_count; i++) {
        n = split(names[order[i]], list, " ")
        for (j = 1; j <= n; j++) write_page(order[i], list[j])
    }
    write_overview()
}
