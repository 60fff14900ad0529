import { chmodSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepProgramsOutOf } from '../../../src/base/searchPath.ts';
import { Kubectl } from '../../../src/executors/kubectl.ts';
import { Kubernetes } from '../../../src/executors/kubernetes.ts';
import { Pod } from '../../../src/executors/pod.ts';
import type { PodFields } from '../../../src/protocol/podFields.ts';
import { Worktree } from '../../../src/protocol/worktree.ts';
import { eventually } from '../../support/eventually.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const CLUSTER = { name: 'k', context: 'default', namespace: undefined };
const { job } = folderMachine('');
const WORKTREE = Worktree.parse({
	repository: '/r',
	folder: '/r.worktrees/a',
	branch: 'nancy/a',
	base: '0'.repeat(40),
});
const labels = { 'nancy/delegate': job.id };
const pod = (state: object) => ({
	kind: 'Pod',
	metadata: { name: 'p', labels },
	status: { phase: 'Running', containerStatuses: [{ name: 'nancy', state }] },
});

let folder: TempFolder;
/** A `kubectl` in a folder, which does what a script says. */
function plant(at: string, script: string): void {
	mkdirSync(folder.file(at), { recursive: true });
	writeFileSync(folder.file(`${at}/kubectl`), `#!/bin/sh\n${script}\n`);
	chmodSync(folder.file(`${at}/kubectl`), 0o755);
}

beforeEach(() => {
	// A short name: sockets live in it.
	folder = tempFolder('nk-');
	vi.stubEnv('PATH', `${folder.file('bin')}${delimiter}${process.env['PATH']}`);
	vi.stubEnv('XDG_RUNTIME_DIR', folder.path);
});
afterEach(async () => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
	await folder.remove();
});

function kubernetes(fields: Partial<PodFields> = {}): Kubernetes {
	const runtime = { folder: folder.path, version: '1-x' };
	return new Kubernetes(CLUSTER, runtime, () => Promise.resolve({ image: 'agent:1', ...fields }));
}

