#!/bin/sh
# ccsd_nwchem.sh LAUNCH CCSD FOLDER: integrals that NWChem printed give its energies of coupled cluster, to the ten
# decimals of the integrals; what has no integrals, or not those of a closed shell, is refused.
launch=$1 ccsd=$2 folder=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*" && cat out err && exit 1; }
touch out err

awk -f "$folder/nwchem.awk" "$folder/lih_sto3g.nwchem" > lih.fcidump 2> err || fail "nwchem.awk"
"$launch" 2 "$ccsd" lih.fcidump 1e-10 > out 2> err || fail "ccsd"
for name in 'CCSD' 'CCSD[(]T[)]'; do
    wanted=$(awk -v name="^ $name total energy" '$0 ~ name { print $NF }' "$folder/lih_sto3g.nwchem")
    got=$(awk -v name="^$name energy" '$0 ~ name { print $NF }' out)
    awk "BEGIN { d = $got - ($wanted); exit !(d * d < 1e-18) }" || fail "$name: $got, NWChem has $wanted"
done

# refuse SED-COMMAND: of such an output there is no FCIDUMP.
refuse() {
    sed "$1" "$folder/lih_sto3g.nwchem" | awk -f "$folder/nwchem.awk" > out 2> err && fail "$1: no error"
    grep -q "wanted the output of a closed shell with 'set tce:print_integrals T' and all orbitals$" err || fail "$1"
    test ! -s out || fail "$1: something on standard output"
}
refuse '/begin_two/,$d'
refuse '/Alpha electrons/s/2$/3/'
refuse '/Nuclear repulsion/d'
refuse '/Alpha orbitals/s/6$/7/'
