"""save(NAME, ROWS, COLS, OF) writes the doubles OF(i, j) to a .npy file. Without numpy, which not every machine has."""
import struct


def save(name, rows, cols, of):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for i in range(rows):
            out.write(struct.pack("<%dd" % cols, *(of(i, j) for j in range(cols))))
