#!/usr/bin/env bash
set -e
# Doc
run() {
  echo 1
}
function go { echo 2; }
function go2() { echo 2; }
X=1
export Y=2
readonly Z=3
if [ 1 ]; then
  inner() { :; }
fi
case $x in a) echo;; esac
