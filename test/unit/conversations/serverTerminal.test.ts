import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../../src/base/liveness.ts';
import { eventually } from '../../support/eventually.ts';
import { programs } from '../../support/programs.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';

/**
 * The smallest program that speaks the protocol. It keeps its own variables.
 * @param prompted what it does at a prompt, before it ends the turn
 */
const agent = (prompted = '') => `
	require('node:fs').writeFileSync(process.env.SEEN + '/agent', JSON.stringify(process.env));
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	const tell = update => say({ method: 'session/update', params: { sessionId: 's1', update } });
	const words = text => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method } = JSON.parse(line);
		const result = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's1' } }[method] ?? { stopReason: 'end_turn' };
		if (method === 'session/prompt') { ${prompted} }
		say({ id, result });
	});
`;
/** In place of the guard: keeps the variables of each call. */
const GUARD = '#!/bin/sh\nenv >> "$SEEN/guard"\nexec cat > "$SEEN/$2"\n';

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
	for (const each of ['.config/nancy', 'seen', 'project']) mkdirSync(folder.file(each), { recursive: true });
	does(agent());
	writeFileSync(folder.file('guard'), GUARD, { mode: 0o755 });
});
afterEach(() => folder.remove());

const does = (program: string) => writeFileSync(folder.file('agent.cjs'), program);
const set = (agentServers: object) =>
	writeFileSync(folder.file('.config', 'nancy', 'settings.json'), JSON.stringify({ agentServers }), { mode: 0o600 });

async function talk() {
	const { hooks } = await programs();
	return terminal(
		process.execPath,
		[
			join(hooks, 'conversation.js'),
			'acp-mine',
			folder.file('guard'),
			folder.file('project'),
			process.execPath,
			'',
			'Begin.',
			folder.file('agent.cjs'),
		],
		{ cwd: folder.file('project'), env: { HOME: folder.path, PATH: '/usr/bin:/bin', SEEN: folder.file('seen') } },
	);
}
const seen = (file: string) => readFileSync(folder.file('seen', file), 'utf8');

it('gives the variables of an entry to its agent alone: the guard, and what that starts, never have them', async () => {
	set({ mine: { command: 'node', env: { TOKEN: 'of-the-setting' } } });
	const shown = await talk();
	await shown.waitForText(/> Begin\.\s+>/);
	shown.type('/exit\r');
	expect(await shown.ended).toBe(0);
	await shown.close();
	expect(JSON.parse(seen('agent'))).toMatchObject({ TOKEN: 'of-the-setting', NANCY_HOOKS: 'off' });
	expect(seen('guard')).toContain('NANCY_HOOK_SESSION=');
	expect(seen('guard')).not.toMatch(/of-the-setting|NANCY_HOOKS=off/);
});

it.each([
	['has gone', {}, /the setting "agentServers" names no agent "mine"/],
	['is wrong', { mine: { command: 'node', env: { PATH: '/evil' } } }, /"agentServers\.mine\.env\.PATH" in/],
])('starts nothing, and says why, if the entry %s meanwhile', async (_what, entries, words) => {
	set(entries);
	const shown = await talk();
	expect(await shown.ended).toBe(1);
	await shown.waitForText(words);
	await shown.close();
	expect(() => seen('agent')).toThrow(/ENOENT/);
	expect(() => seen('guard')).toThrow(/ENOENT/);
});

describe('an agent that does what it should not', () => {
	beforeEach(() => set({ mine: { command: 'node' } }));

	it('writes what is no message, and the terminal shows the rest of its turn alone', async () => {
		const clears = JSON.stringify('\u001b[2J\u001b[H gone');
		does(
			agent(`
				words('Before.\\n');
				console.log('Loading ' + ${clears});
				for (const value of [[], null, 7, {}, { id: ${clears}, result: 1 }, { method: ${clears} }]) console.log(JSON.stringify(value));
				say({ id: ${clears}, result: {} });
				say({ method: ${clears}, params: {} });
				tell({ sessionUpdate: 'of_a_later_version' });
				tell({ sessionUpdate: 'plan', entries: 'none' });
				words('After.\\n');
			`),
		);
		const shown = await talk();
		expect(await shown.waitForText(/After\.\s+>/)).toMatch(/^> Begin\.\s+Before\.\s+After\.\s+>$/);
		await shown.close();
	});

	it('writes 50 MB in one turn, and the end of it is shown', async () => {
		does(
			agent("for (let n = 0; n < 760; n++) words(('x'.repeat(100) + '\\n').repeat(650)); words('The end.\\n');"),
		);
		const shown = await talk();
		await shown.waitForText(/x\nThe end\.\s+>/);
		await shown.close();
	});

	it('crashes in the middle of a turn, and the terminal ends with its last words', async () => {
		does(agent(`words('Before.\\n'); console.error('Out of memory'); process.exit(134);`));
		const shown = await talk();
		expect(await shown.ended).toBe(1);
		expect(await shown.waitForText(/Out of memory/)).toContain('Before.');
		await shown.close();
	});

	it('never says what it can, and ends with the terminal that its user leaves', async () => {
		does(
			"require('node:fs').writeFileSync(process.env.SEEN + '/agent', String(process.pid)); setInterval(() => {}, 1000);",
		);
		const shown = await talk();
		const pid = await eventually(
			'it has begun',
			() => existsSync(folder.file('seen', 'agent')) && Number(seen('agent')),
		);
		const begun = identify(pid);
		shown.type('\u0003');
		await shown.ended;
		await eventually('it has ended', () => liveness(begun) === 'dead');
		await shown.close();
	});
});
