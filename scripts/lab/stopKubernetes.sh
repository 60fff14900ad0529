#!/bin/bash
# Ends the Kubernetes of startKubernetes.sh, with its pods, by the ids of its processes, and removes its folder.
#   stopKubernetes.sh FOLDER
set -uo pipefail
dir=$1
cd "$dir" || exit 0
is_up() { [ -f "run/$1.pid" ] && kill -0 "$(cat "run/$1.pid")" 2>/dev/null; }
end() {
	local pid
	is_up "$1" || return
	pid=$(cat "run/$1.pid")
	kill "$pid"
	for _ in $(seq 80); do kill -0 "$pid" 2>/dev/null || return; sleep 0.1; done
	kill -9 "$pid" 2>/dev/null
}
if is_up apiserver && is_up kubelet; then timeout 40 kubectl --kubeconfig=kubeconfig delete jobs,pods --all --grace-period=1 >/dev/null 2>&1; fi
end kubelet
if is_up containerd; then # what is left of the pods
	for task in $(timeout 10 ctr -a ctr/sock -n k8s.io tasks ls -q 2>/dev/null); do timeout 10 ctr -a ctr/sock -n k8s.io tasks kill -s KILL "$task" 2>/dev/null; done
	sleep 1
	for pid in $(pgrep -f "containerd-shim-runc-v2 .*-address $dir/ctr/sock"); do kill -9 "$pid" 2>/dev/null; done
fi
for name in containerd scheduler controller-manager apiserver etcd; do end "$name"; done
# What the kubelet has mounted in the namespace of containerd is gone with that.
rm -rf --one-file-system "$dir" 2>/dev/null
exit 0
