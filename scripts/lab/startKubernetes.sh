#!/bin/bash
# Starts a real Kubernetes 1.20 of one node on loopback: etcd, kube-apiserver, controller-manager, scheduler, kubelet, containerd.
#   startKubernetes.sh FOLDER      prints FOLDER/kubeconfig, whose context is "lab"
# Needs root, Debian 12, git and Node on the PATH. The first run installs what is missing, and builds the control plane from Debian's source package of
# kubernetes: some ten minutes on two cores, 3 GB in $NANCY_KUBERNETES (by default ~/.cache/nancy-kubernetes). Later runs take some 20 seconds.
# There is no registry: the image localhost/nancy-delegate:1, with busybox, bash, Node and git, is made by hand. There is no pod network either, so that
# pods say hostNetwork: true. All processes have their ids in FOLDER/run: see stopKubernetes.sh.
set -euo pipefail
dir=$1
build=${NANCY_KUBERNETES:-$HOME/.cache/nancy-kubernetes}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"/{log,pki,run,cni,ctr,kubelet} "$build"

missing=()
for need in etcd-server:etcd kubernetes-client:kubectl containerd:containerd runc:runc containernetworking-plugins:/usr/lib/cni/loopback \
	busybox-static:busybox openssl:openssl iptables:iptables conntrack:conntrack; do
	command -v "${need#*:}" >/dev/null || missing+=("${need%%:*}")
