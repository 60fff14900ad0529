import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { uniqueHex } from '../../../src/base/unique.ts';
import { opencode } from '../../../src/drivers/opencode/driver.ts';
import { WAKE_WORDS } from '../../../src/drivers/bell.ts';
import { markedProcesses } from '../../../src/process/marked.ts';
import { parseMessage } from '../../../src/protocol/message.ts';
import { eventually, HANG_MS } from '../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { restoreEnvironment } from '../../support/environment.ts';

describe('the plugin of opencode', () => {
	let folder: TempFolder;
	const outer = { ...process.env };
	const { argv } = process;
	afterEach(async () => {
		process.argv = argv;
		restoreEnvironment(outer);
		await folder.remove();
	});

	type Hook = (input: object, output: object) => Promise<void>;

	/** The plugin as the CLI loads it, with a guard that keeps what it is given and answers with `answer`. */
	async function loaded(
		answer: string,
		{ scope = 'launch' as 'launch' | 'workspace', isInstalled = true, argv = ['/worker.js'], limits = {} } = {},
	) {
		process.argv = ['bun', ...argv];
		folder = tempFolder();
		const launcher = folder.file('nancy-hook');
		const told = folder.file('told');
		if (isInstalled) {
			writeFileSync(launcher, `#!/bin/sh\necho "$2 $3 $NANCY_HOOK_SESSION" >>'${told}'\n${answer}\n`);
			chmodSync(launcher, 0o755);
		}
		const plan = opencode.deployment({ version: [1, 18, 33], launcher, workspaceFolder: folder.path, scope });
		const [file] = scope === 'launch' ? plan.launchFiles : plan.files;
		const module = folder.file('nancy.mjs');
		// A guard may take long on a slow machine, and mostly several are called in a row.
		const content = Object.entries({ LIMIT_MS: HANG_MS, ...limits }).reduce(
			(text, [name, value]) =>
				text.replace(new RegExp(`const ${name} = \\d+`), `const ${name} = ${String(value)}`),
			file?.content ?? '',
		);
		writeFileSync(module, content);
		const { Nancy } = (await import(pathToFileURL(module).href)) as {
			Nancy: (context: object) => Promise<Record<string, Hook>>;
		};
		const prompted: string[] = [];
		/** What the CLI answers to a prompt. */
		const taking = { answer: (): object => ({}) };
		const posted: { url: string; body: object }[] = [];
		/** Whether the CLI still asks. */
		const asking = { isOpen: true };
		const client = {
			_client: {
				post: ({ url, body }: { url: string; body: object }) => {
					posted.push({ url, body: JSON.parse(JSON.stringify(body)) as object });
					return Promise.resolve(
						asking.isOpen ? { data: true } : { error: { _tag: 'PermissionNotFoundError' } },
					);
				},
			},
			session: {
				get: ({ path }: { path: { id: string } }) =>
					Promise.resolve({ data: path.id === 'ses_child' ? { parentID: 'ses_main' } : {} }),
				messages: () => Promise.resolve({ data: [{ info: { role: 'user', agent: 'plan' } }] }),
				promptAsync: ({ body }: { body: { agent: string; parts: { text: string }[] } }) => {
					prompted.push(`${body.agent}: ${body.parts[0]?.text}`);
					return Promise.resolve(taking).then(({ answer }) => answer());
				},
			},
		};
		const plugin = await Nancy({ client, directory: folder.path });
		const call = async (hook: string, input: object, output: object = {}) => {
			await plugin[hook]?.(input, output);
			return output;
		};
		return {
			plugin,
			prompted,
			posted,
			asking,
			taking,
			call,
			told: () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : []),
		};
	}

	/** Without the questions to the bell, which come by themselves while a session is idle. */
	const ofTurns = (lines: readonly string[]) => lines.filter(line => !line.startsWith('bell-asked'));
	const tool = { tool: 'bash', sessionID: 'ses_main', callID: 'call_1' };
	const result = () => ({ title: '', metadata: {}, output: 'made' });
	const idle = { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } };

	/** The inbox of the session, or the mailbox that is to hold one. */
	function mailbox({ inbox = true } = {}) {
		mkdirSync(folder.file('.nancy/sessions'), { recursive: true });
		writeFileSync(folder.file('.nancy/sessions/ses_main'), 'tasks/build/comms/worker\nwatched\n');
		const box = folder.file('.nancy/tasks/build/comms/worker');
		const path = inbox ? join(box, 'inbox') : box;
		mkdirSync(path, { recursive: true });
		return path;
	}

	/** What stands in an inbox, as nobody's but Nancy's. */
	const returnedTo = (inbox: string) =>
		readdirSync(inbox).map(name => {
			const read = parseMessage(readFileSync(join(inbox, name), 'utf8'));
			if (!read.ok || !/^returned-.*\.md$/.test(name)) throw new Error(`${name} is no message`);
			expect(read.content).toMatchObject({
				kind: 'directive',
				from: expect.stringContaining('opencode') as unknown,
			});
			return read.content.text;
		});

	it('does nothing where Nancy is gone, inside of another agent’s tool, or beside a launch’s own', async () => {
		expect((await loaded('', { isInstalled: false })).plugin).toEqual({});
		await folder.remove();
		process.env['NANCY_OPENCODE_PID'] = '1';
		expect((await loaded('')).plugin).toEqual({});
		await folder.remove();
		delete process.env['NANCY_OPENCODE_PID'];
		process.env['NANCY_TASK_DIR'] = '/w/.nancy/tasks/x';
		expect((await loaded('', { scope: 'workspace' })).plugin).toEqual({});
	});

	it.each([
		['says nothing', ''],
		['prints garbage and fails', `echo '}{'; echo no >&2; exit 3`],
		['answers what is no answer', `echo '{"context": 7, "deny": null, "prompt": []}'`],
	])('lets everything pass when the guard %s', async (_how, answer) => {
		const { call, prompted } = await loaded(answer);
		const parts = [{ id: 'prt_1', type: 'text', text: 'Hello', messageID: 'msg_1', sessionID: 'ses_main' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: {}, parts });
		expect(parts).toHaveLength(1);
		await call('tool.execute.before', tool, { args: {} });
		expect(await call('tool.execute.after', tool, result())).toEqual(result());
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } });
		await call('event', { event: { type: 'permission.asked', properties: {} } });
		expect(prompted).toEqual([]);
	});

	it.each(['before', 'after'])(
		'hands over with the next prompt what a broken-off tool threw away %s the guard had answered',
		async when => {
			const { call } = await loaded(`[ "$3" = boundary ] && echo '{"context":"Words"}'`);
			const state = { status: 'error', error: 'Tool execution aborted' };
			const part = { type: 'tool', ...tool, state };
			const breakOff = () => call('event', { event: { type: 'message.part.updated', properties: { part } } });
			if (when === 'before') await breakOff();
			const after = await call('tool.execute.after', tool, result());
			expect(after).toEqual(when === 'before' ? result() : { ...result(), output: 'made\n\nWords' });
			if (when === 'after') await breakOff();
			const prompt = async () => {
				const parts = [{ id: 'prt_1', type: 'text', text: 'On', messageID: 'msg_1', sessionID: 'ses_main' }];
				await call('chat.message', { sessionID: 'ses_main' }, { message: {}, parts });
				return parts.map(each => each.text);
			};
			expect(await prompt()).toEqual(['On', 'Words']);
			expect(await prompt()).toEqual(['On']);
		},
	);

	it('puts words beside a tool’s result and a prompt, and denies on a denial alone', async () => {
		const { call, told } = await loaded(`echo '{"context":"Words"}'`);
		expect(await call('tool.execute.after', tool, result())).toMatchObject({ output: 'made\n\nWords' });
		await call('tool.execute.before', tool, { args: {} });
		const parts = [{ id: 'prt_1', type: 'text', text: 'Hello', messageID: 'msg_1', sessionID: 'ses_main' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: {}, parts });
		expect(parts[1]).toMatchObject({ text: 'Words', synthetic: true, messageID: 'msg_1' });
		expect((parts[1]?.id ?? '') > 'prt_1').toBe(true);
		expect(ofTurns(told())).toEqual([
			'session-start program ses_main',
			'tool-end boundary ses_main',
			'tool-start boundary ses_main',
			'prompt turn ses_main',
		]);
		await folder.remove();
		const denying = await loaded(`echo '{"deny":"Stop that"}'`);
		await expect(denying.call('tool.execute.before', tool, { args: {} })).rejects.toThrow('Stop that');
	});

	it('hands nothing to a subagent', async () => {
		const { call, told } = await loaded(`echo '{"context":"Words","deny":"No"}'`);
		const inChild = { ...tool, sessionID: 'ses_child' };
		await call('chat.message', { sessionID: 'ses_child' }, { message: {}, parts: [{ id: 'prt_1', type: 'text' }] });
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_child' } } });
		expect(ofTurns(told())).toEqual(['subagent-stop report ses_main']);
		await expect(call('tool.execute.after', inChild, result())).resolves.toEqual(result());
	});

	it('goes on with what waited for the end, as the agent that the user had chosen', async () => {
		const { call, prompted, told } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
		await call('tool.execute.after', tool, result());
		await call('event', idle);
		expect(prompted).toEqual(['plan: One thing more']);
		const error = { sessionID: 'ses_main', error: { name: 'MessageAbortedError', data: {} } };
		await call('event', { event: { type: 'session.error', properties: error } });
		await call('event', idle);
		expect(prompted).toHaveLength(1);
		expect(ofTurns(told()).at(-1)).toBe('interrupted end ses_main');
	});

	it.each([
		['says so', () => ({ error: { name: 'UnknownError' } })],
		[
			'throws',
			() => {
				throw new Error('gone');
			},
		],
	])(
		'puts what was to be said at the end back into the inbox when the CLI does not take it and %s',
		async (_how, answer) => {
			const { call, taking, told } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
			const inbox = mailbox();
			await call('tool.execute.after', tool, result());
			taking.answer = answer;
			await call('event', idle);
			// Idle again, so that its bell wakes it.
			expect(ofTurns(told()).at(-1)).toBe('stop-failed end ses_main');
			expect(returnedTo(inbox)).toEqual(['One thing more']);
		},
	);

	it('puts back what the CLI took and had not begun with when it ended', async () => {
		const { call } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
		const inbox = mailbox();
		await call('tool.execute.after', tool, result());
		await call('event', idle);
		const parts = [{ id: 'prt_1', type: 'text', text: 'One thing more', messageID: 'msg_1' }];
		await call('chat.message', { sessionID: 'ses_main' }, { message: { agent: 'plan' }, parts });
		await call('dispose', {});
		expect(returnedTo(inbox)).toEqual([]);
		await call('event', idle);
		await call('dispose', {});
		expect(returnedTo(inbox)).toEqual(['One thing more']);
	});

	it('puts nothing back through a link', async () => {
		const { call, taking, told } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`);
		const elsewhere = folder.file('elsewhere');
		mkdirSync(elsewhere);
		symlinkSync(elsewhere, join(mailbox({ inbox: false }), 'inbox'));
		await call('tool.execute.after', tool, result());
		taking.answer = () => ({ error: { name: 'UnknownError' } });
		await call('event', idle);
		expect(ofTurns(told()).at(-1)).toBe('stop-failed end ses_main');
		expect(readdirSync(elsewhere)).toEqual([]);
	});

	it('goes on without a guard that hangs, and ends it after a while', async () => {
		// By this they are found: a slow one may be ended before it has run a line.
		const mark = uniqueHex(16);
		process.env['NANCY_TEST_GUARDS'] = mark;
		const { call } = await loaded('exec sleep 86400', {
			limits: { LIMIT_MS: 700, BEGIN_MS: 700, GRACE_MS: 300 },
		});
		const calls = ['one', 'two', 'three', 'four', 'five'].map(callID => ({ ...tool, callID }));
		await Promise.all(calls.map(each => call('tool.execute.before', each, { args: {} })));
		await eventually('none is left', async () => (await markedProcesses('NANCY_TEST_GUARDS', mark)).length === 0);
	});

	it.each([
		[['run', 'Fix it'], true],
		[['-m', 'some/model', 'run', 'serve it'], true],
		[['--print-logs', 'run', '-i'], false],
		[['serve'], false],
	])('knows from %j whether it ends with its turn', async (words, isRun) => {
		const { call, prompted } = await loaded(`[ "$2" = stop ] && echo '{"prompt":"One thing more"}'`, {
			argv: ['/main.js', ...words],
		});
		await call('tool.execute.after', tool, result());
		await call('experimental.text.complete', { sessionID: 'ses_main' }, { text: 'Bye' });
		expect(prompted).toHaveLength(isRun ? 1 : 0);
		await call('event', { event: { type: 'session.idle', properties: { sessionID: 'ses_main' } } });
		expect(prompted).toHaveLength(1);
	});

	it.each([
		['at once', 0],
		['later than a tool would wait', 1],
	])('wakes a resumed session that nobody has typed in, by its bell, told %s', async (_when, seconds) => {
		folder = tempFolder();
		const bell = folder.file('bell');
		const ofBell = folder;
		writeFileSync(bell, '');
		process.env['NANCY_OPENCODE_SESSION'] = 'ses_main';
		process.env['NANCY_OPENCODE_PROMPT'] = 'Go on';
		const { prompted, call } = await loaded(
			`[ "$2" = session-start ] && sleep ${seconds} && echo '{"bell":"${bell}"}'
			[ "$3" = wake ] && { echo '${WAKE_WORDS}' >&2; exit 2; }`,
			{ limits: { LIMIT_MS: 500 } },
		);
		expect(process.env['NANCY_OPENCODE_PROMPT']).toBeUndefined();
		await eventually('its first prompt', () => prompted.length === 1);
		// A bell that is not watched yet does not ring.
		const ring = () => appendFileSync(bell, 'rung');
		const isWoken = () => (prompted.includes(`plan: ${WAKE_WORDS}`) ? true : ring());
		await eventually('it is woken', isWoken, { everyMs: 700 });
		await call('dispose', {});
		await ofBell.remove();
	});

	it('asks for its bell again while the guard gives it none, and is woken for what came before', async () => {
		folder = tempFolder();
		const bell = folder.file('bell');
		const open = folder.file('open');
		const ofBell = folder;
		writeFileSync(bell, '');
		const { prompted, call, told } = await loaded(
			`[ "$3" = program ] && [ -e '${open}' ] && echo '{"bell":"${bell}"}'
			[ "$3" = wake ] && { echo '${WAKE_WORDS}' >&2; exit 2; }`,
			{ limits: { AGAIN_MS: 50 } },
		);
		const asked = () => told().filter(line => line === 'bell-asked program ses_main').length;
		await call('event', { event: { type: 'session.created', properties: { info: { id: 'ses_main' } } } });
		await eventually('it asks twice', () => asked() > 1);
		writeFileSync(open, '');
		await eventually('it is woken', () => prompted.includes(`plan: ${WAKE_WORDS}`));
		await call('dispose', {});
		expect(told().filter(line => line.startsWith('session-start'))).toHaveLength(1);
		await ofBell.remove();
	});

	it('takes nothing for a prompt that a guard says which fails with the code of a wake', async () => {
		folder = tempFolder();
		const bell = folder.file('bell');
		const ofBell = folder;
		writeFileSync(bell, '');
		const { prompted, call, told } = await loaded(
			`[ "$3" = program ] && echo '{"bell":"${bell}"}'
			[ "$3" = wake ] && { echo 'syntax error' >&2; exit 2; }`,
		);
		await call('event', { event: { type: 'session.created', properties: { info: { id: 'ses_main' } } } });
		const rung = () => told().filter(line => line.includes(' wake ')).length;
		await eventually('the guard was asked twice', () => rung() > 1 || appendFileSync(bell, 'rung'), {
			everyMs: 700,
		});
		await call('dispose', {});
		expect(prompted).toEqual([]);
		await ofBell.remove();
	});

	it('asks for no bell after its end', async () => {
		const { call, told } = await loaded('', { limits: { AGAIN_MS: 50 } });
		await call('event', { event: { type: 'session.created', properties: { info: { id: 'ses_main' } } } });
		const asked = () => told().filter(line => line.startsWith('bell-asked')).length;
		await eventually('it has begun', () => told().length > 0);
		await call('dispose', {});
		const before = asked();
		// Longer than four of its pauses. One question may have been on its way.
		await new Promise(resolve => setTimeout(resolve, 1000));
		expect(asked()).toBeLessThanOrEqual(before + 1);
	});

	const request = (id: string) => ({
		type: 'permission.asked',
		properties: {
			id,
			sessionID: 'ses_main',
			permission: 'bash',
			patterns: ['touch a'],
			metadata: { command: 'touch a' },
			always: ['touch *'],
			tool: { callID: 'call_1' },
		},
	});
	const question = { type: 'question.asked', properties: { id: 'que_1', sessionID: 'ses_main', questions: [] } };
	/** What a guard prints that holds a request, which is then over. */
	const holding = (print: string) => `[ "$3" = ask ] && { ${print}; echo over >>"\${0%/*}/over"; }`;
	const isOver = () => existsSync(folder.file('over'));

	it.each([
		['once', '{"reply":"once"}', request('per_1'), '/permission/per_1/reply', { reply: 'once' }],
		[
			'no',
			'{"reply":"reject","message":"No."}',
			request('per_1'),
			'/permission/per_1/reply',
			{ reply: 'reject', message: 'No.' },
		],
		['a text', '{"answers":[["Blue"]]}', question, '/question/que_1/reply', { answers: [['Blue']] }],
		['a dismissal', '{"reject":true}', question, '/question/que_1/reject', {}],
	])('carries an answer to the CLI: %s', async (_, print, event, url, body) => {
		const { call, posted } = await loaded(holding(`echo '${print}'`));
		await call('event', { event });
		await eventually('it is answered', () => posted.length > 0);
		expect(posted).toEqual([{ url, body }]);
	});

	it.each(['', '}{', '{}', '{"reply":"yes"}', '{"reply":true}', '[]', '{"answers":"Blue"}', '{"reject":"true"}'])(
		'tells the CLI nothing where a guard prints %j',
		async print => {
			const { call, posted } = await loaded(holding(`printf '%s' '${print}'`));
			await call('event', { event: request('per_1') });
			await call('event', { event: question });
			await eventually('both are over', () => isOver() && readFileSync(folder.file('over'), 'utf8').length > 5);
			// What it printed is read once it has ended.
			await new Promise(resolve => setTimeout(resolve, 300));
			expect(posted).toEqual([]);
		},
	);

	it('answers the request that this very guard held, whatever other request it names', async () => {
		const print = `grep -q per_2 && echo '{"reply":"once","id":"per_1","requestID":"per_1","request":"per_1"}'`;
		const { call, posted } = await loaded(holding(print));
		await call('event', { event: request('per_1') });
		await call('event', { event: request('per_2') });
		await eventually('it is answered', () => posted.length > 0);
		expect(posted).toEqual([{ url: '/permission/per_2/reply', body: { reply: 'once' } }]);
	});

	it('reports that an answer came too late', async () => {
		const { call, asking, told } = await loaded(holding(`echo '{"reply":"once"}'`));
		asking.isOpen = false;
		await call('event', { event: request('per_1') });
		await eventually('it is reported', () => told().includes('answer-late report ses_main'));
	});

	it.each([
		['USR2', 'permission.replied', { requestID: 'per_1', reply: 'once' }],
		['USR2', 'permission.replied', { requestID: 'per_1', reply: 'always' }],
		['TERM', 'permission.replied', { requestID: 'per_1', reply: 'reject' }],
		['HUP', 'session.idle', {}],
	])('ends with SIG%s the guard of a request that is over: %s %j', async (signal, type, properties) => {
		const trap = (name: string) => `trap 'echo ${name} >"\${0%/*}/signal"; echo "{}"; exit' ${name}`;
		const waits = `${['USR2', 'TERM', 'HUP'].map(trap).join('; ')}; : >"\${0%/*}/waits"; while :; do sleep 0.05; done`;
		const { call, posted } = await loaded(holding(waits));
		await call('event', { event: request('per_1') });
		await eventually('it waits', () => existsSync(folder.file('waits')));
		await call('event', { event: { type, properties: { sessionID: 'ses_main', ...properties } } });
		// The file is there before its content is.
		const seen = () =>
			(existsSync(folder.file('signal')) && readFileSync(folder.file('signal'), 'utf8').trim()) || undefined;
		expect(await eventually('it ends', seen)).toBe(signal);
		expect(posted).toEqual([]);
	});

	it('shows the input of the call that asks, and none where two calls have one name', async () => {
		const { call } = await loaded(holding(`cat >>"\${0%/*}/asked"`));
		const asked = () => (existsSync(folder.file('asked')) ? readFileSync(folder.file('asked'), 'utf8') : '');
		await call('tool.execute.before', tool, { args: { name: 'Bo' } });
		await call('event', { event: request('per_1') });
		await eventually('it asks', () => asked().includes('"args":{"name":"Bo"}'));
		await call('tool.execute.before', tool, { args: { name: 'Harmless' } });
		await call('event', { event: request('per_2') });
		await eventually('it asks again', () => asked().includes('per_2'));
		expect(asked()).not.toContain('Harmless');
		// One of the two has ended, and a third takes the name.
		await call('tool.execute.after', tool, result());
		await call('tool.execute.before', tool, { args: { name: 'Harmless' } });
		await call('event', { event: request('per_3') });
		await eventually('it asks a third time', () => asked().includes('per_3'));
		expect(asked()).not.toContain('Harmless');
	});

	it.each([['run', 'Fix it'], ['serve']])('holds no request in opencode %s', async (...argv) => {
		const { call, told } = await loaded('', { argv: ['/main.js', ...argv] });
		await call('event', { event: request('per_1') });
		await call('event', { event: question });
		expect(told().filter(line => line.includes(' ask '))).toEqual([]);
	});

	/** A run as `nancy-asks-1`, the agent of a delegate whose user answers. */
	async function askingRun(print: string, { permission = {}, agent = 'nancy-asks-1' } = {}) {
		const room = await loaded(holding(print), { argv: ['/main.js', 'run'] });
		const own = { edit: 'ask', bash: 'ask', '*_*': 'ask', task: 'deny' };
		const config = { permission, agent: { [agent]: { permission: own as Record<string, unknown> } } };
		await room.call('config', config);
		await room.call('chat.message', { sessionID: 'ses_main' }, { message: { agent }, parts: [] });
		const begin = (input: object, named = tool) => room.call('tool.execute.before', named, { args: input });
		return { ...room, rules: config.agent[agent]?.permission, begin };
	}
	const asks = (permission: string) => {
		const { type, properties } = request('per_1');
		return { event: { type, properties: { ...properties, permission } } };
	};

	it('lets a call of an asking run wait before it begins, and replies to what an allowed one asks', async () => {
		const { begin, call, posted, told } = await askingRun(`cat >"\${0%/*}/asked"; echo '{"reply":"once"}'`);
		await begin({ command: 'touch a', workdir: '/w' });
		expect(JSON.parse(readFileSync(folder.file('asked'), 'utf8'))).toMatchObject({
			args: { command: 'touch a', workdir: '/w' },
			request: { permission: 'bash', metadata: { command: 'touch a' }, always: [], tool: { callID: 'call_1' } },
		});
		for (const permission of ['webfetch', 'doom_loop', 'external_directory', 'bash'])
			await call('event', asks(permission));
		const once = { url: '/permission/per_1/reply', body: { reply: 'once' } };
		expect(posted).toEqual([once, once]);
		await call('tool.execute.after', tool, result());
		await call('event', asks('bash'));
		expect(posted).toHaveLength(2);
		expect(told().filter(line => line.includes(' ask '))).toHaveLength(1);
	});

	it.each([
		['says No', `echo '{"reply":"reject","message":"Not that one."}'`, 'Not that one.'],
		['ends the turn', `echo '{"reply":"reject"}'`, undefined],
		['is silent', 'true', undefined],
		['prints garbage', `echo '{"reply":'`, undefined],
	])('allows no call whose guard %s', async (_, print, thrown) => {
		const { begin, call, posted } = await askingRun(print);
		const begun = begin({ command: 'touch a' });
		if (thrown === undefined) await begun;
		else await expect(begun).rejects.toThrow(thrown);
		await call('event', asks('bash'));
		expect(posted).toEqual([]);
	});

	it('allows nothing but the input that the person saw', async () => {
		const { begin, call, posted } = await askingRun(`echo '{"reply":"once"}'`);
		const input = { command: 'touch a' };
		await begin(input);
		input.command = 'touch b';
		await call('event', asks('bash'));
		expect(posted).toEqual([]);
	});

	it('gives a Yes to no other call of the same name', async () => {
		const { begin, call, posted } = await askingRun(`echo '{"reply":"once"}'`);
		await begin({ command: 'touch a' });
		await begin({ command: 'touch b' });
		await call('event', asks('bash'));
		expect(posted).toEqual([]);
	});

	it.each([
		['for another agent', { agent: 'nancy-1' }, tool],
		['for a tool that only reads', {}, { ...tool, tool: 'read' }],
	])('holds no call of a run %s', async (_, options, named) => {
		const { begin, told } = await askingRun(`echo '{"reply":"once"}'`, options);
		await begin({ command: 'touch a' }, named);
		expect(told().filter(line => line.includes(' ask '))).toEqual([]);
	});

	it.each<[object | string, object]>([
		[{}, { edit: 'ask', bash: 'ask', '*_*': 'ask', task: 'deny' }],
		['allow', { '*': {} }],
		['deny', { '*': { '*': 'deny' } }],
		[
			{ bash: 'deny', edit: 'allow' },
			{ bash: { '*': 'deny' }, edit: { '*': 'ask' } },
		],
		[{ bash: { 'rm *': 'deny', 'ls *': 'allow' } }, { bash: { '*': 'ask', 'rm *': 'deny', 'ls *': 'ask' } }],
		[{ bash: { 'git *': 'allow', '*': 'deny' } }, { bash: { 'git *': 'ask', '*': 'deny' } }],
		[
			{ '*': { '*': 'deny', x: 'allow' }, read: 'allow' },
			{ '*': { '*': 'deny' }, read: 'allow' },
		],
		[
			{ 'own_*': 'deny', own_greet: 'allow' },
			{ 'own_*': { '*': 'deny' }, own_greet: { '*': 'ask' } },
		],
		[
			{ task: 'allow', external_directory: 'allow' },
			{ task: 'deny', external_directory: 'allow' },
		],
	])('keeps what the user’s settings deny from being asked for: %j', async (permission, expected) => {
		const { rules } = await askingRun('', { permission: permission as object });
		expect(rules).toMatchObject(expected);
		const order = Object.keys(permission).filter(name => typeof permission !== 'string' && name in expected);
		expect(Object.keys(rules ?? {}).filter(name => order.includes(name))).toEqual(order);
		for (const [name, action] of Object.entries(rules ?? {}))
			if (/bash|edit|_/.test(name) && name !== 'external_directory')
				expect(JSON.stringify(action)).not.toContain('allow');
	});
});
