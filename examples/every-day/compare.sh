#!/bin/sh
# Compares Debian's z3 with one from PyPI on the embedded release. Exit code 3 means that the newer one is worse somewhere.
set -eu
cd "$(dirname "$0")"
version=${1:-5.4.1.0}
python3 -m pip download --quiet --no-deps --only-binary :all: --dest build "z3-solver==$version"
smtpipe compare /usr/bin/z3 build/z3_solver-"$version"-*.whl --benchmarks ../quickstart/release --sample 0 --wall 2s \
	--json build/compare.json --markdown build/compare.md --html build/compare.html
