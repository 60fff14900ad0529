import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENDED, identify, liveness, type ProcessIdentity } from '../../../src/base/liveness.ts';
import { stopTree } from '../../../src/process/stopTree.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { notLinux } from '../../support/skipped.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/** Starts a shell script that prints the pids of its children, one a line, and then `ready`. */
async function startScript(
	script: string,
	detached = true,
): Promise<{ child: ChildProcess; children: ProcessIdentity[] }> {
	const child = spawn('sh', ['-c', script], { detached, stdio: ['ignore', 'pipe', 'inherit'] });
	let output = '';
	for await (const chunk of child.stdout) {
		output += String(chunk);
		if (output.includes('ready')) break;
	}
	const children = (output.match(/\d+/g) ?? []).map(pid => identify(Number(pid)));
	return { child, children };
}

const idOf = (child: ChildProcess) => identify(child.pid ?? 0);
/** The system may take its time with those that are killed. */
const haveEnded = (processes: readonly ProcessIdentity[]) =>
	eventually('they have ended', () => processes.every(each => liveness(each) === 'dead'));

describe('stopTree', () => {
	it('asks a process to end and tells that it did', async () => {
		const { child } = await startScript('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done');
		const ended = once(child, 'exit');

		expect(await stopTree(idOf(child), HANG_MS)).toBe('stopped');
		expect(await ended).toEqual([7, null]);
	});

	it('kills what does not listen, with everything below it', async () => {
		const { child, children } = await startScript(
			'trap "" TERM; sleep 60 & echo $!; setsid sleep 60 & echo $!; echo ready; while :; do sleep 0.05; done',
		);
		const ended = once(child, 'exit');

		expect(await stopTree(idOf(child), 200)).toBe('killed');
		expect(await ended).toEqual([null, 'SIGKILL']);
		await haveEnded(children);
	});

	it('reaches tools in a session of their own when the agent itself ends politely', async () => {
		const { child, children } = await startScript('setsid sh -c "echo \\$\\$; echo ready; exec sleep 60" & wait');

		expect(await stopTree(idOf(child), 200)).toBe('killed');
		await haveEnded(children);
	});

	it('reaches what such a tool has started since, though the agent itself is gone by then', async () => {
		await using folder = tempFolder();
		const tool = `echo $$; echo ready; sleep 0.3; sleep 60 & echo $! >${folder.file('late')}; wait`;
		const { child } = await startScript(`setsid sh -c '${tool}' & wait`);

		expect(await stopTree(idOf(child), 1500)).toBe('killed');
		expect(liveness(identify(Number(readFileSync(folder.file('late'), 'utf8'))))).toBe('dead');
	});

	it('leaves a group alone that the process does not lead', async () => {
		const { child, children } = await startScript(
			'sleep 60 & echo $!; trap "" TERM; sleep 60 & echo $!; trap - TERM; echo ready; wait',
		);
		const [sibling, target] = children;
		if (!sibling || !target) throw new Error('two children were expected');

		expect(await stopTree(target, 200)).toBe('killed');
		await haveEnded([target]);
		expect([liveness(sibling), liveness(idOf(child))]).toEqual(['alive', 'alive']);
		await stopTree(idOf(child), 200);
	});

	it('ends a suspended process', async () => {
		const { child } = await startScript('echo ready; while :; do sleep 0.05; done');
		child.kill('SIGSTOP');

		expect(await stopTree(idOf(child), HANG_MS)).toBe('stopped');
	});

	it.skipIf(notLinux)(`touches no process whose start is not known${notLinux}`, async () => {
		const { child } = await startScript('echo ready; exec sleep 60');
		const { pid } = idOf(child);

		expect(await stopTree({ pid, startedTicks: 0 }, 200)).toBe('not-running');
		expect([0, ENDED].map(startedTicks => liveness({ pid, startedTicks }))).toEqual(['dead', 'dead']);
		expect(liveness(idOf(child))).toBe('alive');
		await stopTree(idOf(child));
	});

	it('touches neither a later process with the same pid nor itself', async () => {
		const { child } = await startScript('echo ready; exec sleep 60');
		const { pid, startedTicks } = idOf(child);

		expect(await stopTree({ pid, startedTicks: startedTicks + 1 })).toBe('not-running');
		expect(await stopTree(identify(process.pid))).toBe('not-running');
		expect(await stopTree({ pid: 1, startedTicks: 0 })).toBe('not-running');
		expect(liveness(idOf(child))).toBe('alive');
		await stopTree(idOf(child));
	});
});
