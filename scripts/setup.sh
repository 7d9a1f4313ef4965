# What ./quickstart and ./check share: the packages that are needed, and a quiet step that shows its log if it fails.
# Read with `.`; the current directory is the repository's root.

# missing_packages GROUP...: the packages of these groups in packages.txt that are not installed, on one line.
missing_packages()
{
    for group in "$@"; do
        awk -v group="$group" '$1 == group { print $2 }' packages.txt
    done | while read -r package; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || state=
        [ "$state" = installed ] || printf '%s ' "$package"
    done
}

# apt_install PACKAGE...: from the lists at hand, else from fresh ones. Needs root.
apt_install()
{
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "$@" < /dev/null && return
    apt-get update < /dev/null && apt-get install -y --no-install-recommends "$@" < /dev/null
}

# ensure_packages GROUP...: install what is missing, or say how to and fail.
ensure_packages()
{
    if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
        echo "This is no Debian: packages are not installed for you. What is needed, under Debian's names:"
        for group in "$@"; do
            awk -v group="$group" '$1 == group { sub(/^[a-z]+ +/, "  "); print }' packages.txt
        done
        echo "Going on with what is there."
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "Packages are missing. Please run this, then start again:"
        echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
        return 1
    fi
    echo "Installing: $missing"
    # Unquoted on purpose: one word a package.
    quietly "${TMPDIR:-/tmp}/ashlar-packages.$$.log" apt_install $missing
}

# quietly LOG COMMAND...: run the command with its output in LOG, of which the end is shown if it fails.
quietly()
{
    log=$1
    shift
    "$@" > "$log" 2>&1 && return
    status=$?
    echo "failed with status $status: $*"
    tail -n 60 "$log"
    echo "(all of it is in $log)"
    return $status
}
