# The energy of connected triple excitations, (T), after coupled cluster with singles and doubles: K. Raghavachari,
# G. W. Trucks, J. A. Pople and M. Head-Gordon, Chem. Phys. Lett. 157, 479 (1989); spin orbitals as in T. D. Crawford and
# H. F. Schaefer III, Reviews in Computational Chemistry 14, 33 (2000). i is in a block of the occupied orbitals: the
# energy is the sum over the blocks, and no array has more than x o^2 v^3 elements. As X changes sign when indices are
# exchanged, of what multiplies it one image of nine is formed, nine times 1/36.
range x = 1             # a block of the occupied spin orbitals
range o = 10            # all of them
range v = 40            # virtual ones
range n = o + v
index i : x
index j, k, m : o
index a, b, c, e : v
index p, q, r, s : n

input ex[x]             # orbital energies
input eo[o]
input ev[v]
input t1x[v,x]          # amplitudes
input t2x[v,v,x,o]
input t2[v,v,o,o]
input Vvxvv[v,x,v,v]    # <ei||bc>
input Vovxo[o,v,x,o]    # <ma||ik>
input V[n,n,n,n]
symmetry t2[a,b,j,k] = -t2[b,a,j,k]
symmetry t2[a,b,j,k] = -t2[a,b,k,j]
symmetry t2x[a,b,i,j] = -t2x[b,a,i,j]
symmetry Vvxvv[e,i,b,c] = -Vvxvv[e,i,c,b]
symmetry V[p,q,r,s] = -V[q,p,r,s]
symmetry V[p,q,r,s] = -V[p,q,s,r]
symmetry V[p,q,r,s] = V[r,s,p,q]

array U[v,v,v,x,o,o]
array W[v,v,v,x,o,o]
array X[v,v,v,x,o,o]
output energy           # of this block

U[a,b,c,i,j,k] = t2[b,c,j,m]*Vovxo[m,a,i,k] - t2x[a,e,i,k]*V[e,j,b,c]
W[a,b,c,i,j,k] = P(j,k) U[a,b,c,i,j,k] + t2[a,e,j,k]*Vvxvv[e,i,b,c] - t2x[b,c,i,m]*V[m,a,j,k]
X[a,b,c,i,j,k] = P(a/b,c) W[a,b,c,i,j,k] / (ex[i] + eo[j] + eo[k] - ev[a] - ev[b] - ev[c])

energy = 1/4 * X[a,b,c,i,j,k]*t2[a,e,j,k]*Vvxvv[e,i,b,c] - 1/4 * X[a,b,c,i,j,k]*t2x[b,c,i,m]*V[m,a,j,k]
        + 1/4 * X[a,b,c,i,j,k]*t1x[a,i]*V[j,k,b,c]
