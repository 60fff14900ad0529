import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { NotSubmitted } from '../../../src/executors/executor.ts';
import { ShellExecutor } from '../../../src/executors/shellExecutor.ts';
import { LOST } from '../../../src/git/gitFailure.ts';
import { createWorktree } from '../../../src/git/worktree.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { WorktreeName } from '../../../src/protocol/worktree.ts';
import { smallRepository } from '../../support/delegateSeeds.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder('ns-');
	vi.stubEnv('XDG_RUNTIME_DIR', folder.path);
});
afterEach(async () => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
	await folder.remove();
});

/** A machine that says so of the job, and a runner here that lacks a variable. */
function submitting(is: string) {
	const steps: string[] = [];
	const seen = { is, log: '', nextOffset: 0, receipts: [], takenBack: [] };
	const way = {
		place: 'lab',
		gitCommand: () => '',
		ask: async () => ({ node: '', isThere: true }),
		step: async (_: string, name: string) => {
			steps.push(name);
			return { answers: [{ at: 0, answer: seen }] };
		},
	};
	const variables = () => Promise.reject(new NancyError('bad-usage', 'KEY is not set here'));
	const executor = new ShellExecutor(way, { folder: folder.path, version: '1-x' }, { variables });
	const submitted = executor.submit(folderMachine('').job).finally(() => executor.close());
	return { submitted, steps };
}

it('a job does not begin without a variable that it is to have', async () => {
	const { submitted, steps } = submitting('absent');
	await expect(submitted).rejects.toThrow(NotSubmitted);
	expect(steps).toEqual(['look']);
});

it('a job that runs there already needs the variable no more', async () => {
	const { submitted, steps } = submitting('running');
	await submitted;
	expect(steps).toEqual(['look']);
});

/** A job in a queue that says that it waits for variables, and what it gets. */
async function given(forwards: string[] | undefined): Promise<unknown[]> {
	const seen = { is: 'running', log: '', nextOffset: 0, receipts: [], takenBack: [], awaitsVariables: true };
	const got: unknown[] = [];
	const way = {
		place: 'lab',
		gitCommand: () => '',
		ask: async () => ({ node: '', isThere: true }),
		step: async (_version: string, name: string, input: unknown) => {
			if (name === 'variables') got.push(input);
			return { answers: [{ at: 0, answer: seen }] };
		},
	};
	const variables = () => Promise.resolve({ KEY: 'key', LATER: 'later' });
	const executor = new ShellExecutor(way, { folder: folder.path, version: '1-x' }, { variables });
	await executor.observe({ ...folderMachine('').job, forwards }, 0, []).finally(() => executor.close());
	return got;
}

it('an agent that makes a pipe of its own gets no variable that its job was not submitted with', async () => {
	expect(await given(undefined)).toEqual([]);
	expect(await given(['KEY'])).toMatchObject([{ variables: { KEY: 'key' } }]);
});

it('a connection that is lost while this machine sleeps for an hour may come again', async () => {
	const project = smallRepository(folder, { 'a.txt': 'one' });
	const id = DelegateId.parse('20261201t101538501z-4cc5001c');
	const name = WorktreeName.parse(id);
	const worktree = await createWorktree({ folder: project, name, withChanges: false, copyIncludes: false });
	let steps = 0;
	const way = {
		place: 'lab',
		gitCommand: () => `sh -c 'echo "${LOST}" >&2; exit 1' #`,
		ask: async () => ({ node: '', isThere: true }),
		step: async () => {
			if (++steps === 2) vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60 * 60_000);
			return { git: '/usr/bin/git', repository: '/repository.git' };
		},
	};
	const executor = new ShellExecutor(way, { folder: folder.path, version: '1-x' });
	const prepared = executor.prepare({ ...folderMachine('').job, id }, worktree, new AbortController().signal);
	await expect(prepared.finally(() => executor.close())).rejects.toMatchObject({ code: 'timeout' });
	expect(steps).toBe(2);
});
