#!/bin/sh
# Measures versions of z3-solver, the oldest first, on the embedded release, and writes their history:
# history.sh [VERSION...]. SAMPLE=100 uses 100 of the 422 benchmarks.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- 4.11.1.0 4.11.2.0 4.12.0.0 4.12.1.0 4.12.2.0 4.12.3.0 4.12.4.0 4.12.5.0 4.12.6.0 4.13.0.0 4.13.1.0 \
	4.13.2.0 4.13.3.0 4.13.4.0 4.14.0.0 4.14.1.0 4.15.0.0 4.15.1.0 4.15.3.0 4.15.4.0 4.15.8.0 4.16.0.0 5.0.0.0 5.1.0.0 \
	5.3.0.0 5.3.1.0 5.3.2.0 5.3.3.0 5.4.0.0 5.4.1.0
previous=
for version; do
	python3 -m pip download --quiet --no-deps --only-binary :all: --dest build/wheels "z3-solver==$version"
	if [ -n "$previous" ]; then # exit code 3: it is worse somewhere
		smtpipe compare build/wheels/z3_solver-"$previous"-*.whl build/wheels/z3_solver-"$version"-*.whl --history z3 \
			--names "$previous,$version" --answers --benchmarks ../quickstart/release --sample "${SAMPLE:-0}" --wall 2s \
			>build/"$previous-$version".txt || test $? = 3
	fi
	previous=$version
done
smtpipe compare --history z3 --json build/history.json --html build/history.html
