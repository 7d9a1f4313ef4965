#!/bin/sh
# bench/cluster: as many hosts as wanted, each with a name and an address of its own; links of the rate; the command's
# status; nothing left behind, even when it is killed; mistakes.
. "$ASHLAR_SOURCE/tests/command/support.inc"
cluster=$ASHLAR_SOURCE/bench/cluster

expect 2 "$cluster" 2 100
says 'too few arguments'
expect 2 "$cluster" 1 100 true
says 'HOSTS is 1'
expect 2 "$cluster" 2 fast true
says "MBIT is 'fast'"

timeout 60 "$cluster" 2 100 true > "$work/first" 2>&1
if [ $? -eq 77 ]; then
    cat "$work/first"
    finish
    exit 77
fi

# shellcheck disable=SC2016 # for the hosts' shell
expect 0 timeout 60 "$cluster" 3 100 \
    sh -c 'echo "host $(hostname) $(ip -o -4 address show dev eth0 | awk "{print \$4}")"'
for i in 0 1 2; do
    prints "^host h$i 10.77.0.$((i + 1))/24\$"
done
expect 0 timeout 60 "$cluster" 2 100 tc qdisc show dev eth0
prints 'tbf .*rate 100Mbit'
# A packet that does not fit into the bucket is cut in software. It has 66 bytes of headers for each 1448 of the message.
# shellcheck disable=SC2016 # for the hosts' shell
expect 0 timeout 60 "$cluster" 2 100 sh -c 'tc qdisc show dev eth0; ip -d link show dev eth0'
awk '{ for (i = 1; i < NF; i++) if ($i == "burst") bucket = $(i + 1) * ($(i + 1) ~ /Kb$/ ? 1024 : 1)
       for (i = 1; i < NF; i++) if ($i == "gso_max_size") { n++; if ($(i + 1) * 1514 / 1448 > bucket) larger++ } }
     END { exit !(bucket > 0 && n == 2 && !larger) }' "$work/out" || fail "packets are larger than the bucket"
expect 5 timeout 60 "$cluster" 2 100 sh -c 'exit 5'

# A number of seconds that no other process sleeps.
for signal in TERM KILL; do
    seconds=98765.$$
    "$cluster" 2 100 sleep $seconds > /dev/null 2>&1 &
    pid=$!
    tries=0
    until [ "$(pgrep -cfx "sleep $seconds")" -eq 2 ] || [ $tries -ge 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 200 ] || fail "the ranks did not start"
    kill -$signal $pid
    wait $pid 2> /dev/null
    tries=0
    while pgrep -f "sleep $seconds" > /dev/null && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ $tries -lt 100 ] || fail "ranks outlive a cluster that got SIG$signal"
done
finish
