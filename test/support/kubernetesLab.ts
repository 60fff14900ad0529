import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { tempFolder } from './tempFolder.ts';

const scripts = join(import.meta.dirname, '../../scripts/lab');

export interface KubernetesLab extends AsyncDisposable {
	/** For programs that ask it: `KUBECONFIG`, which has the context `lab`. */
	env: Record<string, string>;
	/** All that it keeps on its disk. */
	folder: string;
	/** Runs `kubectl` and returns what it prints. */
	call(...args: string[]): string;
	/** Kills the first process of a delegate's container. */
	killContainer(id: string): void;
	/** Works while the daemon of the node is killed. The containers there run on. */
	withoutNode(work: () => Promise<void>): Promise<void>;
}

/**
 * A real Kubernetes of one node, on loopback. Needs root and Debian. The first one on a machine takes some ten minutes, and the next ones twenty
 * seconds: see scripts/lab/startKubernetes.sh. `NANCY_KUBERNETES_LAB` names the folder of one that runs already.
 */
export function kubernetesLab(): KubernetesLab {
	const running = process.env['NANCY_KUBERNETES_LAB'];
	const folder = running ?? tempFolder('nancy-k8s-').path;
	const PATH = [dirname(process.execPath), '/usr/sbin', process.env['PATH']].join(delimiter);
	const run = (script: string) =>
		execFileSync(script, [folder], { env: { ...process.env, PATH }, stdio: ['ignore', 'ignore', 'inherit'] });
	if (running === undefined) run(join(scripts, 'startKubernetes.sh'));
	const env = { KUBECONFIG: join(folder, 'kubeconfig') };
	const call = (...args: string[]) =>
		execFileSync('kubectl', ['--context=lab', ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
	return {
		env,
		folder,
		call,
		killContainer: id => {
			const find = ['get', 'pods', `--selector=nancy/delegate=${id}`, '--output=jsonpath={..containerID}'];
			const container = call(...find).replace('containerd://', '');
			const words = ['-a', join(folder, 'ctr/sock'), '-n', 'k8s.io', 'tasks', 'kill', '-s', 'KILL', container];
			execFileSync('ctr', words);
		},
		withoutNode: async work => {
			process.kill(Number(readFileSync(join(folder, 'run/kubelet.pid'), 'utf8')), 'SIGKILL');
			try {
				await work();
			} finally {
				execFileSync(join(folder, 'startKubelet.sh'), { stdio: 'ignore' });
			}
		},
		[Symbol.asyncDispose]: () => {
			if (running === undefined) run(join(scripts, 'stopKubernetes.sh'));
			return Promise.resolve();
		},
	};
}
