import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asking } from '../../../src/drivers/codex/asking.ts';
import { Holder } from '../../../src/drivers/codex/holder.ts';
import { codex } from '../../../src/drivers/codex/driver.ts';
import { settingsIn, terminalArgs } from '../../../src/drivers/codex/ownServer.ts';
import type { Answer } from '../../../src/protocol/question.ts';
import { eventually } from '../../support/eventually.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const session = '01a20ffe-96e6-7113-807d-e256e550e3f1';
const child = '01a20ffe-995c-78d2-8ebb-88e5fd9e4abf';

/** As measured with 0.169.0. */
const request = {
	kind: 'command',
	threadId: session,
	turnId: '01a20ffe-9790-7f52-8d66-499573bad698',
	itemId: 'call_1',
	startedAtMs: 1795564673964,
	environmentId: 'local',
	reason: 'Run touch made',
	command: `/bin/bash -lc 'touch made'`,
	cwd: '/w',
	commandActions: [{ type: 'unknown', command: 'touch made' }],
	proposedExecpolicyAmendment: ['touch', 'made'],
	availableDecisions: ['accept', { acceptWithExecpolicyAmendment: {} }, 'cancel'],
};

const called = (more: object = {}, about: object = {}) => ({
	event: 'askCommand',
	payload: { session, folders: [], ...about, request: { ...request, ...more } },
	env: {},
});
const read = (more?: object, about?: object) => {
	const found = asking.read(called(more, about));
	if (found === 'none') throw new Error('it asks nothing');
	return found;
};

describe('what Codex asks', () => {
	it('is a command as its user would type it, with the shell and all else that the CLI says', () => {
		expect(read({ sandboxPermissions: { network: true } })).toMatchObject({
			session,
			kind: 'tool',
			tool: 'Bash',
			call: 'call_1',
			cwd: '/w',
			title: 'touch made',
			body: 'touch made',
			bodyIs: 'command',
			also: [
				{ name: 'sandbox', value: 'not once it is allowed' },
				{ name: 'shell', value: 'bash -lc' },
				{ name: 'reason', value: 'Run touch made' },
				{ name: 'sandboxPermissions', value: '{"network":true}' },
			],
			choices: [{ effect: 'once' }, { effect: 'no', isMute: true }, { effect: 'end', isMute: true }],
		});
	});

	it.each([
		`/bin/bash -lc "touch \\"a\\""`,
		`/bin/bash -lc 'a'"'"'b'`,
		`/bin/bash -lc 'a' 'b'`,
		'touch a',
		`env bash -lc 'a'`,
	])('is shown as the CLI names it where quotes hide something: %s', command =>
		expect(read({ command })).toMatchObject({ body: command }),
	);

	it('is a subagent’s by its thread', () => {
		expect(read({ threadId: child }, { subagent: child })).toMatchObject({ session, subagent: child });
	});

	it.each<[string, object]>([
		['input to a command that runs', { kind: 'writeStdin' }],
		['a command of the person’s own', { kind: 'humanCommand' }],
		['a part of a command', { approvalId: 'one' }],
		['the net', { networkApprovalContext: { host: 'example.org' } }],
		['nothing that it names', { command: null }],
	])('stays in the terminal where it is about %s', (_, more) => {
		expect(asking.read(called(more))).toBe('none');
	});

	it('cannot be allowed here where the CLI does not offer that', () => {
		expect(read({ availableDecisions: ['cancel'] }).choices.map(({ effect }) => effect)).toEqual(['no', 'end']);
	});

	it('offers no rule, also where the CLI would keep one for its session or in its policy', () => {
		const availableDecisions = ['accept', 'acceptForSession', { acceptWithExecpolicyAmendment: {} }, 'cancel'];
		const { choices } = read({ availableDecisions });
		expect(choices.map(({ effect, rule, keptIn }) => [effect, rule, keptIn])).toEqual(
			['once', 'no', 'end'].map(effect => [effect, undefined, undefined]),
		);
	});

	it('is answered in the CLI’s words, and by no rule', () => {
		const answered = (effect: Answer['effect']) =>
			JSON.parse(asking.answer(called(), { effect } as Answer).stdout) as object;
		expect(answered('once')).toEqual({ decision: 'accept' });
		expect(answered('no')).toEqual({ decision: 'decline' });
		expect(answered('end')).toEqual({ decision: 'cancel' });
		for (const effect of ['session', 'folder', 'user'] as const) expect(() => answered(effect)).toThrow(effect);
	});

	it('is held nowhere where the agent could write the answer', async () => {
		const folders = ['/home/me/.local'];
		expect(await asking.addedFolders(called({}, { folders }), '/w', [])).toEqual(folders);
	});
});

