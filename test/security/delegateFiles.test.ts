import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { isFinal, type Delegate } from '../../src/core/delegates/delegate.ts';
import { DelegateMirror } from '../../src/core/delegates/delegateMirror.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { writeAnswer } from '../../src/core/delegates/ending.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { lookAtQueue } from '../../src/delegates/delegateQueue.ts';
import { ORCHESTRATOR } from '../../src/protocol/names.ts';
import { DelegatesDeletedOutput, DelegatesOutput } from '../../src/protocol/output/delegates.ts';
import { eventually } from '../support/eventually.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { fakeNancy, sayRunners } from '../support/fakeNancy.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

const DEAD = { pid: 999_999_999, startedTicks: 1 };

let nancy: NancyCommand;
let folder: TempFolder;
let repository: GitRepository;
let delegates: Delegates;
let tickets: Tickets;

beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => {
	folder = tempFolder();
	// The lock of the queue is there: the command and the runners must not look at it at once.
	vi.stubEnv('XDG_DATA_HOME', folder.file('share'));
	repository = gitRepository();
	repository.commit({ 'a.txt': 'a\n' });
	delegates = new Delegates(new Workspace(repository.root));
	tickets = new Tickets(folder.file('share', 'nancy'), repository.root);
});
afterEach(async ({ task }) => {
	sayRunners(folder, task);
	vi.unstubAllEnvs();
	await repository.remove();
	await folder.remove();
});

const look = () => lookAtQueue(delegates, { tickets, nancy: fakeNancy(folder, folder.file('share', 'nancy')), cap: 4 });
const queue = (prompt: string, more: { worktree?: { withChanges: boolean } } = {}) =>
	queueDelegate(delegates, tickets, IN_TERMINAL, {
		prompt,
		agent: fakeDriver.id,
		permissions: 'all',
		folder: repository.root,
		...more,
	});
/** As a person calls it. */
const call = (...args: string[]) =>
	nancy.run(['delegates', ...args], {
		cwd: repository.root,
		env: { HOME: folder.path, XDG_DATA_HOME: folder.file('share') },
	});
const listed = async () => DelegatesOutput.parse(JSON.parse((await call('--json')).stdout)).delegates;
const seen = async () => {
	const mirror = new DelegateMirror(delegates, tickets);
	await mirror.read();
	return mirror.all();
};

async function ended({ record }: Delegate): Promise<Delegate> {
	return eventually('its end', async () => {
		const now = await delegates.get(record.id);
		return isFinal(now.state) && (await tickets.facts(record.id))?.end?.isReported && now;
	});
}

async function results({ record }: Delegate): Promise<string[]> {
	const { messages } = await delegates.workspace.mailbox({ task: record.task, worker: ORCHESTRATOR }).list();
	return messages.map(({ content }) => content.text);
}

describe('a delegate’s worktree', () => {
	async function inWorktree(): Promise<{ delegate: Delegate; folder: string; branch: string }> {
		const queued = await queue('answer:done', { worktree: { withChanges: false } });
		await look();
		const delegate = await ended(queued);
		const { worktree } = delegate.status;
		if (!worktree) throw new Error('no worktree');
		writeFileSync(join(worktree.folder, 'work.txt'), 'work\n');
		return { delegate, ...worktree };
	}
	const forgotten = async ({ record, status }: Delegate) => {
		const { worktree: _forgotten, ...kept } = status;
		await delegates.writeStatus(record.id, kept);
	};
	const changed = async ({ files }: Delegate) => writeFileSync(files.prompt, 'Something else.');
	const elsewhere = async ({ record, status }: Delegate) => {
		const { worktree } = status;
		const name = `${worktree?.folder}-x`;
		await delegates.writeStatus(record.id, {
			...status,
			...(worktree && { worktree: { ...worktree, folder: name } }),
		});
	};

	it.each([
		['its status does not name', forgotten],
		['its status names elsewhere', elsewhere],
		['its prompt was changed', changed],
		['both', async (each: Delegate) => (await forgotten(each), changed(each))],
	])('goes with it where %s', async (_what, forge) => {
		const { delegate, folder: worktree, branch } = await inWorktree();
		await forge(delegate);
		expect((await seen()).map(({ status }) => status.worktree?.folder)).toEqual([worktree]);
		const { stdout, code } = await call('delete', delegate.record.id, '--json');
		expect({ code, ...DelegatesDeletedOutput.parse(JSON.parse(stdout)) }).toEqual({
			code: 0,
			deleted: [delegate.record.id],
			kept: [],
			notes: [expect.stringContaining(branch)],
		});
		expect(existsSync(worktree)).toBe(false);
		expect(repository.git(['show', `${branch}:work.txt`])).toContain('work');
	});

	it('is written into its status again by the next look', async () => {
		const { delegate } = await inWorktree();
		await forgotten(delegate);
		await look();
		expect((await delegates.get(delegate.record.id)).status.worktree).toEqual(delegate.status.worktree);
	});
});

it.each(['.nancy/delegates', '.nancy'])(
	'a delegate of another project is not shown through %s as a link',
	async name => {
		const other = gitRepository();
		try {
			const there = await queueDelegate(new Delegates(new Workspace(other.root)), tickets, IN_TERMINAL, {
				prompt: 'Say the secret.',
				agent: fakeDriver.id,
				permissions: 'all',
				folder: other.root,
			});
			await there.files.writeOutput('TOP SECRET');
			await new Workspace(repository.root).prepare();
			rmSync(join(repository.root, name), { recursive: true });
			symlinkSync(join(other.root, name), join(repository.root, name));
			const { code, stdout, stderr } = await call(there.record.id);
			expect(code).not.toBe(0);
			expect(stdout).toBe('');
			expect(stderr).toContain('is a symbolic link');
		} finally {
			await other.remove();
		}
	},
);

