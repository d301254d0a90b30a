#!/bin/sh
# run.sh [-C FOLDER] [-t LAST] COMMAND... FILE
#
# Executes COMMAND with the path of FILE, and LAST behind it, in FOLDER. What a signal ended exits with 128 and its number:
# what BenchExec says of signals stops the organisers' converter.
root=$PWD folder=$PWD last=
while getopts C:t: option; do
	case $option in
	C) folder=$OPTARG ;;
	t) last=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
n=$#
while [ $n -gt 1 ]; do # behind FILE, and with the paths of the job made whole
	case $1 in
	unpack/* | smtpipe) set -- "$@" "$root/$1" ;;
	*) set -- "$@" "$1" ;;
	esac
	shift
	n=$((n - 1))
done
file=$(realpath "$1")
shift
set -- "$@" "$file" ${last:+"$last"}
cd "$folder" || exit 2
"$@"
exit $?
