# Spin-orbital CCSD residuals: Stanton, Gauss, Watts and Bartlett, J. Chem. Phys. 94, 4334 (1991).
range o = 10
range v = 40
range n = o + v
index i, j, m, n : o
index a, b, e, x : v
index p, q, r, s : n

input f[n,n]
input V[n,n,n,n]
input t1[v,o]
input t2[v,v,o,o]
symmetry V[p,q,r,s] = -V[q,p,r,s]
symmetry V[p,q,r,s] = -V[p,q,s,r]
symmetry V[p,q,r,s] = V[r,s,p,q]
symmetry t2[a,b,i,j] = -t2[b,a,i,j]
symmetry t2[a,b,i,j] = -t2[a,b,j,i]
output R1[v,o]
output R2[v,v,o,o]
array taut[v,v,o,o]
array tau[v,v,o,o]
array Fae[v,v]
array Fmi[o,o]
array Fme[o,v]
array Gbe[v,v]
array Gmj[o,o]
array Wmnij[o,o,o,o]
array Wabef[v,v,v,v]
array Wmbej[o,v,v,o]
array half[v,v,o,o]
array Z[o,v,o,o]

taut[a,b,i,j] = t2[a,b,i,j] + 1/2 * P(a,b) t1[a,i]*t1[b,j]
tau[a,b,i,j] = t2[a,b,i,j] + P(a,b) t1[a,i]*t1[b,j]
half[x,b,j,n] = 1/2 * t2[x,b,j,n] + t1[x,j]*t1[b,n]
Fae[a,e] = f[a,e] - 1/2 * f[m,e]*t1[a,m] + t1[x,m]*V[m,a,x,e] - 1/2 * taut[a,x,m,n]*V[m,n,e,x]
Fmi[m,i] = f[m,i] + 1/2 * t1[e,i]*f[m,e] + t1[e,n]*V[m,n,i,e] + 1/2 * taut[e,x,i,n]*V[m,n,e,x]
Fme[m,e] = f[m,e] + t1[x,n]*V[m,n,e,x]
Gbe[b,e] = Fae[b,e] - 1/2 * t1[b,m]*Fme[m,e]
Gmj[m,j] = Fmi[m,j] + 1/2 * t1[e,j]*Fme[m,e]
Wmnij[m,n,i,j] = V[m,n,i,j] + P(i,j) t1[e,j]*V[m,n,i,e] + 1/4 * tau[e,x,i,j]*V[m,n,e,x]
Wabef[a,b,e,x] = V[a,b,e,x] - P(a,b) t1[b,m]*V[a,m,e,x] + 1/4 * tau[a,b,m,n]*V[m,n,e,x]
Wmbej[m,b,e,j] = V[m,b,e,j] + t1[x,j]*V[m,b,e,x] - t1[b,n]*V[m,n,e,j] - half[x,b,j,n]*V[m,n,e,x]
Z[m,b,i,j] = t1[e,i]*V[m,b,e,j]

R1[a,i] = f[a,i] + t1[e,i]*Fae[a,e] - t1[a,m]*Fmi[m,i] + t2[a,e,i,m]*Fme[m,e] - t1[x,n]*V[n,a,i,x]
        - 1/2 * t2[e,x,i,m]*V[m,a,e,x] - 1/2 * t2[a,e,m,n]*V[n,m,e,i]
R2[a,b,i,j] = V[a,b,i,j] + P(a,b) t2[a,e,i,j]*Gbe[b,e] - P(i,j) t2[a,b,i,m]*Gmj[m,j]
        + 1/2 * tau[a,b,m,n]*Wmnij[m,n,i,j] + 1/2 * tau[e,x,i,j]*Wabef[a,b,e,x]
        + P(i,j) P(a,b) t2[a,e,i,m]*Wmbej[m,b,e,j] - P(i,j) P(a,b) Z[m,b,i,j]*t1[a,m]
        + P(i,j) t1[e,i]*V[a,b,e,j] - P(a,b) t1[a,m]*V[m,b,i,j]
