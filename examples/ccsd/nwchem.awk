# Writes an FCIDUMP from what NWChem prints: awk -f nwchem.awk NWCHEM.OUT > FILE.fcidump. Of closed shells without
# symmetry, all electrons correlated (docs/LANGUAGE.md has the input). NWChem prints ten decimals.
$1 == "begin_one_electron_integrals" { one = 1 }
$1 == "end_one_electron_integrals" { one = 0 }
$1 == "begin_two_electron_integrals" { two = 1 }
$1 == "end_two_electron_integrals" { two = 0; whole = 1 }
one && NF == 3 { printed = $1 }
one && NF == 3 && $1 >= $2 { line[++lines] = $3 " " $1 " " $2 " 0 0" }
two && NF == 5 { line[++lines] = $5 " " $1 " " $2 " " $3 " " $4 }
/Nuclear repulsion energy =/ { core = $NF }
/No. of electrons :/ { electrons = $NF }
/Alpha electrons :/ { alpha = $NF }
/Beta electrons :/ { beta = $NF }
/Alpha orbitals :/ { orbitals = $NF }
END {
    if (!whole || core == "" || alpha != beta || 2 * alpha != electrons || printed != orbitals) {
        print "nwchem.awk: wanted the output of a closed shell with 'set tce:print_integrals T' and all orbitals" \
            > "/dev/stderr"
        exit 1
    }
    printf "&FCI NORB=%d, NELEC=%d, MS2=0,\n ORBSYM=", orbitals, electrons
    for (i = 0; i < orbitals; i++)
        printf "1,"
    printf "\n ISYM=1,\n&END\n"
    for (i = 1; i <= lines; i++)
        print line[i]
    print core, 0, 0, 0, 0
}
