import { describe, expect, it } from 'vitest';
import { whenRead, type Letter, type Reading, type ReaderState } from '../../../../src/core/mailbox/whenRead.ts';
import { drivers } from '../../../../src/drivers/index.ts';

const directive: Letter = { kind: 'directive', priority: 'normal', effect: 'none' };
const feedback: Letter = { ...directive, kind: 'feedback' };
const halt: Letter = { ...directive, effect: 'halt' };
const pause: Letter = { ...directive, effect: 'pause' };

type State = ReaderState['state'];
const working: State = { phase: 'working' };
const idle: State = { phase: 'idle' };

function reading(id: string, state: State, letter: Letter, more: Partial<ReaderState> = {}): Reading | undefined {
	const driver = drivers.find(each => each.id === id);
	return whenRead(driver, { record: {}, state, ...more }, letter);
}

/** The place at which a working agent reads it. */
function place(id: string, letter: Letter): string | undefined {
	const found = reading(id, working, letter);
	return found?.when === 'working' ? found.at : found?.when;
}

describe('when an agent reads a message', () => {
	const hooked = drivers.map(({ id }) => id).filter(id => !['kiro', 'amazon-q'].includes(id));
	it.each(hooked)('at work: %s at the next tool call, before it, or when it is done', id => {
		expect([place(id, directive), place(id, halt), place(id, feedback)]).toEqual(['tool', 'instead', 'stop']);
	});

	it('at work: when it is done, where the protocol has no message before, or with its next prompt, where it goes on for none', () => {
		const placesOf = (id: string) => [place(id, directive), place(id, halt), place(id, feedback)];
		expect(placesOf('kiro')).toEqual(['stop', 'stop', 'stop']);
		expect(placesOf('amazon-q')).toEqual(['prompt', 'instead-or-prompt', 'prompt']);
	});

	it('a pause ends the turn only where the CLI can end one, and where it takes one', () => {
		const places = Object.fromEntries(drivers.map(({ id }) => [id, place(id, pause)]));
		expect(places).toEqual({
			'claude-code': 'pause',
			'copilot-cli': 'permission',
			codex: 'ask-to-pause',
			'gemini-cli': 'ask-to-pause',
			opencode: 'pause',
			'qwen-code': 'ask-to-pause',
			kiro: 'stop',
			'amazon-q': 'ask-to-pause',
		});
	});

	it('idle: it is woken, perhaps woken, or the message waits', () => {
		const now = Object.fromEntries(drivers.map(({ id }) => [id, reading(id, idle, directive)]));
		expect(now).toEqual({
			'claude-code': { when: 'wakes' },
			'copilot-cli': { when: 'may-wake', held: { code: 'limit', agent: 'copilot-cli', capability: 'wake' } },
			codex: { when: 'may-wake', held: { code: 'limit', agent: 'codex', capability: 'wake' } },
			'gemini-cli': { when: 'may-wake', held: { code: 'limit', agent: 'gemini-cli', capability: 'wake' } },
			opencode: { when: 'wakes' },
			'qwen-code': { when: 'may-wake', held: { code: 'limit', agent: 'qwen-code', capability: 'wake' } },
			kiro: { when: 'wakes' },
			'amazon-q': { when: 'held', held: { code: 'limit', agent: 'amazon-q', capability: 'wake' } },
		});
	});

	it('idle: a version that is too old to be woken makes it wait, and so does a pause', () => {
		expect(reading('claude-code', idle, directive, { record: { agentVersion: '2.1.144' } })).toMatchObject({
			held: { code: 'limit' },
		});
		expect(reading('claude-code', idle, directive, { record: { agentVersion: '2.1.145' } })).toEqual({
			when: 'wakes',
		});
		expect(reading('claude-code', idle, pause)).toEqual({ when: 'held', held: { code: 'resting' } });
	});

	it('idle: it is as silent as it was for the message before', () => {
		const held = { code: 'unheard' } as const;
		expect(reading('claude-code', idle, directive, { held })).toEqual({ when: 'held', held });
		// That reason was one of its past state.
		expect(reading('claude-code', idle, directive, { held: { code: 'waiting' } })).toEqual({ when: 'wakes' });
		expect(reading('claude-code', working, directive, { held })).toMatchObject({ when: 'working' });
	});

	it('waiting: after a person has answered it', () => {
		expect(reading('claude-code', { phase: 'waiting', tool: 'Bash' }, directive)).toEqual({
			when: 'working',
			at: 'tool',
			after: 'permission',
		});
		expect(reading('codex', { phase: 'waiting' }, feedback)).toEqual({
			when: 'working',
			at: 'stop',
			after: 'question',
		});
	});

	it('starting: once it has started, if its session watches for messages, else with its first prompt', () => {
		const starting: State = { phase: 'starting', session: 'a1b2' };
		expect(reading('claude-code', starting, directive)).toEqual({ when: 'started' });
		expect(reading('codex', starting, directive)).toEqual({ when: 'first-prompt' });
		const unprompted: State = { phase: 'idle', session: 'a1b2', isUnprompted: true };
		expect(reading('claude-code', unprompted, directive)).toEqual({ when: 'wakes' });
		expect(reading('codex', unprompted, directive)).toEqual({ when: 'first-prompt' });
		// Without a session, nothing watches yet.
		expect(reading('opencode', { phase: 'starting' }, directive)).toEqual({ when: 'first-prompt' });
	});

	it('never, or not now: ended, without hooks, brought by the repository, a delegate that is ending', () => {
		expect(reading('claude-code', { phase: 'ended' }, directive)).toEqual({
			when: 'held',
			held: { code: 'ended' },
		});
		expect(reading('claude-code', working, directive, { record: { hooks: 'off' } })).toEqual({
			when: 'held',
			held: { code: 'no-hooks' },
		});
		expect(reading('claude-code', working, directive, { held: { code: 'brought' } })).toEqual({
			when: 'held',
			held: { code: 'brought' },
		});
		expect(reading('claude-code', idle, directive, { record: { delegate: 'd1' } })).toEqual({ when: 'ending' });
		expect(reading('unheard-of', working, directive)).toBeUndefined();
	});
});
