import { expect, it } from 'vitest';
import { ASKS_PERMISSION, DENIED } from '../../../src/core/driver/acp.ts';
import { CAPABILITIES } from '../../../src/core/driver/abilities.ts';
import { acp } from '../../../src/drivers/acp/acp.ts';
import { asking } from '../../../src/drivers/acp/asking.ts';
import { serverDriver } from '../../../src/drivers/acp/server.ts';
import { WAKE_WORDS } from '../../../src/drivers/bell.ts';
import { allDrivers, driverById, drivers } from '../../../src/drivers/index.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import type { Answer } from '../../../src/protocol/question.ts';

const session = SessionId.parse('ses_1');
const mine = serverDriver('mine', { command: 'mine', args: ['--resume=never', ''] });
const request = {
	version: [0, 0, 0] as const,
	workspaceFolder: '/w',
	cwd: '/w',
	hooks: undefined,
	env: {},
	prompt: undefined,
	session,
	resume: undefined,
	fork: undefined,
	model: undefined,
	title: 't',
	extra: [],
};

it('is no agent that Nancy offers by itself, and is known by the id of an agent in a record', () => {
	expect(drivers.some(({ id }) => id.startsWith('acp'))).toBe(false);
	expect(driverById('acp')).toBeUndefined();
	expect(driverById('acp-goose')).toBe(driverById('acp-goose'));
	expect(driverById('acp-goose')).toMatchObject({ id: 'acp-goose', displayName: 'goose', namedBy: 'user' });
	expect(driverById('acp-No Name')).toBeUndefined();
	expect(allDrivers).toHaveLength(drivers.length + 1);
});

it('says in a sentence what it lacks', () => {
	const silent = CAPABILITIES.filter(each => mine.floors[each] === 'none' && !mine.limits[each]);
	expect(silent).toEqual([]);
	for (const limit of Object.values(mine.limits)) expect(String(limit)).toMatch(/\.$/);
});

it('gives the program its own arguments unchanged, whatever they look like', () => {
	const { args, env, sessionIsKnown } = mine.launch({ ...request, prompt: '--help', extra: ['--more'] });
	expect(acp.read(args)).toEqual({ args: ['--resume=never', '', '--more'], prompt: '--help', resume: undefined });
	expect({ env, sessionIsKnown }).toEqual({ env: {}, sessionIsKnown: false });
	const again = mine.launch({ ...request, resume: session });
	expect(acp.read(again.args)).toEqual({ args: ['--resume=never', ''], prompt: undefined, resume: session });
	expect(again.sessionIsKnown).toBe(true);
});

const options = [
	{ optionId: 'o1', name: 'Always', kind: 'allow_always' },
	{ optionId: 'o2', name: 'Once', kind: 'allow_once' },
	{ optionId: 'o3', name: 'No', kind: 'reject_once' },
];
const asked = (toolCall: object, given: readonly object[] = options) => ({
	event: ASKS_PERMISSION,
	payload: { session, cwd: '/w', request: { options: given, toolCall: { toolCallId: 'c', ...toolCall } } },
	env: {},
});
const NO = { effect: 'no', isMute: true };

it('asks with the input of a call, and beside it with all that the agent says', () => {
	const diff = { type: 'diff', path: '/w/a', oldText: 'one', newText: 'two' };
	expect(
		asking.read(
			asked({ kind: 'execute', title: 'Tidy up', rawInput: { command: 'rm a', cwd: '/' }, content: [diff] }),
		),
	).toMatchObject({
		tool: 'execute',
		title: 'rm a',
		body: 'rm a',
		bodyIs: 'command',
		also: [
			{ name: 'cwd', value: '/' },
			{ name: 'title', value: 'Tidy up' },
			{ name: '/w/a', value: '-one\n+two' },
		],
		choices: [{ effect: 'once' }, NO],
	});
	expect(asking.read(asked({ kind: 'edit', rawInput: {}, content: [diff] }))).toMatchObject({
		body: '-one\n+two',
		bodyIs: 'diff',
		files: ['/w/a'],
		choices: [{ effect: 'once' }, NO],
	});
	expect(
		asking.read(asked({ kind: 'edit', rawInput: { file_path: '/w/b', old_string: 'a', new_string: 'b' } })),
	).toMatchObject({
		files: ['/w/b'],
	});
});

