#!/bin/sh
# run.sh [-C FOLDER] [-t LAST] [-i IMAGE [-e NAME=VALUE]...] COMMAND... FILE
#
# Executes COMMAND with the path of FILE, and LAST behind it, in FOLDER. What a signal ended exits with 128 and its number:
# what BenchExec says of signals stops the organisers' converter. IMAGE is a folder of the job that COMMAND has as its root
# file system. This takes unshare of util-linux and user namespaces; the folder of the job is /job there.
job=$PWD folder= last= image= settings=
while getopts C:t:i:e: option; do
	case $option in
	C) folder=$OPTARG ;;
	t) last=$OPTARG ;;
	i) image=$OPTARG ;;
	e) settings="$settings$OPTARG
" ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
root=$job
[ -z "$image" ] || root=/job
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
[ -z "$image" ] || file=/job${file#"$job"}
shift
set -- "$@" "$file" ${last:+"$last"}
if [ -z "$image" ]; then
	cd "${folder:-.}" || exit 2
	"$@"
	exit $?
fi
case $folder in
/*) ;;
*) folder=/job/$folder ;;
esac
export job image folder settings
unshare --user --map-root-user --mount /bin/sh -c '
	for dir in dev proc sys tmp; do
		mount --rbind "/$dir" "$job/$image/$dir" || exit 2
	done
	mount --bind "$job" "$job/$image/job" || exit 2
	root=$job/$image dir=$folder all=$settings
	unset job image folder settings
	IFS="
"
	for setting in $all; do
		export "$setting"
	done
	exec /usr/bin/unshare --root="$root" --wd="$dir" -- "$@"
' sh "$@"
exit $?
