"""Is C = alpha op(A) op(B) + beta C0, exactly? product.py A B C [OPA OPB ALPHA BETA C0]: .npy of small integers."""
import ast
import struct
import sys


def read(name):
    data = open(name, "rb").read()
    length, = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10:10 + length].decode())
    kind = head["descr"]
    rows, cols = head["shape"]
    parts = 2 if kind[1] == "c" else 1
    code = "d" if int(kind[2:]) == 8 * parts else "f"
    flat = struct.unpack("<%d%s" % (rows * cols * parts, code), data[10 + length:])
    if parts == 2:
        flat = [complex(flat[2 * i], flat[2 * i + 1]) for i in range(rows * cols)]
    if head["fortran_order"]:
        return kind, [[flat[j * rows + i] for j in range(cols)] for i in range(rows)], (rows, cols)
    return kind, [list(flat[i * cols:(i + 1) * cols]) for i in range(rows)], (rows, cols)


def operand(name, op):
    kind, x, (rows, cols) = read(name)
    if op == "N":
        return kind, x, (rows, cols)
    conjugate = op == "C" and kind[1] == "c"
    flipped = [[x[i][j].conjugate() if conjugate else x[i][j] for i in range(rows)] for j in range(cols)]
    return kind, flipped, (cols, rows)


def number(text):
    parts = [float(p) for p in text.split(",")]
    return complex(*parts) if len(parts) == 2 else parts[0]


names, ops = sys.argv[1:4], (sys.argv[4:6] or ["N", "N"])
alpha = number(sys.argv[6]) if len(sys.argv) > 6 else 1
beta = number(sys.argv[7]) if len(sys.argv) > 7 else 0
kind, a, (m, k) = operand(names[0], ops[0])
kind_b, b, (k_b, n) = operand(names[1], ops[1])
kind_c, c, shape = read(names[2])
start = read(sys.argv[8])[1] if len(sys.argv) > 8 else None
assert kind == kind_b == kind_c, "types %s %s %s" % (kind, kind_b, kind_c)
assert k == k_b and shape == (m, n), "shape %s, wanted %s" % (shape, (m, n))
columns = [[b[l][j] for l in range(k)] for j in range(n)]
for i in range(m):
    for j in range(n):
        value = alpha * sum(x * y for x, y in zip(a[i], columns[j]))
        value += beta * start[i][j] if start else 0
        assert value == c[i][j], "element (%d, %d) is %s, wanted %s" % (i, j, c[i][j], value)
