import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claudeExecutable } from '../support/claudeHome.ts';
import { deployedLab } from '../support/deployedLab.ts';
import { eventually, HANG_MS } from '../support/eventually.ts';
import { commandLinesWith, filesWith } from '../support/filesWith.ts';
import { kubernetesLab, type KubernetesLab } from '../support/kubernetesLab.ts';
import { userMachine } from '../support/userMachine.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
let cluster: KubernetesLab;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
	cluster = kubernetesLab();
}, 1_800_000);
afterEach(() => {
	cluster.call('delete', 'jobs,pods', '--all', '--grace-period=1');
});
afterAll(async () => {
	await cluster[Symbol.asyncDispose]();
	await nancy[Symbol.asyncDispose]();
});

/** What the agent and its login are in the lab: a folder of the node, and a variable. An image of a user's has both in it, or in a Secret. */
function settingsOf(modelUrl: string, gate: string) {
	return {
		type: 'k8s',
		context: 'lab',
		image: 'localhost/nancy-delegate:1',
		pod: {
			hostNetwork: true,
			volumes: [
				{ name: 'agent', hostPath: { path: dirname(dirname(claudeExecutable)) } },
				{ name: 'gate', hostPath: { path: gate } },
			],
		},
		container: {
			imagePullPolicy: 'Never',
			resources: { requests: { cpu: '100m', memory: '100Mi' } },
			volumeMounts: [
				{ name: 'agent', mountPath: '/agent', readOnly: true },
				{ name: 'gate', mountPath: '/gate', readOnly: true },
			],
			env: [
				{ name: 'PATH', value: '/agent/.bin:/usr/bin:/bin' },
				{ name: 'ANTHROPIC_BASE_URL', value: modelUrl },
				{ name: 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', value: '1' },
				{ name: 'DISABLE_AUTOUPDATER', value: '1' },
				{ name: 'IS_SANDBOX', value: '1' },
			],
		},
		forwardEnv: ['ANTHROPIC_API_KEY'],
		max: 8,
	};
}

/** A step that lasts until {@link machines} opens the gate. */
const GATE = '[[sh:until test -e /gate/open; do sleep 0.2; done]]';

/** The user's machine, and the cluster as they have named it. */
async function machines({ resources, ...change }: { resources?: object; image?: string; context?: string } = {}) {
	const lab = await deployedLab({ isDeployed: false });
	const gate = join(lab.home, 'gate');
	mkdirSync(gate);
	const key = lab.agent.env['ANTHROPIC_API_KEY'] ?? '';
	const user = userMachine(nancy, lab, {
		on: 'k',
		path: [dirname(claudeExecutable), dirname(process.execPath)],
		more: { ...cluster.env, ANTHROPIC_API_KEY: key },
	});
	const { container, ...settings } = settingsOf(lab.model.url, gate);
	const k = { ...settings, container: { ...container, ...(resources && { resources }) }, ...change };
	user.nameExecutors({ k });
	return {
		lab,
		key,
		...user,
		open: () => writeFileSync(join(gate, 'open'), ''),
		/** A delegate that has done half of its work, and waits at the gate. */
		async halfDone(rest = '[[text:It is done there.]]') {
			const id = await user.delegate(`[[write:made.txt|half]] ${GATE} ${rest}`);
			await user.atWork(2);
			return id;
		},
		[Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
	};
}

/** Jobs, pods and secrets. */
function left(): string {
	return cluster.call('get', 'jobs,pods,secrets', '--output=name').trim();
}

/** A node gives a pod its 30 seconds, and the container's program no shorter time than it was given first. */
async function nothingLeft(): Promise<void> {
	await eventually('nothing left', () => left() === '' || undefined, { timeoutMs: 3 * HANG_MS });
}

/** A file of the pod of a delegate; `undefined` if it is not there. */
function inPod(id: string, ...words: string[]): string | undefined {
	try {
		return cluster.call('exec', `job/nancy-${id}`, '--', ...words);
	} catch {
		return undefined;
	}
}

describe('a delegate in a Kubernetes cluster', () => {
	it('works in a pod there, and its branch, answer and log come back', async () => {
		await using user = await machines();
		const id = await user.delegate(
			'[[write:made.txt|from the pod]] [[sh:echo in the pod]] [[text:It is done there.]]',
		);
		await eventually('a job', () => left().includes(`job.batch/nancy-${id}`) || undefined);
		const ended = await user.ended(id);
		expect(ended.error).toBeUndefined();
		expect(ended).toMatchObject({ status: 'done', on: 'k8s:k@lab', branch: `nancy/${id}` });
		expect(readFileSync(ended.output, 'utf8')).toBe('It is done there.');
		expect(readFileSync(ended.log, 'utf8')).toContain('● Bash');
		expect(user.git('show', `nancy/${id}:made.txt`)).toBe('from the pod');
		await nothingLeft();
	});

	it('has its key on no disk, in no manifest and in no command line, and gets messages at its next tool call', async () => {
		await using user = await machines();
		const id = await user.halfDone('[[sh:echo next]] [[text:Steered.]]');
		const { worker } = await user.now();
		const sent = await user.call(['send', worker, 'Use the other file.', '--json']);
		expect(sent.stderr).toBe('');
		const message: string = JSON.parse(sent.stdout).id;
		const inbox = `ls /root/.nancy-remote/jobs/${id}/.nancy/tasks/*/comms/*/inbox`;
		await eventually('carried', () => inPod(id, 'sh', '-c', inbox)?.includes(message) || undefined);
		expect(commandLinesWith(user.key)).toEqual([]);
		expect(filesWith(cluster.folder, user.key)).toEqual([]);
		expect(filesWith(user.lab.workspace.file('.nancy'), user.key)).toEqual([]);
		user.open();
		expect(await user.ended(id)).toMatchObject({ status: 'done' });
		expect(JSON.stringify(user.lab.model.requests)).toContain('Use the other file.');
		expect((await user.mail(worker)).map(({ receipt }) => receipt?.deliveredAt)).toEqual([expect.any(String)]);
		await nothingLeft();
	});

	it('says why it waits for a place, and can be stopped before it begins', async () => {
		await using user = await machines({ resources: { requests: { cpu: '1000' } } });
		expect((await user.call(['executors', 'k'])).stdout).toBe('k  k8s:k@lab: ready\n');
		const id = await user.delegate('[[text:Never.]]');
		const words = 'Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.';
		await eventually('waiting', async () => (await user.now()).waitsInQueue === words || undefined);
		expect((await user.call(['delegates'])).stdout).toContain(
			`${id} waiting · on k8s:k@lab · waits: Unschedulable: 0/1 nodes are available`,
		);
		expect((await user.call(['delegates', id, '--stop'])).code).toBe(0);
		expect(await user.ended(id)).toMatchObject({ status: 'failed', error: 'cancelled' });
		await nothingLeft();
	});

	it('fails where its image can never be had, or its cluster is unknown', async () => {
		await using user = await machines({ image: 'localhost/none:1' });
		const ended = await user.ended(await user.delegate('[[text:Never.]]'));
		expect(ended.error).toContain('Kubernetes would never start it: ErrImageNeverPull');
		await using other = await machines({ context: 'gone' });
		expect((await other.call(['executors', 'k'])).stdout).toContain('context "gone" does not exist');
		const refused = await other.ended(await other.delegate('[[text:Never.]]'));
		expect(refused.error).toContain('context "gone" does not exist');
		await nothingLeft();
	});

	it('is stopped while it works, and its work comes back', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		expect((await user.call(['delegates', id, '--stop'])).code).toBe(0);
		expect(await user.ended(id)).toMatchObject({ status: 'failed', error: 'cancelled' });
		expect(user.git('show', `nancy/${id}:made.txt`)).toBe('half');
		await nothingLeft();
	});

	it('whose job a person deletes brings its work back, says so, and runs no second time', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		cluster.call('delete', 'job', `nancy-${id}`, '--wait=false');
		const ended = await user.ended(id);
		expect(ended.error).toContain('(Kubernetes: its pod is being deleted)');
		expect(user.git('show', `nancy/${id}:made.txt`)).toBe('half');
		await nothingLeft();
	});

	it('whose pod alone is deleted brings its work back, and the next pod of its job runs nothing', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		cluster.call('delete', 'pods', `--selector=nancy/delegate=${id}`, '--wait=false');
		const ended = await user.ended(id);
		expect(ended.error).toContain('(Kubernetes: its pod is being deleted)');
		expect(user.git('show', `nancy/${id}:made.txt`)).toBe('half');
		await nothingLeft();
	});

	it('whose container is killed fails with what Kubernetes says of it', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		cluster.killContainer(id);
		const ended = await user.ended(id);
		expect(ended.error).toBe('its runner on the other machine is lost (Kubernetes: Error, exit 137)');
		await nothingLeft();
	});

	it('whose node does not answer for a while is waited for, and goes on', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		await cluster.withoutNode(async () => {
			await eventually('not seen', async () => (await user.now()).notSeenSince);
		});
		user.open();
		expect(await user.ended(id)).toMatchObject({ status: 'done' });
		await nothingLeft();
	});

	it('whose node is lost is given up once its pod is deleted, and leaves nothing there when the node is back', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		await cluster.withoutNode(async () => {
			// A cluster of several nodes does that by itself.
			cluster.call('delete', 'pods', `--selector=nancy/delegate=${id}`, '--wait=false');
			const ended = await user.ended(id);
			expect(ended.error).toContain('(Kubernetes: its pod is being deleted, and it cannot be reached;');
		});
		await nothingLeft();
	});

	it('whose step the kernel kills for want of memory goes on, and its agent is told', async () => {
		await using user = await machines({ resources: { limits: { memory: '900Mi' } } });
		const eat = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"';
		const ended = await user.ended(await user.delegate(`[[sh:${eat}]] [[text:It is done there.]]`));
		expect(ended).toMatchObject({ status: 'done' });
		expect(readFileSync(ended.log, 'utf8')).toContain('✗ Exit code 137');
		await nothingLeft();
	});

	it('whose runner here is killed is found again, and runs once', async () => {
		await using user = await machines();
		const id = await user.halfDone();
		process.kill(user.runner(id), 'SIGKILL');
		user.open();
		expect(await user.ended(id)).toMatchObject({ status: 'done' });
		const begun = readFileSync(user.log(id), 'utf8').split('made.txt').length - 1;
		expect(begun).toBe(1);
		expect(user.git('show', `nancy/${id}:made.txt`)).toBe('half');
		await nothingLeft();
	});
});
