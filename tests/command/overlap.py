"""Texts of a figure that run into each other: overlap.py FIGURE.svg...

The places of texts are as gnuplot writes them: a group with a transform, a size and an anchor about each. Widths are
those of a narrow font, so that what overlaps here overlaps in any; lines need air between them. One line for each pair; status 1 if there is any."""
import math
import re
import sys
import xml.etree.ElementTree

WIDTH, ASCENT, DESCENT = 0.55, 0.95, 0.30  # of the size: of a letter; above and below the line, with some air


def box_of(text, size, anchor, transform):
    """Of a text that begins, ends or has its middle at the place of the transform; a quarter turn is the only turn."""
    x, y = map(float, re.search(r"translate\(([-0-9.]+),([-0-9.]+)\)", transform).groups())
    turned = re.search(r"rotate\(([-0-9.]+)", transform)
    width = WIDTH * size * len(text)
    before = {"start": 0, "middle": width / 2, "end": width}[anchor]
    if turned and math.isclose(float(turned[1]) % 180, 90):
        return x - ASCENT * size, y - width + before, x + DESCENT * size, y + before
    return x - before, y - ASCENT * size, x - before + width, y + DESCENT * size


def boxes_of(figure):
    boxes = []
    for group in xml.etree.ElementTree.parse(figure).iter("{http://www.w3.org/2000/svg}g"):
        for text in group.findall("{http://www.w3.org/2000/svg}text"):
            said = "".join(text.itertext()).strip()
            if said and group.get("transform"):
                boxes.append((said, box_of(said, float(group.get("font-size")), group.get("text-anchor", "start"),
                                           group.get("transform"))))
    return boxes


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def main():
    found = 0
    for figure in sys.argv[1:]:
        boxes = boxes_of(figure)
        if not boxes:
            print(f"{figure}: no texts")
            found += 1
        for i, (said, box) in enumerate(boxes):
            for other, place in boxes[:i]:
                if overlap(box, place):
                    print(f"{figure}: '{other}' runs into '{said}'")
                    found += 1
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
