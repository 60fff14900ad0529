import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseVersion } from '../../../src/base/version.ts';
import type { HeadlessEvent } from '../../../src/core/driver/headless.ts';
import { headlessOf, prepareHeadless } from '../../../src/core/driver/headlessOf.ts';
import { serverDriver } from '../../../src/drivers/acp/server.ts';
import { runHeadless } from '../../../src/process/headlessRun.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { programs } from '../../support/programs.ts';
import { smallAgent, talkRoom } from '../../support/talkRoom.ts';

let room: ReturnType<typeof talkRoom>;
beforeEach(() => {
	room = talkRoom();
	room.set({ mine: { command: 'node' } });
});
afterEach(() => room.folder.remove());

/** A run of the agent without a terminal, with its words for a runner. */
async function delegated(prompt: string, { permissions = 'configured', idleMs = 60_000 } = {}) {
	const { folder } = room;
	const driver = serverDriver('mine', { command: 'node', args: [folder.file('agent.cjs')] });
	const { hooks } = await programs();
	const [guard, cwd] = [folder.file('guard'), folder.file('project')];
	const launch = await prepareHeadless(driver, {
		session: SessionId.parse('new'),
		resume: undefined,
		model: undefined,
		permissions,
		extra: [],
		prompt,
		version: parseVersion('1.0.0')!,
		workspaceFolder: cwd,
		cwd,
		hooks: { launcher: guard, folder: folder.path },
		env: {},
	});
	const events: HeadlessEvent[] = [];
	const ending = await runHeadless(
		{
			command: process.execPath,
			args: [join(hooks, 'conversation.js'), driver.id, guard, cwd, process.execPath, ...launch.args],
			cwd,
			env: { HOME: folder.path, XDG_CONFIG_HOME: null, XDG_DATA_HOME: null, SEEN: folder.file('seen') },
			stdin: launch.stdin,
			mark: crypto.randomUUID(),
		},
		headlessOf(driver),
		{ wallMs: 60_000, idleMs },
		{ onStart: () => undefined, onEvent: event => events.push(event), onNoise: () => undefined },
		new AbortController().signal,
	);
	return { ending, events };
}

/** Asks with these options, and keeps the answer. */
const asking = (options: readonly string[]) =>
	smallAgent(
		`
			const call = { toolCallId: 'c1', title: 'Make it', kind: 'execute', rawInput: { command: 'touch made' } };
			const options = ${JSON.stringify(options.map(kind => ({ kind, optionId: kind, name: kind })))};
			globalThis.prompted = id;
			say({ id: 'q1', method: 'session/request_permission', params: { sessionId: 's1', toolCall: call, options } });
			return;
		`,
		`
			if (id === 'q1') {
				require('node:fs').writeFileSync(process.env.SEEN + '/answer', line);
				say({ id: globalThis.prompted, result });
				return;
			}
		`,
	);

const answered = () => JSON.parse(readFileSync(room.folder.file('seen', 'answer'), 'utf8')).result.outcome;

describe('what the agent of a delegate asks', () => {
	it.each([
		['is denied once', ['allow_once', 'reject_once'], { outcome: 'selected', optionId: 'reject_once' }],
		[
			'is broken off where it can be denied for good alone',
			['allow_once', 'reject_always'],
			{ outcome: 'cancelled' },
		],
		['is broken off where nothing is offered but a Yes', ['allow_once', 'allow_always'], { outcome: 'cancelled' }],
	])('%s', async (_what, options, outcome) => {
		room.does(asking(options));
		const { ending, events } = await delegated('Begin.');
		expect(answered()).toEqual(outcome);
		expect(events).toContainEqual({ is: 'denied', tool: 'execute', reason: 'touch made' });
		const reason = 'it has ended its turn after a No to: touch made';
		expect(ending).toMatchObject({ is: 'result', result: { text: '', failure: { reason, kind: 'final' } } });
	});

	it.each([
		['a Yes', 'allow_once', ['allow_once', 'reject_once'], { outcome: 'selected', optionId: 'allow_once' }],
		['a Yes that is not offered', 'allow_once', ['allow_always'], { outcome: 'cancelled' }],
		['a No that is not offered', 'reject_once', ['allow_once', 'allow_always'], { outcome: 'cancelled' }],
		['no kind at all', 'any', ['allow_once', 'reject_once'], { outcome: 'selected', optionId: 'reject_once' }],
	])('has the answer of its user: %s', async (_what, kind, options, outcome) => {
		const script = `#!/bin/sh\n[ "$3" = ask ] && echo '${JSON.stringify({ kind })}'\nexec cat >/dev/null\n`;
		writeFileSync(room.folder.file('guard'), script, { mode: 0o755 });
		room.does(asking(options));
		await delegated('Begin.', { permissions: 'ask-me' });
		expect(answered()).toEqual(outcome);
	});
});

describe('a delegate of an agent of the protocol', () => {
	it('has the last words of its turn for an answer', async () => {
		room.does(
			smallAgent(`
				words('I look.');
				tell({ sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Look', kind: 'read', status: 'completed' });
				words('All ');
				words('is well.');
			`),
		);
		const { ending, events } = await delegated('Begin.');
		expect(ending).toMatchObject({ is: 'result', result: { text: 'All is well.', failure: undefined } });
		expect(events.map(({ is }) => is)).toEqual(['session', 'text', 'tool', 'text', 'result']);
	});

	it('is not silent while it says something, or a command of its does', async () => {
		room.does(
			smallAgent(`
				const part = () => tell({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress', content: [] });
				const working = setInterval(part, 100);
				setTimeout(() => { clearInterval(working); words('Built.'); say({ id, result }); }, 10000);
				return;
			`),
		);
		const { ending } = await delegated('Build.', { idleMs: 8000 });
		expect(ending).toMatchObject({ is: 'result', result: { text: 'Built.', failure: undefined } });
	});

	it('keeps its answer where a later turn has none', async () => {
		room.does(smallAgent(`if (params.prompt[0].text === 'Begin.') words('It is done.');`));
		writeFileSync(
			room.folder.file('guard'),
			`#!/bin/sh
[ "$3" = end ] && [ ! -e "$SEEN/once" ] && touch "$SEEN/once" && echo '{"words":"thanks"}'
cat > /dev/null
`,
			{ mode: 0o755 },
		);
		const { ending } = await delegated('Begin.');
		expect(ending).toMatchObject({ is: 'result', result: { text: 'It is done.', failure: undefined } });
		expect(room.seen('once')).toBe('');
	});

	it.each(['refusal', 'max_tokens', 'cancelled'])('has failed where its turn ends as %s', async stopReason => {
		room.does(smallAgent(`words('Half.'); say({ id, result: { stopReason: '${stopReason}' } }); return;`));
		const reason = `the agent has ended its turn: ${stopReason}`;
		expect((await delegated('Begin.')).ending).toMatchObject({ is: 'result', result: { failure: { reason } } });
	});

	it('has failed where its agent ends, with what that has complained of', async () => {
		room.does(smallAgent(`process.stderr.write('No credit.', () => process.exit(0)); return;`));
		expect((await delegated('Begin.')).ending).toMatchObject({
			is: 'result',
			result: { failure: { reason: 'its agent has ended: No credit.' } },
		});
	});

	it('is given a prompt that begins with a slash as words, and no command', async () => {
		room.does(smallAgent(`words(JSON.stringify(params.prompt[0].text));`));
		const { ending } = await delegated('/clear the table');
		expect(ending).toMatchObject({ result: { text: JSON.stringify('The task: /clear the table') } });
	});
});
