# Spin-orbital coupled cluster with singles and doubles: residuals, the next amplitudes and the energy, for
# `ashlar compile`. The equations are written out term by term, unfactored: T. D. Crawford and H. F. Schaefer III,
# Reviews in Computational Chemistry 14, 33 (2000). f is the Fock matrix, V[p,q,r,s] = <pq||rs>, orbital energies are e;
# the canonical orbitals make f diagonal, but the equations do not need that.
range o = 10            # occupied spin orbitals
range v = 40            # virtual ones
range n = o + v
index i, j, k, l : o
index a, b, c, d : v
index p, q, r, s : n

input f[n,n]
input e[n]
input V[n,n,n,n]
input t1[v,o]
input t2[v,v,o,o]
symmetry V[p,q,r,s] = -V[q,p,r,s]
symmetry V[p,q,r,s] = -V[p,q,s,r]
symmetry V[p,q,r,s] = V[r,s,p,q]
symmetry t2[a,b,i,j] = -t2[b,a,i,j]
symmetry t2[a,b,i,j] = -t2[a,b,j,i]

array R1[v,o]
array R2[v,v,o,o]
output d1[v,o]          # what is added to the amplitudes
output d2[v,v,o,o]
output energy           # the correlation energy of t1 and t2

energy = f[i,a]*t1[a,i] + 1/4 * V[i,j,a,b]*t2[a,b,i,j] + 1/2 * V[i,j,a,b]*t1[a,i]*t1[b,j]

R1[a,i] = f[a,i] + f[a,c]*t1[c,i] - f[k,i]*t1[a,k] + V[k,a,c,i]*t1[c,k] + f[k,c]*t2[a,c,i,k]
        + 1/2 * V[k,a,c,d]*t2[c,d,k,i] - 1/2 * V[k,l,c,i]*t2[c,a,k,l]
        - f[k,c]*t1[c,i]*t1[a,k] - V[k,l,c,i]*t1[c,k]*t1[a,l] + V[k,a,c,d]*t1[c,k]*t1[d,i]
        - V[k,l,c,d]*t1[c,k]*t1[d,i]*t1[a,l] + V[k,l,c,d]*t1[c,k]*t2[d,a,l,i]
        - 1/2 * V[k,l,c,d]*t2[c,d,k,i]*t1[a,l] - 1/2 * V[k,l,c,d]*t2[c,a,k,l]*t1[d,i]

R2[a,b,i,j] = V[a,b,i,j] + P(a,b) f[b,c]*t2[a,c,i,j] - P(i,j) f[k,j]*t2[a,b,i,k]
        + 1/2 * V[k,l,i,j]*t2[a,b,k,l] + 1/2 * V[a,b,c,d]*t2[c,d,i,j]
        + P(i,j) P(a,b) V[k,b,c,j]*t2[a,c,i,k]
        + P(i,j) V[a,b,c,j]*t1[c,i] - P(a,b) V[k,b,i,j]*t1[a,k]
        + 1/2 * P(i,j) P(a,b) V[k,l,c,d]*t2[a,c,i,k]*t2[d,b,l,j] + 1/4 * V[k,l,c,d]*t2[c,d,i,j]*t2[a,b,k,l]
        - 1/2 * P(a,b) V[k,l,c,d]*t2[a,c,i,j]*t2[b,d,k,l] - 1/2 * P(i,j) V[k,l,c,d]*t2[a,b,i,k]*t2[c,d,j,l]
        + 1/2 * P(a,b) V[k,l,i,j]*t1[a,k]*t1[b,l] + 1/2 * P(i,j) V[a,b,c,d]*t1[c,i]*t1[d,j]
        - P(i,j) P(a,b) V[k,b,i,c]*t1[a,k]*t1[c,j]
        - P(a,b) f[k,c]*t1[a,k]*t2[c,b,i,j] - P(i,j) f[k,c]*t1[c,i]*t2[a,b,k,j]
        - P(i,j) V[k,l,c,i]*t1[c,k]*t2[a,b,l,j] + P(a,b) V[k,a,c,d]*t1[c,k]*t2[d,b,i,j]
        + P(i,j) P(a,b) V[a,k,d,c]*t1[d,i]*t2[b,c,j,k] - P(i,j) P(a,b) V[l,k,i,c]*t1[a,l]*t2[b,c,j,k]
        + 1/2 * P(i,j) V[k,l,c,j]*t1[c,i]*t2[a,b,k,l] - 1/2 * P(a,b) V[k,b,c,d]*t1[a,k]*t2[c,d,i,j]
        - 1/2 * P(i,j) P(a,b) V[k,b,c,d]*t1[c,i]*t1[a,k]*t1[d,j]
        + 1/2 * P(i,j) P(a,b) V[k,l,c,j]*t1[c,i]*t1[a,k]*t1[b,l]
        - P(i,j) V[k,l,c,d]*t1[c,k]*t1[d,i]*t2[a,b,l,j] - P(a,b) V[k,l,c,d]*t1[c,k]*t1[a,l]*t2[d,b,i,j]
        + 1/4 * P(i,j) V[k,l,c,d]*t1[c,i]*t1[d,j]*t2[a,b,k,l] + 1/4 * P(a,b) V[k,l,c,d]*t1[a,k]*t1[b,l]*t2[c,d,i,j]
        + P(i,j) P(a,b) V[k,l,c,d]*t1[c,i]*t1[b,l]*t2[a,d,k,j]
        + 1/4 * P(i,j) P(a,b) V[k,l,c,d]*t1[c,i]*t1[a,k]*t1[d,j]*t1[b,l]

d1[a,i] = R1[a,i] / (e[i] - e[a])
d2[a,b,i,j] = R2[a,b,i,j] / (e[i] + e[j] - e[a] - e[b])
