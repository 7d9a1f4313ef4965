# For mpi.compiled: sums that are added to what is there, a part of a range, a permutation, a divisor and a scalar.
range o = 5
range v = 7
range n = o + v
index i, j : o
index a, b : v
input e[n]
input A[o,v]
input B[v,o]
output C[o,o]
output D[o,v]
output energy

C[i,j] += 2 * S(i,j) A[i,a]*B[a,j]
D[i,a] = A[i,b]*B[b,j]*A[j,a] / (e[i] - e[a])
energy = D[i,a]*B[a,i]