describe('the holder of a terminal', () => {
	/** With a guard that keeps what it is asked, and then does what `acts` says. */
	async function holding(acts: string) {
		const folder = tempFolder();
		const launcher = folder.file('nancy-hook');
		writeFileSync(launcher, `#!/bin/sh\ncd '${folder.path}'\necho "$*" >>called\ncat >asked\n${acts}\n`);
		chmodSync(launcher, 0o755);
		const sent: { id?: string | number; method?: string; result?: unknown; params?: unknown }[] = [];
		const place = { launcher, workspaceFolder: '/w', env: { PATH: process.env['PATH'] }, server: 1 };
		const holder = new Holder(place, message => sent.push(message));
		holder.begin();
		const take = (message: object) => holder.take(JSON.stringify(message));
		const read = (file: string) =>
			existsSync(folder.file(file)) ? readFileSync(folder.file(file), 'utf8').trim() : '';
		return {
			holder,
			sent,
			take,
			read,
			has: (file: string) => existsSync(folder.file(file)),
			joins: (id = session, parentThreadId?: string, writableRoots: string[] = []) =>
				take({
					id: 'nancy-2',
					result: { thread: { id, parentThreadId }, sandbox: { type: 'workspaceWrite', writableRoots } },
				}),
			asks: (id: number, more: object = {}) =>
				take({ id, method: 'item/commandExecution/requestApproval', params: { ...request, ...more } }),
			over: (requestId: number) =>
				take({ method: 'serverRequest/resolved', params: { threadId: session, requestId } }),
			status: (type: string, threadId = session) =>
				take({ method: 'thread/status/changed', params: { threadId, status: { type } } }),
			answers: () => sent.filter(({ result }) => result !== undefined),
			[Symbol.asyncDispose]: async () => {
				holder.end();
				await folder.remove();
			},
		};
	}
	const waits = `for name in USR2 TERM; do trap "echo $name >signal; echo '{}'; exit" $name; done; : >waits; while :; do sleep 0.05; done`;

	it('joins a thread once it works, and sends what a person answered to the request that its guard held', async () => {
		await using it = await holding(`echo '{"decision":"accept","id":8}'`);
		it.status('active');
		expect(it.sent.at(-1)).toMatchObject({ method: 'thread/resume', params: { threadId: session } });
		it.joins(session, undefined, ['/x']);
		it.status('active');
		expect(it.sent.filter(({ method }) => method === 'thread/resume')).toHaveLength(1);
		it.asks(7);
		await eventually('it is answered', () => it.answers().length > 0);
		expect(it.answers()).toEqual([{ id: 7, result: { decision: 'accept' } }]);
		expect(it.read('called')).toBe('codex askCommand ask /w');
		expect(JSON.parse(it.read('asked'))).toMatchObject({ session, folders: ['/x'], request: { itemId: 'call_1' } });
	});

	it('holds a request once its thread has joined, with the folders in which its agent writes', async () => {
		await using it = await holding(`echo '{"decision":"accept"}'`);
		it.status('active');
		for (const id of [7, 8]) it.asks(id);
		it.asks(9, { threadId: child });
		it.over(8);
		await new Promise(resolve => setTimeout(resolve, 300));
		expect(it.has('called')).toBe(false);
		it.joins(session, undefined, ['/x']);
		await eventually('it is answered', () => it.answers().length > 0);
		await new Promise(resolve => setTimeout(resolve, 300));
		expect(it.answers()).toEqual([{ id: 7, result: { decision: 'accept' } }]);
		expect(it.read('called').split('\n')).toHaveLength(1);
		expect(JSON.parse(it.read('asked'))).toMatchObject({ session, folders: ['/x'] });
	});

	it.each(['', '}{', '{}', '{"decision":"acceptForSession"}', '{"decision":{"accept":1}}', '"accept"', '[]'])(
		'says nothing where its guard prints %j',
		async print => {
			await using it = await holding(`printf '%s' '${print}'; : >over`);
			it.joins();
			it.asks(7);
			await eventually('it is over', () => it.read('called') !== '' && it.read('asked') !== '');
			await new Promise(resolve => setTimeout(resolve, 300));
			expect(it.answers()).toEqual([]);
		},
	);

	it('asks for a subagent in its agent’s session', async () => {
		await using it = await holding('true');
		it.joins(child, session);
		it.asks(7, { threadId: child });
		await eventually('it asks', () => it.read('asked') !== '');
		expect(JSON.parse(it.read('asked'))).toMatchObject({ session, subagent: child });
	});

	it.each([
		['USR2', 'Yes', 'a change of its thread', (room: Awaited<ReturnType<typeof holding>>) => room.status('active')],
		[
			'TERM',
			'No',
			'an item that was declined',
			(room: Awaited<ReturnType<typeof holding>>) =>
				room.take({
					method: 'item/completed',
					params: { threadId: session, item: { id: 'call_1', status: 'declined' } },
				}),
		],
	])('ends its guard with SIG%s where the terminal has said %s: %s', async (signal, _yes, _by, tells) => {
		await using it = await holding(waits);
		it.joins();
		it.asks(7);
		await eventually('it waits', () => it.has('waits'));
		it.over(7);
		tells(it);
		expect(await eventually('it ends', () => it.read('signal') || undefined)).toBe(signal);
		expect(it.answers()).toEqual([]);
	});

	it('sends no answer to a request that is over, and holds nothing else', async () => {
		await using it = await holding(`sleep 0.3; echo '{"decision":"accept"}'`);
		it.joins();
		it.asks(7);
		it.over(7);
		for (const method of [
			'item/fileChange/requestApproval',
			'mcpServer/elicitation/request',
			'item/tool/requestUserInput',
		])
			it.take({ id: method, method, params: { threadId: session, itemId: 'x' } });
		await new Promise(resolve => setTimeout(resolve, 800));
		expect(it.answers()).toEqual([]);
		expect(it.read('called').split('\n')).toHaveLength(1);
	});
});

