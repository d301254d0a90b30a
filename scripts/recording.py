"""Executes the commands on standard input in a terminal and writes what it shows as an animated SVG: recording.py FILE"""

import fcntl
import html
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

import pyte

COLUMNS, ROWS = 106, 30
SPEED = 4  # speed-up
LONGEST_PAUSE = 1.5  # seconds without a change
READING = 2.5  # seconds after a command has ended
TYPING = 0.04  # seconds per character
WIDTH, HEIGHT, LEFT = 8.43, 18, 14

COLOURS = {"default": "#d7dae0", "red": "#ff7b72", "green": "#56d364", "brown": "#e3b341", "yellow": "#e3b341", "blue": "#79c0ff",
           "magenta": "#d2a8ff", "cyan": "#76e3ea", "brightblack": "#8b949e"}


def line_of(screen, row):
    """Returns a line as pairs of a colour and a text, without blanks at the end."""
    parts = []
    for column in range(COLUMNS):
        cell = screen.buffer[row][column]
        colour = COLOURS.get(cell.fg, COLOURS["default"])
        if parts and parts[-1][0] == colour:
            parts[-1][1] += cell.data
        else:
            parts.append([colour, cell.data])
    while parts and not parts[-1][1].rstrip():
        parts.pop()
    if parts:
        parts[-1][1] = parts[-1][1].rstrip()
    return tuple((colour, text) for colour, text in parts)


class Film:
    """What each line of the screen shows from when to when."""

    def __init__(self):
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.Stream(self.screen)
        self.now = 0.0
        self.shown = [((), 0.0)] * ROWS
        self.pieces = []  # (row, line, from, to)

    def feed(self, text, after):
        self.now += after
        self.stream.feed(text)
        for row in range(ROWS):
            line = line_of(self.screen, row)
            old, since = self.shown[row]
            if line != old:
                if old and self.now > since:
                    self.pieces.append((row, old, since, self.now))
                self.shown[row] = (line, self.now)

    def end(self):
        self.now += 2 * READING
        for row, (line, since) in enumerate(self.shown):
            if line:
                self.pieces.append((row, line, since, self.now))


def execute(film, command):
    film.feed("\x1b[32m$\x1b[0m ", 0.6)
    for character in command:
        film.feed(character, TYPING)
    film.feed("\r\n", 0.4)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = dict(os.environ, TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS))
    os.set_blocking(master, False)
    process = subprocess.Popen(["sh", "-c", command], stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    last, ended = time.monotonic(), False
    while not ended:
        ready, _, _ = select.select([master], [], [], 0.2)
        data = b""
        if ready:
            time.sleep(0.1 * SPEED)  # a frame
            try:
                data = os.read(master, 1 << 20)
            except OSError:  # the other side is closed
                ended = True
        elif process.poll() is not None:
            ended = True
        if data:
            now = time.monotonic()
            film.feed(data.decode("utf-8", "replace"), min((now - last) / SPEED, LONGEST_PAUSE))
            last = now
    if process.wait() != 0:
        sys.exit(f"recording: {command} ended with exit code {process.returncode}")
    film.now += READING


def draw(film):
    total = film.now
    width, height = COLUMNS * WIDTH + 2 * LEFT, ROWS * HEIGHT + 2 * LEFT
    style, body = [], []
    for number, (row, line, begin, end) in enumerate(film.pieces):
        last = end >= total
        a, b = 100 * begin / total, 100 * end / total
        frames = f"0%{{visibility:hidden}}{a:.3f}%{{visibility:visible}}" if begin > 0 else "0%{visibility:visible}"
        frames += "100%{visibility:visible}" if last else f"{b:.3f}%{{visibility:hidden}}100%{{visibility:hidden}}"
        style.append(f"@keyframes k{number}{{{frames}}}#p{number}{{animation-name:k{number}}}")
        column, spans = 0, []
        for colour, text in line:
            x = LEFT + column * WIDTH
            fill = "" if colour == COLOURS["default"] else f' fill="{colour}"'
            if text.strip():
                spans.append(f'<tspan x="{x:.1f}"{fill}>{html.escape(text)}</tspan>')
            column += len(text)
        kind = ' class="last"' if last else ""
        body.append(f'<text id="p{number}"{kind} y="{LEFT + 13 + row * HEIGHT}">{"".join(spans)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        'aria-label="smtpipe executes the quickstart in a terminal">\n'
        "<style>text{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,monospace;fill:#d7dae0;white-space:pre;visibility:hidden;"
        f"animation:{total:.1f}s step-end infinite}}"
        + "".join(style)
        + "@media (prefers-reduced-motion:reduce){text{animation:none}.last{visibility:visible}}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#161b22"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


film = Film()
for command in sys.stdin.read().splitlines():
    execute(film, command)
film.end()
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write(draw(film))
print(f"{sys.argv[1]}: {film.now:.0f} s, {len(film.pieces)} pieces, {os.path.getsize(sys.argv[1]) // 1000} kB")
