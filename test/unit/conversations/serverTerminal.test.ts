import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programs } from '../../support/programs.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal } from '../../support/terminal.ts';

/** The smallest program that speaks the protocol. It keeps its own variables, and answers a prompt at once. */
const AGENT = `
	require('node:fs').writeFileSync(process.env.SEEN + '/agent', JSON.stringify(process.env));
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method } = JSON.parse(line);
		const result = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's1' } }[method] ?? { stopReason: 'end_turn' };
		console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
	});
`;
/** In place of the guard: keeps the variables of each call. */
const GUARD = '#!/bin/sh\nenv >> "$SEEN/guard"\nexec cat > "$SEEN/$2"\n';

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
	for (const each of ['.config/nancy', 'seen', 'project']) mkdirSync(folder.file(each), { recursive: true });
	writeFileSync(folder.file('agent.cjs'), AGENT);
	writeFileSync(folder.file('guard'), GUARD, { mode: 0o755 });
});
afterEach(() => folder.remove());

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