describe('a terminal with a server of its own', () => {
	const words = [
		'resume',
		'--no-daemon',
		'-c',
		'a=1',
		'--model',
		'm',
		'-cb=2',
		'--enable=x',
		'--',
		'-c',
		'--no-daemon',
	];

	it('gives the server its settings alone, and the terminal everything and the server’s address', () => {
		expect(settingsIn(words)).toEqual(['-c', 'a=1', '-cb=2', '--enable=x']);
		expect(terminalArgs(words, 'unix:///s')).toEqual(['resume', '--remote', 'unix:///s', ...words.slice(2)]);
		expect(terminalArgs(['--no-daemon', '--remote=ws://a'], 'unix:///s')).toBe('none');
		expect(terminalArgs(['--', '--no-daemon'], 'unix:///s')).toBe('none');
	});

	it('is started in the place of the CLI only where its user wants that', () => {
		if (codex.answersByChoice === 'none') throw new Error('it has answers');
		const hooks = { launcher: '/r/nancy-hook', folder: '/f' };
		expect(codex.answersByChoice.args(hooks)).toEqual([]);
		expect(
			codex.answersByChoice.inPlaceOf?.({ executable: '/bin/codex', args: words }, hooks, {
				workspaceFolder: '/w',
				cwd: '/w',
				env: {},
			}),
		).toEqual({
			executable: '/r/terminal',
			args: ['/r/hook/codex-terminal.js', '/r/nancy-hook', '/w', '/bin/codex', ...words],
		});
	});
});
