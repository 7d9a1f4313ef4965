# The transformation of two-electron integrals from atomic orbitals to molecular ones, for `ashlar compile`:
# the sum over p, q, r, s of C[p,i] C[q,j] C[r,k] C[s,l] (pq|rs). It is done in four steps of n^5 multiply-adds, block by
# block of one index, so that what is between the steps is never held whole.
range n = 60            # atomic orbitals
range m = 60            # molecular orbitals
index p, q, r, s : n
index i, j, k, l : m

input C[n,m] from "C.npy"
input ao[n,n,n,n] in "ao.npy"
output mo[m,m,m,m] to "mo.npy"

mo[i,j,k,l] = C[p,i]*C[q,j]*C[r,k]*C[s,l]*ao[p,q,r,s]
