import { appendFileSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/base/liveness.ts';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { folderId } from '../../src/core/live/deskView.ts';
import { TrafficReply } from '../../src/protocol/deskRooms.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { seedWorkspace } from '../support/seedWorkspace.ts';
import { seedDelegate, seedWorktree } from '../support/delegateSeeds.ts';
import { servedDesk, type ServedDesk } from '../support/servedDesk.ts';
import { taskRecord } from '../support/taskRecord.ts';

const NONCE = 'abcdefghijklmnop';
const KEY = [
	'-----BEGIN PRIVATE KEY-----',
	...Array.from({ length: 6 }, (_, at) => `MIIE${at}abcdefghij`),
	'-----END PRIVATE KEY-----',
];
const TOKEN = `ghp_${'aB3'.repeat(12)}`;

let desk: ServedDesk;
let token: string;
let viewer: string;
let store: Delegates;
let delegate: Delegate;
let worktree: string;
let folder: string;

beforeAll(async () => {
	desk = await servedDesk({}, { 'timer.js': `${'same\n'.repeat(20)}old\n`, 'key.pem': `${KEY.join('\n')}\nend\n` });
	({ token } = await desk.pair());
	({ token: viewer } = await desk.pair('view'));
	folder = folderId(desk.workspace.folder);
	store = new Delegates(desk.workspace);
	({ delegate, folder: worktree } = await seedWorktree(
		store,
		desk.folder.file('data'),
		{ title: 'Timer' },
		{
			'timer.js': `${'same\n'.repeat(20)}new\n<img src=x onerror="hit()">\nexport const token = "${TOKEN}";\n\u202eback\n`,
			'key.pem': `${KEY.with(3, 'MIIEchangedabcdef').join('\n')}\nend\n`,
		},
	));
	await desk.served.refresh();
});
afterAll(() => desk[Symbol.asyncDispose]());

const query = (more: Record<string, string> = {}) =>
	String(new URLSearchParams({ folder, delegate: delegate.record.id, ...more }));
const look = (room: string, more?: Record<string, string>, as = token) =>
	desk.get(`/api/v1/${room}?${query(more)}`, as);
const act = (verb: string, body: object, as = token) =>
	desk.post(`/api/v1/delegates/${delegate.record.id}/${verb}`, { folder, nonce: NONCE, ...body }, as);

describe('the changes of a delegate', () => {
	it('are listed by file, for any device', async () => {
		expect((await look('changes', {}, viewer)).json).toMatchObject({
			files: [
				{ path: 'key.pem', status: 'modified', lines: { insertions: 1, deletions: 1 } },
				{ path: 'timer.js', status: 'modified', lines: { insertions: 4, deletions: 1 } },
			],
			more: 0,
		});
	});

	it('are shown as a diff without secrets, with what would hide or reorder text as codes', async () => {
		const { text } = (await look('diff', { path: 'timer.js' })).json;
		expect(text).toContain(
			'-old\n+new\n+<img src=x onerror="hit()">\n+export const token = "[redacted]";\n+⟨U+202E⟩back',
		);
		expect(text).not.toContain(TOKEN);
	});

	it('have no line of a key that begins and ends outside of what is shown', async () => {
		const { status, text } = await look('diff', { path: 'key.pem' });
		expect(status).toBe(200);
		expect(text).not.toContain('MIIE');
	});

	it.each([
		'../timer.js',
		'/etc/passwd',
		'.git/config',
		'timer.js/../../x',
		'',
		'.',
		':(top)',
		'no:thing',
		'x'.repeat(900),
	])('have no file "%s"', async path => {
		expect([400, 404]).toContain((await look('diff', { path })).status);
	});

	it.each(['../../etc', 'x'.repeat(100), 'nobody'])('are none of a delegate "%s"', async name => {
		expect([400, 404]).toContain((await look('changes', { delegate: name })).status);
	});

	it('show no file behind a link', async () => {
		writeFileSync(desk.folder.file('secret'), 'outside');
		symlinkSync(desk.folder.file('secret'), join(worktree, 'link'));
		expect((await look('diff', { path: 'link' })).text).not.toContain('outside');
	});
});

describe('comments', () => {
	const remarks = [
		{ path: 'timer.js', line: 22, text: 'No markup.' },
		{ path: 'key.pem', line: 4, text: 'Why?' },
	];

	it('are refused of a device that may only look, and for a delegate that has ended', async () => {
		expect((await act('remarks', { remarks }, viewer)).status).toBe(403);
		expect((await act('remarks', { remarks, nonce: `${NONCE}1` })).json).toMatchObject({
			error: { code: 'wrong-state' },
		});
	});

	it('reach a delegate at work in one message from the person, however often they are sent', async () => {
		await desk.workspace.createTask(taskRecord(delegate.record.task, delegate.record.agent));
		const place = { is: 'folder', folder: worktree } as const;
		const busy = await seedDelegate(store, { title: 'Again', state: 'running', place, runner: ownIdentity() });
		await desk.served.refresh();
		for (const _ of [1, 2]) expect((await act('remarks', { remarks, nonce: `${NONCE}2` })).status).toBe(200);
		const { messages } = await desk.workspace.mailbox(busy.record).list(['queued']);
		expect(messages.map(({ content, author }) => [content.kind, content.text, author])).toEqual([
			[
				'feedback',
				'A person has reviewed the changes and comments on them.\n\nkey.pem:4\nWhy?\n\ntimer.js:22\nNo markup.',
				expect.objectContaining({ is: 'human' }),
			],
		]);
	});
});

describe('a delegate', () => {
	it('is not stopped by a device that may only look, nor by a name that is none', async () => {
		expect((await act('stop', {}, viewer)).status).toBe(403);
		for (const name of ['..%2f..%2fx', 'A', 'nobody'])
			expect((await desk.post(`/api/v1/delegates/${name}/stop`, { folder, nonce: NONCE }, token)).status).toBe(
				404,
			);
		expect((await desk.get(`/api/v1/delegates/${delegate.record.id}/stop`, token)).status).toBe(405);
	});

	it('is stopped by one that may send feedback, and then counts as stopped by its user', async () => {
		const { token: sender } = await desk.pair('feedback');
		const waiting = await seedDelegate(store, { title: 'Later', state: 'queued' });
		await desk.served.refresh();
		const { id } = waiting.record;
		const { status } = await desk.post(`/api/v1/delegates/${id}/stop`, { folder, nonce: `${NONCE}3` }, sender);
		expect(status).toBe(200);
		expect((await store.get(id)).state).toBe('failed');
	});
});

describe('a file', () => {
	const file = (path: string, more: Record<string, string> = {}) =>
		desk.get(`/api/v1/files?${String(new URLSearchParams({ folder, path, ...more }))}`, viewer);
	const project = (name: string) => join(desk.workspace.folder, name);

	beforeAll(() => {
		writeFileSync(project('.gitignore'), 'ignored.txt\n');
		writeFileSync(project('ignored.txt'), 'private');
		writeFileSync(project('binary'), 'a\0b');
		writeFileSync(project('large.txt'), 'x'.repeat(1024 * 1024 + 1));
		mkdirSync(project('inner'));
		writeFileSync(project('inner/env.sh'), `export API_TOKEN=${TOKEN}\n${KEY.join('\n')}\n\u202eend\n`);
		mkdirSync(desk.folder.file('outside'));
		writeFileSync(desk.folder.file('outside/secret.txt'), 'outside');
		symlinkSync(desk.folder.file('outside/secret.txt'), project('link.txt'));
		symlinkSync(desk.folder.file('outside'), project('linked'));
		linkSync(desk.folder.file('outside/secret.txt'), project('second.txt'));
	});

	it('of the workspace is shown by lines, for any device', async () => {
		expect((await file('timer.js', { from: '20', to: '21' })).json).toEqual({
			path: 'timer.js',
			from: 20,
			total: 21,
			text: 'same\nold',
			isCut: false,
		});
		expect((await file(project('timer.js'), { from: '22' })).json).toMatchObject({ text: '', total: 21 });
	});

	it('is shown without its secrets, each line at its place', async () => {
		const { text } = (await file('inner/env.sh')).json;
		expect(String(text).split('\n')).toHaveLength(2 + KEY.length);
		expect(text).not.toContain(TOKEN);
		expect(text).not.toContain('MIIE');
		expect(text).toContain('⟨U+202E⟩end');
		expect((await file('inner/env.sh', { from: '4', to: '6' })).text).not.toContain('MIIE');
	});

	it.each([
		'../outside/secret.txt',
		'inner/../../outside/secret.txt',
		'/etc/passwd',
		'..\\outside\\secret.txt',
		'link.txt',
		'linked/secret.txt',
		'second.txt',
		'.git/config',
		'.GIT/config',
		'.nancy/.gitignore',
		'ignored.txt',
		'binary',
		'large.txt',
		'inner',
		'nothing.txt',
		'inner/',
		'./timer.js',
		'',
		'.',
	])('named "%s" is not shown', async path => {
		const { status, text } = await file(path);
		expect([400, 404]).toContain(status);
		expect(text).not.toMatch(/outside"|private/);
	});

	it.each([{ from: '0' }, { from: '-1' }, { from: '1e9' }, { to: 'x' }, { path: 'x'.repeat(990) }])(
		'with %j is refused',
		async more => {
			expect([400, 404, 414]).toContain((await file('timer.js', more)).status);
		},
	);

	it('of a folder that is not served is not shown', async () => {
		expect((await file('timer.js', { folder: '0'.repeat(12) })).status).toBe(404);
	});
});

it('shows an agent’s traffic in the words of the command, one line each, and no other agent’s', async () => {
	const { address } = await seedWorkspace(desk.workspace.folder, {
		title: 'Watched',
		session: 'c0c0c0c0-0009',
		dataFolder: desk.folder.file('data'),
	});
	await desk.served.refresh();
	const of = (task: string, worker: string) =>
		desk.get(`/api/v1/traffic?${String(new URLSearchParams({ folder, task, worker }))}`, viewer);
	const { records } = (await of(address.task, address.worker)).json;
	expect(records).toMatchObject([
		{ kind: 'prompt' },
		{ kind: 'tool-start', text: 'PreToolUse Bash: npm test' },
		{ kind: 'tool-end', text: 'PostToolUse Bash: npm test (1200 ms)' },
		{ kind: 'stop' },
	]);
	expect((await of('nobody', 'worker')).status).toBe(404);
	expect((await of('../../x', 'worker')).status).toBe(400);
});

it('shows the newest 100 of ten thousand events of an agent, each as one short line, whatever its words are', async () => {
	const session = SessionId.parse('c0c0c0c0-0010');
	const dataFolder = desk.folder.file('data');
	const { address } = await seedWorkspace(desk.workspace.folder, { title: 'Busy', session, dataFolder });
	const at = new Date().toISOString();
	const record = (count: number) => ({
		version: 1,
		type: 'event',
		id: `many-${count}`,
		at,
		...address,
		event: {
			driver: 'claude-code',
			session,
			kind: 'tool-start',
			event: 'PreToolUse',
			tool: 'Bash',
			// Neither is a path: one is too long for a name, the other leads through a file.
			summary: count % 2 === 0 ? `${count} ${'x'.repeat(400)}` : `timer.js/${count}`,
		},
		payload: {},
	});
	const lines = Array.from({ length: 10_000 }, (_, count) => `${JSON.stringify(record(count))}\n`);
	appendFileSync(desk.workspace.paths.trafficFile(session), lines.join(''));
	await desk.served.refresh();
	const asked = String(new URLSearchParams({ folder, task: address.task, worker: address.worker }));
	const { status, text, json } = await desk.get(`/api/v1/traffic?${asked}`, viewer);
	expect([status, text.slice(0, 200)]).toEqual([200, expect.stringContaining('"records"')]);
	const { records } = TrafficReply.parse(json);
	expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => `many-${9900 + index}`));
	expect(text.length).toBeLessThan(100 * 1000);
	// What every page gets of that agent is its last event alone.
	const { text: state } = await desk.get('/api/v1/state', viewer);
	expect(state).toContain('Busy');
	expect(state).not.toContain('many-');
	expect(state.length).toBeLessThan(50_000);
});

it('lists what is allowed, who has answered and the devices, without a token or a digest', async () => {
	const { status, json, text } = await desk.get(`/api/v1/allowed?folder=${folder}`, viewer);
	expect(status).toBe(200);
	expect(json).toEqual({ added: [], rules: [], isPaused: false, answers: [] });
	const devices = await desk.get('/api/v1/devices', viewer);
	expect(devices.json['devices']).toMatchObject([
		{ scope: 'answer', isThis: false },
		{ scope: 'view', isThis: true },
		{ scope: 'feedback', isThis: false },
	]);
	expect(text + devices.text).not.toMatch(/token|server|digest/);
});

it.each(['changes', 'diff', 'files', 'traffic', 'allowed', 'devices'])(
	'changes nothing by GET %s, and takes no POST',
	async room => {
		expect((await desk.post(`/api/v1/${room}`, {}, token)).status).toBe(405);
		expect((await desk.get(`/api/v1/${room}`)).status).toBe(401);
		expect((await desk.ask(`/api/v1/${room}`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
	},
);