it.each([
	['a title alone, which the agent may have chosen', { kind: 'execute', title: 'rm -rf /' }, options],
	[
		'two that say Yes once',
		{ rawInput: { command: 'x' } },
		[...options, { optionId: 'o4', name: 'Also', kind: 'allow_once' }],
	],
	['none that says Yes once', { rawInput: { command: 'x' } }, options.filter(({ kind }) => kind !== 'allow_once')],
])('offers no Yes at the desk for %s', (_what, toolCall, given) => {
	expect(asking.read(asked(toolCall, given))).toMatchObject({ choices: [NO] });
});

it('answers by kind', () => {
	const kindFor = (effect: Answer['effect']) =>
		JSON.parse(asking.answer(asked({}), { effect } as Answer).stdout) as unknown;
	expect([kindFor('once'), kindFor('no')]).toEqual([{ kind: 'allow_once' }, { kind: 'reject_once' }]);
});

it('tells what happens in the words of the vocabulary, as this agent', () => {
	const { silent, turns, brokenOff } = acp;
	if (silent === 'none' || turns === 'none') throw new Error('it runs hooks');
	const read = ({ event, payload }: { event: string; payload: object }) =>
		mine.hooks.read({ event, payload: JSON.parse(JSON.stringify(payload)), env: {} });
	const call = { toolCallId: 'c1', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } };
	const told = (status: string) => {
		const hook = silent.told({ ...call, status }, session, '/w');
		return hook && read(hook);
	};
	const tool = { driver: 'acp-mine', session, tool: 'execute', toolUseId: 'c1', summary: 'ls' };
	expect(read(silent.begun(session, '/w', false))).toMatchObject({
		kind: 'session-start',
		cause: 'startup',
		cwd: '/w',
	});
	expect(read(silent.begun(session, '/w', true))).toMatchObject({ cause: 'resume' });
	expect(read(turns.prompted('Go.', session, '/w'))).toMatchObject({ kind: 'prompt', isWake: false, summary: 'Go.' });
	expect(read(turns.prompted(WAKE_WORDS, session, '/w'))).toMatchObject({ isWake: true, wakeRung: 'waiter' });
	expect(told('pending')).toBeUndefined();
	expect(told('in_progress')).toMatchObject({ ...tool, kind: 'tool-start' });
	expect(told('completed')).toMatchObject({ ...tool, kind: 'tool-end' });
	expect(told('failed')).toMatchObject({ ...tool, kind: 'tool-failed' });
	expect(told(DENIED)).toMatchObject({ ...tool, kind: 'permission-denied' });
	expect(read(silent.asked(call, session, '/w'))).toMatchObject({ ...tool, kind: 'permission-asked' });
	expect(read(turns.stopped({ said: 'All\ndone.', isContinued: true }, session, '/w'))).toMatchObject({
		kind: 'stop',
		continuing: true,
		summary: 'All done.',
	});
	expect(read({ event: brokenOff.event, payload: brokenOff.payload(session, '/w') })).toMatchObject({
		kind: 'interrupted',
	});
	expect(read(silent.ended(session, '/w'))).toMatchObject({ kind: 'session-end' });
	expect(read({ event: 'of-a-later-version', payload: { session, cwd: '/w' } })).toMatchObject({ kind: 'other' });
});

it('hands over at a prompt, at an end, and between two steps of a turn', () => {
	const { turns } = acp;
	if (turns === 'none') throw new Error('it runs hooks');
	const event = { driver: mine.id, session, kind: 'stop', event: 'stop' } as const;
	const { stdout, rung } = mine.hooks.answer(event, { text: 'Words.', effect: 'none', version: undefined });
	expect([turns.words(stdout), rung]).toEqual(['Words.', 'prompt']);
	for (const cut of ['', stdout.slice(0, -3), '[]']) expect(turns.words(cut)).toBeUndefined();
	for (const kind of ['tool-end', 'tool-failed'] as const) {
		const between = mine.hooks.answer(
			{ ...event, kind, event: kind },
			{ text: 'Words.', effect: 'none', version: undefined },
		);
		expect([turns.words(between.stdout), between.rung]).toEqual(['Words.', 'steer']);
	}
	const around = { 'tool-end': 'boundary', 'tool-failed': 'boundary' };
	expect(mine.hooks.slots).toEqual({ prompt: 'turn', ...around, stop: 'end' });
});