/** Time passes, for the clock alone. */
function later(ms: number): void {
	vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

/** What a cluster lists, by a file of `kubectl`. */
function lists(config: string, ...items: object[]): void {
	writeFileSync(folder.file(config), JSON.stringify({ items }));
}

describe('what kubectl says', () => {
	it.each([
		'The Job "nancy-x" is invalid: spec.template: Invalid value',
		'Error from server: error when creating "STDIN": admission webhook "a.b" denied the request: no',
		'Error from server (Forbidden): jobs.batch is forbidden',
		`Warning: would violate PodSecurity "restricted:latest": ${'x'.repeat(900)}\nError from server (AlreadyExists): jobs.batch "nancy-x" already exists`,
	])('is a refusal: %s', async said => {
		writeFileSync(folder.file('said'), said);
		plant('bin', `cat '${folder.file('said')}' >&2; exit 1`);
		const refused = await new Kubectl(CLUSTER).call(['create']).catch((error: unknown) => error);
		expect(refused).toMatchObject({ code: 'io', message: expect.stringContaining(said.split('\n').at(-1)!) });
	});

	it.each([
		'Error from server (Conflict): Operation cannot be fulfilled on resourcequotas "q"',
		'Unable to connect to the server: dial tcp: connection refused',
	])('may pass: %s', async said => {
		plant('bin', `echo '${said}' >&2; exit 1`);
		await expect(new Kubectl(CLUSTER).call(['create'])).rejects.toMatchObject({ code: 'timeout' });
	});
});

it('a kubectl that an agent has put on the PATH does not run', async () => {
	plant('bin', `echo 'NANCY true'`);
	plant('workspace/bin', `touch '${folder.file('ran')}'; echo 'NANCY false'`);
	keepProgramsOutOf([folder.file('workspace')]);
	vi.stubEnv('PATH', `${folder.file('workspace/bin')}${delimiter}${process.env['PATH']}`);
	expect(await new Pod(new Kubectl(CLUSTER), 'p').ask(['true'], '', 60_000)).toBe(true);
	expect(existsSync(folder.file('ran'))).toBe(false);
});

describe('a job of a cluster', () => {
	beforeEach(() => plant('bin', `cat "$KUBECONFIG"; echo "$*" >> '${folder.file('calls')}'`));

	it('is looked for by those alone who have the same files of kubectl: contexts may have one name', async () => {
		lists('one', pod({ terminated: { exitCode: 137, reason: 'Error' } }));
		lists('two', pod({ terminated: { exitCode: 1, reason: 'Error' } }));
		const executors = [];
		for (const config of ['one', 'two', 'two']) {
			vi.stubEnv('KUBECONFIG', folder.file(config));
			const executor = kubernetes();
			executors.push(executor);
			await executor.observe(job, 0, []);
		}
		expect(globSync('**/looks-*', { cwd: folder.path }).filter(name => !name.endsWith('.lock'))).toHaveLength(2);
		for (const executor of executors) executor.close();
	});

	it.each([
		['no job', []],
		['a pod that only waits', [pod({ waiting: { reason: 'ContainerCreating' } })]],
	])('is not given up at once where the cluster has %s, and is in the end', async (_, items) => {
		lists('one', ...items);
		vi.stubEnv('KUBECONFIG', folder.file('one'));
		const executor = kubernetes();
		await expect(executor.observe(job, 0, [])).rejects.toMatchObject({ code: 'timeout' });
		later(31_000);
		expect(await executor.observe(job, 0, [])).toMatchObject({ is: 'lost' });
		executor.close();
	});

	it('is asked for again before a step in it counts as done', async () => {
		lists('one', pod({ waiting: { reason: 'ContainerCreating' } }));
		vi.stubEnv('KUBECONFIG', folder.file('one'));
		const executor = kubernetes();
		const rescued = executor.rescue(job);
		await eventually('asked', () => existsSync(folder.file('calls')));
		lists('one', pod({ terminated: { exitCode: 1, reason: 'Error' } }));
		expect(await rescued).toBe(false);
		executor.close();
	});

	describe('whose pod is being deleted', () => {
		beforeEach(() => {
			const { metadata, ...rest } = pod({ running: {} });
			lists('one', { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
			plant(
				'bin',
				`case "$*" in *exec*) [ -e '${folder.file('reached')}' ] && echo 'NANCY {"error":"no"}'; exit 1 ;; *) cat "$KUBECONFIG" ;; esac`,
			);
			vi.stubEnv('KUBECONFIG', folder.file('one'));
		});

		it('is lost once it could not be reached for a while', async () => {
			const executor = kubernetes();
			for (let look = 0; look < 2; look++)
				await expect(executor.observe(job, 0, [])).rejects.toMatchObject({ code: 'timeout' });
			later(31_000);
			const why =
				'Kubernetes: its pod is being deleted, and it cannot be reached; until its node is back it may run on';
			expect(await executor.observe(job, 0, [])).toMatchObject({ is: 'lost', queueSays: why });
			executor.close();
		});

		it('is not lost if it is reached at last', async () => {
			const executor = kubernetes();
			await expect(executor.observe(job, 0, [])).rejects.toMatchObject({ code: 'timeout' });
			later(31_000);
			writeFileSync(folder.file('reached'), '');
			await expect(executor.observe(job, 0, [])).rejects.toMatchObject({ code: 'io' });
			executor.close();
		});

		it('gets no work', async () => {
			const executor = kubernetes();
			const prepared = executor.prepare(job, WORKTREE, AbortSignal.timeout(60_000), () => Promise.resolve());
			await expect(prepared).rejects.toThrow('Kubernetes has ended it before it began: its pod is being deleted');
			executor.close();
		});
	});

	it('does not begin without a variable that it is to have', async () => {
		lists('one', pod({ running: {} }));
		vi.stubEnv('KUBECONFIG', folder.file('one'));
		const executor = kubernetes({ forwardEnv: ['NOT_SET_HERE'] });
		const prepared = executor.prepare(job, WORKTREE, AbortSignal.timeout(60_000), () => Promise.resolve());
		await expect(prepared).rejects.toThrow('names NOT_SET_HERE, which is not set here');
		executor.close();
		expect(existsSync(folder.file('calls'))).toBe(false);
	});
});
