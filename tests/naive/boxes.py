"""Points in boxes, one by one."""


def only_box(points, boxes):
    """The number of the one box that holds each point; -1: none, -2: several."""
    found = []
    for point in points:
        inside = [
            j
            for j, box in enumerate(boxes)
            if all(low <= place <= high for place, (low, high) in zip(point, box, strict=True))
        ]
        found.append(-1 if not inside else inside[0] if len(inside) == 1 else -2)
    return found
