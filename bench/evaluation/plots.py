"""Plots as SVG, without any library: lines over a logarithmic axis, and stacked bars."""

import math
from html import escape

COLOURS = ["#1b6ca8", "#d1495b", "#3a7d44", "#edae49", "#6b4e9b", "#4a4a4a", "#00a6a6", "#b56576", "#7f7f00"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 64, 150, 36, 48


def frame(title, body, x_label, y_label, height=HEIGHT):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>', f'<text x="{LEFT}" y="20" font-size="13">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{height - 10}" text-anchor="middle">{escape(x_label)}</text>',
        f'<text transform="translate(14 {height / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>', *body, "</svg>", ""])


def ticks(low, high):
    """Round numbers between two, on a logarithmic axis."""
    steps = [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
    inside = [step for step in steps if low <= step <= high]
    return inside or [low, high]


def lines(title, series, x_label, y_label):
    """series: {name: [(x, y), ...]}; both axes logarithmic; points at or below zero are left out."""
    series = {name: sorted((x, y) for x, y in points if x > 0 and y > 0) for name, points in series.items()}
    series = {name: points for name, points in series.items() if points}
    if not series:
        return frame(title, [f'<text x="{LEFT}" y="{HEIGHT / 2}">no measurements</text>'], x_label, y_label)
    xs = sorted({x for points in series.values() for x, _ in points})
    ys = [y for points in series.values() for _, y in points]
    low, high = min(ys) / 1.2, max(ys) * 1.2
    spread = math.log(xs[-1] / xs[0]) or 1

    def place(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / xs[0]) / spread,
                HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(y / low) / math.log(high / low))
    body = []
    for y in ticks(low, high):
        _, at = place(xs[0], y)
        body += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>', f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>']
    for x in xs:
        at, _ = place(x, low)
        body.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:g}</text>')
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        body += ['<circle cx="{:.1f}" cy="{:.1f}" r="2.6" fill="{}"/>'.format(*place(x, y), colour) for x, y in points]
        body += [f'<rect x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * number}" width="12" height="4" fill="{colour}"/>',
                 f'<text x="{WIDTH - RIGHT + 30}" y="{TOP + 6 + 18 * number}">{escape(name)}</text>']
    return frame(title, body, x_label, y_label)


def bars(title, rows, parts, x_label):
    """rows: {name: {part: share}}; the shares of a row make at most 1."""
    height = TOP + BOTTOM + 22 * max(1, len(rows))
    body, wide = [], WIDTH - LEFT - RIGHT - 30
    for number, (name, shares) in enumerate(rows.items()):
        y, x = TOP + 22 * number, LEFT + 30.0
        body.append(f'<text x="{x - 6}" y="{y + 13}" text-anchor="end">{escape(name)}</text>')
        for index, part in enumerate(parts):
            width = wide * shares.get(part, 0)
            if width > 0:
                body.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.2f}" height="16" fill="{COLOURS[index]}"/>')
            x += width
    for index, part in enumerate(parts):
        body += [f'<rect x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * index}" width="12" height="10" fill="{COLOURS[index]}"/>',
                 f'<text x="{WIDTH - RIGHT + 30}" y="{TOP + 9 + 18 * index}">{escape(part)}</text>']
    return frame(title, body, x_label, "", height)
