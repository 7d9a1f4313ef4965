# Two products of matrices in files, for `ashlar compile`: the second is added to the first, which lies in memory. A
# diagonal goes to a file of its own.
range n = 60
index i, j, k : n
input A[n,n] in "A.npy"
input B[n,n] in "B.npy"
input D[n,n] in "D.npy"
input E[n,n] in "E.npy"
output X[n,n] to "X.npy"
output d[n] to "d.npy"

X[i,j] = A[i,k]*B[k,j] + 2*D[k,i]*E[k,j]
d[i] = A[i,i]
