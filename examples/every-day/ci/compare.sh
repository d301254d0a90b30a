#!/bin/sh
# compare.sh [BASE [HEAD]] compares two commits of the git repository in this folder. Without BASE this is the nightly job: BASE is the
# newest commit that is at least a day old. Files are written to the folder comparison. The exit code is that of "smtpipe compare": 3 is a
# regression.
#
# BUILD        command that builds a commit, in a sandbox without network, such as "make -j2"
# PROGRAM      the program or archive that it creates, such as build/solver
# BENCHMARKS   folder, archive, or URL of an archive
# HISTORY      name of the solver; the nightly job adds its runs to this solver's history in the store
# OPTIONS      options of "smtpipe compare" that replace those below, with which the runs take less than 30 minutes
# SMTPIPE_URL, SMTPIPE_SHA256   where smtpipe is, and its digest, if it is not installed
set -euf
: "${BUILD:?}" "${PROGRAM:?}" "${BENCHMARKS:?}"
options='--sample 300 --wall 10s --core-hours 0.4'
base=${1:-}
head=${2:-HEAD}
history=
if [ -z "$base" ]; then
	options='--sample 1000 --wall 10s --seeds 5 --core-hours 0.4'
	history=${HISTORY:-}
	base=$(git rev-list -1 --first-parent --before='1 day ago' "$head")
	if [ -z "$base" ] || [ "$base" = "$(git rev-parse "$head")" ]; then
		echo 'No commit is newer than a day, or none is older, so there is nothing to compare.'
		exit 0
	fi
fi
mkdir -p comparison
rm -f comparison/comment.md comparison/page.html comparison/all.json comparison/history.html
if [ -n "${SMTPIPE_URL:-}" ]; then
	curl -fsSL --retry 3 -o comparison/smtpipe "$SMTPIPE_URL"
	echo "$SMTPIPE_SHA256  comparison/smtpipe" | sha256sum --check --quiet
	chmod +x comparison/smtpipe
	PATH=$PWD/comparison:$PATH
fi
case $BENCHMARKS in
*://*)
	url=${BENCHMARKS%%\?*}
	file=comparison/${url##*/}
	curl -fsSL --retry 3 -o "$file" "$BENCHMARKS"
	BENCHMARKS=$file
	;;
esac
code=0
smtpipe compare "$base" "$head" --repository . --build "$BUILD" --program "$PROGRAM" --benchmarks "$BENCHMARKS" \
	--isolation best_effort --progress lines --markdown comparison/comment.md --html comparison/page.html \
	--json comparison/all.json ${history:+--history "$history"} ${OPTIONS:-$options} || code=$?
[ -z "$history" ] || smtpipe compare --history "$history" --html comparison/history.html --progress none
exit $code