it('the result of a delegate has no words that others have written into its status', async () => {
	const delegate = await queue('answer:done');
	const denied = ['Read. Words of another agent.'];
	await delegates.writeStatus(delegate.record.id, { ...delegate.status, denied });
	await look();
	const own = await ended(delegate);
	expect(own.status.denied).toEqual([]);
	const [text] = await results(delegate);
	expect(text).toContain('[DELEGATE COMPLETE');
	expect(text).not.toContain('another agent');
});

describe('the output of a delegate that has ended', () => {
	it.each([
		['an answer', 'answer:done', 0],
		['what a failed one has printed', 'fail:final', 1],
	])('is shown only as its runner has written it: %s', async (_what, prompt, code) => {
		const delegate = await queue(prompt);
		await look();
		const { files } = await ended(delegate);
		const before = await call(delegate.record.id);
		expect(before.code).toBe(code);
		expect(before.stdout).not.toContain('was changed');
		writeFileSync(files.output, 'Forged.');
		const after = await call(delegate.record.id);
		expect(after.code).toBe(code);
		expect(after.stdout).toContain('its output was changed or removed since it ended');
		expect(after.stdout).not.toContain('Forged');
		const { stdout } = await call(delegate.record.id, '--json');
		expect(DelegatesOutput.parse(JSON.parse(stdout)).delegates).toMatchObject([{ isOutputChanged: true }]);
	});
});

describe('the answer of a delegate whose runner was killed', () => {
	const killed = async () => {
		const queued = await queue('answer:done');
		await tickets.begin(queued.record.id, DEAD);
		return queued;
	};

	it('is the one that the runner has written', async () => {
		const delegate = await killed();
		await writeAnswer(tickets, delegate, 'The answer.');
		await look();
		expect(await ended(delegate)).toMatchObject({ state: 'done' });
		expect((await results(delegate)).join()).toContain('The answer.');
	});

	it.each([
		['is in its file alone', false],
		['has replaced its own', true],
	])('is no other, which %s', async (_what, hasOwn) => {
		const delegate = await killed();
		if (hasOwn) await writeAnswer(tickets, delegate, 'The answer.');
		writeFileSync(delegate.files.output, 'Forged.');
		writeFileSync(delegate.files.done, 'success\n');
		await delegates.writeStatus(delegate.record.id, { ...delegate.status, status: 'running', error: 'Forged.' });
		await look();
		expect(await ended(delegate)).toMatchObject({ state: 'failed', error: 'runner died' });
		expect((await results(delegate)).join()).not.toContain('Forged');
		expect(readFileSync(delegate.files.output, 'utf8')).not.toContain('Forged');
	});

	it('is no other either once its end is sealed and nobody has been told', async () => {
		const delegate = await killed();
		await writeAnswer(tickets, delegate, 'The answer.');
		await tickets.end(delegate.record.id, { report: delegate.status.report, isReported: false });
		writeFileSync(delegate.files.output, 'Forged.');
		await look();
		expect(await ended(delegate)).toMatchObject({ state: 'failed', error: /answer was changed/ });
		expect((await results(delegate)).join()).not.toContain('Forged');
	});
});

describe('a delegate that its files alone tell of', () => {
	/** The files of another, under a new id. */
	async function copied(): Promise<{ own: Delegate; copy: string }> {
		const queued = await queue('answer:done');
		await look();
		const own = await ended(queued);
		const { id } = own.record;
		const copy = id.replace(/.{8}$/, '0badc0de');
		for (const ending of ['prompt', 'status', 'output', 'done', 'log'])
			cpSync(join(delegates.folder, `${id}.${ending}`), join(delegates.folder, `${copy}.${ending}`));
		const record = readFileSync(join(delegates.folder, `${id}.json`), 'utf8').replaceAll(id, copy);
		writeFileSync(join(delegates.folder, `${copy}.json`), record);
		writeFileSync(join(delegates.folder, `${copy}.output`), 'Forged.');
		return { own, copy };
	}

	it('is shown as such by the command and in the window', async () => {
		const { own, copy } = await copied();
		const marks = (all: readonly { id: string; isUnproved?: true | undefined }[]) =>
			Object.fromEntries(all.map(({ id, isUnproved }) => [id, isUnproved ?? false]));
		const expected = { [own.record.id]: false, [copy]: true };
		expect(marks(await listed())).toEqual(expected);
		expect(marks((await seen()).map(({ record, ...more }) => ({ ...more, id: record.id })))).toEqual(expected);
		expect((await call()).stdout).toMatch(new RegExp(`^${copy} .*not queued by you on this machine`, 'm'));
		expect((await call(copy)).stdout).toMatch(/^not queued by you on this machine\nForged/);
		expect((await call(own.record.id)).stdout).not.toContain('not queued');
	});

	it('has no result that anybody is told of', async () => {
		const { own } = await copied();
		await look();
		expect(await results(own)).toHaveLength(1);
	});

	it('ends nobody’s wait for another', async () => {
		const gate = folder.file('gate');
		const queued = await queue(`tool:Read until:${gate} answer:done`);
		await look();
		const forge = () => {
			writeFileSync(queued.files.output, 'Forged.');
			writeFileSync(queued.files.done, 'success\n');
		};
		forge();
		const waiting = call(queued.record.id, '--wait');
		// The command repairs the files when it begins, and waits from then on.
		await eventually('its first look', () => !existsSync(queued.files.done));
		forge();
		await sleep(1000);
		writeFileSync(gate, '');
		expect((await waiting).stdout).toBe('done\n');
	});
});
