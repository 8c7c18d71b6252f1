#!/usr/bin/env python3
"""Reads the text of one image with Tesseract and writes it to a file."""

import argparse
import os
import re
import shutil
import subprocess
import sys

DEFAULT_LANGUAGES = ("eng", "chi_sim")
INSTALL = "on Debian or Ubuntu: apt-get install tesseract-ocr tesseract-ocr-chi-sim"
SIGNATURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"BM",
    b"II*\x00",
    b"MM\x00*",
    b"P4",
    b"P5",
    b"P6",
)
WIDE = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"


def stop(code, message):
    print(f"ocr.py: {message}", file=sys.stderr)
    sys.exit(code)


def check_image(path):
    """Looks at the first bytes, because Tesseract's own message for a wrong file is hard to read."""
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError as error:
        stop(2, f'cannot open "{path}": {error.strerror}; give the path of an image.')
    webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    if not webp and not head.startswith(SIGNATURES):
        stop(2, f'"{path}" is not an image; give a PNG, JPEG, TIFF, BMP, GIF, WebP or PNM file.')


def installed_languages(tesseract):
    listing = subprocess.run([tesseract, "--list-langs"], capture_output=True, text=True, check=False)
    lines = (listing.stdout + listing.stderr).splitlines()
    return [line.strip() for line in lines if re.fullmatch(r"[A-Za-z_/]+", line.strip())]


def choose_languages(wanted, installed):
    if wanted is None:
        chosen = [name for name in DEFAULT_LANGUAGES if name in installed]
        if not chosen:
            stop(3, f"neither English nor Chinese is installed for Tesseract; {INSTALL}")
        return "+".join(chosen)
    missing = [name for name in wanted.split("+") if name not in installed]
    if missing:
        known = ", ".join(installed) or "none"
        stop(3, f"Tesseract has no language {', '.join(missing)}; installed: {known}.")
    return wanted


def run_tesseract(tesseract, image, languages):
    """Returns one (text, confidences) pair for each line, a blank line between paragraphs."""
    # One thread is as fast on one small image, and works where few processes are allowed.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    command = [tesseract, image, "stdout", "-l", languages, "tsv"]
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    if result.returncode != 0:
        reason = result.stderr.decode("utf-8", "replace").strip().splitlines()
        stop(1, f"Tesseract could not read the image: {reason[-1] if reason else 'no reason given'}")
    return read_table(result.stdout.decode("utf-8", "replace"))


def read_table(table):
    lines = []
    confidences = []
    last = None
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != "5" or not cells[11].strip():
            continue
        block, paragraph, line = cells[2], cells[3], cells[4]
        if last is None or (block, paragraph) != last[:2]:
            if lines:
                lines.append([])
            lines.append([])
        elif line != last[2]:
            lines.append([])
        last = (block, paragraph, line)
        lines[-1].append(cells[11])
        confidences.append(float(cells[10]))
    return [tidy(" ".join(words)) for words in lines], confidences


def tidy(line):
    """Takes out the blanks that the engine puts between Chinese characters."""
    return re.sub(f"(?<=[{WIDE}]) (?=[{WIDE}])", "", line)


def main():
    parser = argparse.ArgumentParser(prog="ocr.py", description=__doc__)
    parser.add_argument("input_image", help="PNG, JPEG, TIFF, BMP, GIF, WebP or PNM file")
    parser.add_argument("output_file", help="where the text goes")
    parser.add_argument("--lang", metavar="language", help="Tesseract codes joined by +; default eng+chi_sim")
    arguments = parser.parse_args()

    check_image(arguments.input_image)
    tesseract = shutil.which("tesseract")
    if tesseract is None:
        stop(3, f"the program tesseract is not installed; {INSTALL}")
    languages = choose_languages(arguments.lang, installed_languages(tesseract))
    lines, confidences = run_tesseract(tesseract, arguments.input_image, languages)

    text = "\n".join(lines).strip()
    try:
        with open(arguments.output_file, "w", encoding="utf-8") as file:
            file.write(text + "\n" if text else "")
    except OSError as error:
        stop(2, f'cannot write "{arguments.output_file}": {error.strerror}; choose a relative path.')

    if not text:
        print(f"No text found ({languages}); {arguments.output_file} is empty.")
        return
    confidence = sum(confidences) / len(confidences)
    filled = sum(1 for line in lines if line)
    print(f"{filled} lines, {len(text)} characters ({languages}) written to {arguments.output_file}; confidence {confidence:.0f}")


if __name__ == "__main__":
    main()