done
install() { DEBIAN_FRONTEND=noninteractive flock /usr/bin/apt-get apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
if [ ${#missing[@]} != 0 ]; then
	flock /usr/bin/apt-get apt-get update -qq >/dev/null 2>&1 || true
	install "${missing[@]}"
fi

bin=$build/bin
if ! [ -x "$bin/kubelet" ]; then
	install golang-go dpkg-dev make jq rsync
	cd "$build"
	mkdir -p apt/lists/partial bin
	archive=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 | tr -d ' ' || true)
	[ -n "$archive" ] || { echo 'the sources of apt name no Debian archive' >&2; exit 1; }
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive bookworm main" > apt/sources.list
	apt=(-o "Dir::Etc::sourcelist=$build/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$build/apt/lists")
	apt-get "${apt[@]}" update -qq >/dev/null
	[ -d src ] || { apt-get "${apt[@]}" source -qq --download-only kubernetes >/dev/null; dpkg-source -x kubernetes_*.dsc src >/dev/null; }
	cd src
	mkdir -p .go/src/k8s.io
	ln -sfn ../../.. .go/src/k8s.io/kubernetes
	printf "KUBE_GIT_COMMIT='faecb196815e248d3ecfb03c680a4507229c2a56'\nKUBE_GIT_TREE_STATE='archive'\nKUBE_GIT_VERSION='v1.20.2'\nKUBE_GIT_MAJOR='1'\nKUBE_GIT_MINOR='20'\n" > ../version.env
	env HOME="$build" GOPATH="$PWD/.go" GOCACHE="$build/gocache" GOFLAGS=-mod=vendor GOPROXY=off GO111MODULE=auto CGO_ENABLED=0 KUBE_GIT_VERSION_FILE="$build/version.env" \
		nice timeout 3600 make WHAT="cmd/kube-apiserver cmd/kube-controller-manager cmd/kube-scheduler cmd/kubelet" > "$build/build.log" 2>&1
	cp _output/local/bin/linux/amd64/kube{-apiserver,-controller-manager,-scheduler,let} "$bin/"
fi

# With the libraries that a program is linked with.
with_libraries() {
	local root=$1 file=$2 to=$3 library
	mkdir -p "$root$(dirname "$to")"
	cp -L "$file" "$root$to"
	for library in $(ldd "$file" | grep -oE '/[^ ]+'); do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done
}
if ! [ -f "$build/delegate.tar" ]; then
	root=$build/image
	rm -rf "$root"
	mkdir -p "$root"/delegate/{bin,usr/bin,usr/lib/git-core,tmp,etc,root,lib64} "$root"/pause/bin
	cp "$(command -v busybox)" "$root/pause/bin/busybox"
	cp "$(command -v busybox)" "$root/delegate/bin/busybox"
	for name in $(busybox --list); do [ "$name" = busybox ] || ln -s busybox "$root/delegate/bin/$name"; done
	ln -s /bin/env "$root/delegate/usr/bin/env"
	with_libraries "$root/delegate" "$(command -v node)" /usr/bin/node
	with_libraries "$root/delegate" "$(command -v git)" /usr/bin/git
	with_libraries "$root/delegate" "$(command -v bash)" /bin/bash
	# A CLI that is put beside it is linked with more of them.
	folder=$(dirname "$(ldd "$(command -v git)" | grep -oE '/[^ ]+/libc\.so[^ ]*')")
	for name in libdl.so.2 libm.so.6 libpthread.so.0 librt.so.1; do mkdir -p "$root/delegate$folder"; cp -L "$folder/$name" "$root/delegate$folder/$name"; done
	ln -s /usr/bin/git "$root/delegate/usr/lib/git-core/git"
	echo 'root:x:0:0::/root:/bin/sh' > "$root/delegate/etc/passwd"
	node "$here/makeImage.mjs" "$root/pause" localhost/pause:1 "$build/pause.tar" /bin/busybox sleep 1000000
	node "$here/makeImage.mjs" "$root/delegate" localhost/nancy-delegate:1 "$build/delegate.tar.part"
	mv "$build/delegate.tar.part" "$build/delegate.tar"
	rm -rf "$root"
fi

cd "$dir"
for file in run/*.pid; do
	[ -f "$file" ] && kill -0 "$(cat "$file")" 2>/dev/null && { echo "it runs already: stopKubernetes.sh $dir" >&2; exit 1; }
done
free_ports='const { createServer } = require("node:net"); const all = Array.from({ length: 6 }, () => createServer());
Promise.all(all.map(each => new Promise(listening => each.listen(0, "127.0.0.1", listening)))).then(() => {
	console.log(all.map(each => each.address().port).join(" ")); all.forEach(each => each.close()); });'
read -r etcd peers api controller scheduler kubelet < <(node -e "$free_ports")
openssl genrsa -out pki/sa.key 2048 2>/dev/null
openssl rsa -in pki/sa.key -pubout -out pki/sa.pub 2>/dev/null
token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
(umask 077; echo "$token,admin,admin,system:masters" > pki/tokens.csv)
start() { local name=$1; shift; setsid "$@" > "log/$name.log" 2>&1 < /dev/null & echo $! > "run/$name.pid"; }

start etcd etcd --data-dir etcd --listen-client-urls "http://127.0.0.1:$etcd" --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$peers" \
	--initial-advertise-peer-urls "http://127.0.0.1:$peers" --initial-cluster "default=http://127.0.0.1:$peers" --force-new-cluster --unsafe-no-fsync
start apiserver "$bin/kube-apiserver" --etcd-servers="http://127.0.0.1:$etcd" --bind-address=127.0.0.1 --secure-port="$api" --cert-dir=pki/apiserver --advertise-address=127.0.0.1 \
	--service-cluster-ip-range=10.96.0.0/24 --token-auth-file=pki/tokens.csv --authorization-mode=Node,RBAC --service-account-key-file=pki/sa.pub \
	--service-account-signing-key-file=pki/sa.key --service-account-issuer=https://kubernetes.default.svc --disable-admission-plugins=ServiceAccount \
	--endpoint-reconciler-type=none --allow-privileged=true --feature-gates=TTLAfterFinished=true --kubelet-preferred-address-types=Hostname
(umask 077; cat > kubeconfig <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:$api", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: lab, context: {cluster: lab, user: admin, namespace: default}}]
current-context: lab
CONFIG
)
ask() { kubectl --kubeconfig=kubeconfig --context=lab "$@"; }
for _ in $(seq 300); do ask get --raw /readyz >/dev/null 2>&1 && break; sleep 0.2; done
start controller-manager "$bin/kube-controller-manager" --kubeconfig=kubeconfig --bind-address=127.0.0.1 --secure-port="$controller" --port=0 --leader-elect=false \
	--service-account-private-key-file=pki/sa.key --controllers='job,ttl-after-finished,ttl,garbagecollector,namespace,podgc,nodelifecycle,serviceaccount' --feature-gates=TTLAfterFinished=true \
	--node-monitor-grace-period=20s --pod-eviction-timeout=10s --node-monitor-period=2s
start scheduler "$bin/kube-scheduler" --kubeconfig=kubeconfig --bind-address=127.0.0.1 --secure-port="$scheduler" --port=0 --leader-elect=false
cat > ctr/config.toml <<CONFIG
version = 2
root = "$dir/ctr/root"
state = "$dir/ctr/state"
[grpc]
  address = "$dir/ctr/sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  stream_server_address = "127.0.0.1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
CONFIG
echo '{ "cniVersion": "0.4.0", "name": "lab", "plugins": [ { "type": "loopback" } ] }' > cni/10-lab.conflist
start containerd unshare -m --propagation shared containerd --config ctr/config.toml
for _ in $(seq 100); do ctr -a ctr/sock version >/dev/null 2>&1 && break; sleep 0.1; done
for image in pause delegate; do ctr -a ctr/sock -n k8s.io images import "$build/$image.tar" >/dev/null; done
# In the mount namespace of containerd: containers must see the volumes that it mounts. By its host's name the API server finds it on loopback.
cat > startKubelet.sh <<CONFIG
#!/bin/bash
cd "$dir"
setsid nsenter -m -t "\$(cat run/containerd.pid)" --wd="$dir" "$bin/kubelet" --kubeconfig=kubeconfig --hostname-override=localhost --container-runtime=remote \\
	--container-runtime-endpoint="unix://$dir/ctr/sock" --root-dir="$dir/kubelet" --cgroup-driver=cgroupfs --fail-swap-on=false --address=127.0.0.1 --port=$kubelet --healthz-port=0 \\
	--read-only-port=0 --cert-dir="$dir/kubelet/pki" --eviction-hard= --image-gc-high-threshold=100 --image-gc-low-threshold=99 --anonymous-auth=true --authorization-mode=AlwaysAllow \\
	--volume-plugin-dir="$dir/kubelet/plugins" --network-plugin=cni --resolv-conf= --make-iptables-util-chains=false --enforce-node-allocatable= >> log/kubelet.log 2>&1 < /dev/null &
echo \$! > run/kubelet.pid
CONFIG
chmod +x startKubelet.sh
./startKubelet.sh
for _ in $(seq 300); do ask get nodes 2>/dev/null | grep -q ' Ready ' && { echo "$dir/kubeconfig"; exit 0; }; sleep 0.2; done
echo "the node is not ready: see $dir/log" >&2
exit 1
