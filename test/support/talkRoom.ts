import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from './programs.ts';
import { tempFolder } from './tempFolder.ts';
import { terminal, type TerminalOptions } from './terminal.ts';

/**
 * The smallest program that speaks the protocol. It keeps its own variables.
 * @param prompted what it does at a prompt, before it ends the turn; `return` leaves the turn open
 * @param others what it does with other messages
 */
export const smallAgent = (prompted = '', others = '') => `
	require('node:fs').writeFileSync(process.env.SEEN + '/agent', JSON.stringify(process.env));
	const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
	const tell = update => say({ method: 'session/update', params: { sessionId: 's1', update } });
	// Does something once, as soon as the test lets it.
	const onceLet = then => { const wait = setInterval(() => { if (require('node:fs').existsSync(process.env.SEEN + '/let')) { clearInterval(wait); then(); } }, 20); };
	const words = text => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method, params } = JSON.parse(line);
		const result = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's1' } }[method] ?? { stopReason: 'end_turn' };
		if (method === 'session/prompt') { ${prompted} }
		${others}
		say({ id, result });
	});
`;
/** In place of the guard: keeps the variables of each call. */
const GUARD = '#!/bin/sh\nenv >> "$SEEN/guard"\nexec cat > "$SEEN/$2"\n';

type TalkOptions = Partial<Pick<TerminalOptions, 'env' | 'columns' | 'raw'>> & { prompt?: string };

/** Nancy's program in a terminal, with an agent of the user's settings. */
export function talkRoom() {
	const folder = tempFolder();
	for (const each of ['.config/nancy', 'seen', 'project']) mkdirSync(folder.file(each), { recursive: true });
	writeFileSync(folder.file('guard'), GUARD, { mode: 0o755 });
	const does = (program: string) => writeFileSync(folder.file('agent.cjs'), program);
	does(smallAgent());
	return {
		folder,
		/** The agent's program. */
		does,
		/** What `onceLet` in that program waits for. */
		let: () => writeFileSync(folder.file('seen', 'let'), ''),
		set: (agentServers: object) =>
			writeFileSync(folder.file('.config', 'nancy', 'settings.json'), JSON.stringify({ agentServers }), {
				mode: 0o600,
			}),
		async talk({ env = {}, prompt = 'Begin.', ...size }: TalkOptions = {}) {
			const { hooks } = await programs();
			const [guard, cwd, agent] = [folder.file('guard'), folder.file('project'), folder.file('agent.cjs')];
			return terminal(
				process.execPath,
				[join(hooks, 'conversation.js'), 'acp-mine', guard, cwd, process.execPath, '', '', prompt, agent],
				{ ...size, cwd, env: { HOME: folder.path, PATH: '/usr/bin:/bin', SEEN: folder.file('seen'), ...env } },
			);
		},
		seen: (file: string) => readFileSync(folder.file('seen', file), 'utf8'),
	};
}
