import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AcpConversation } from '../../../src/conversations/acpConversation.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { tempFolder } from '../../support/tempFolder.ts';

/** The smallest program that speaks the protocol: it says what it can, and begins a session of this name. */
const speaks = (capabilities: object, session: string) => `
	require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
		const { id, method } = JSON.parse(line);
		const result = method === 'initialize'
			? { protocolVersion: 1, agentCapabilities: ${JSON.stringify(capabilities)} }
			: method === 'session/new' ? { sessionId: ${JSON.stringify(session)} } : {};
		console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
	});
`;

async function begin(capabilities: object, { session = 's1', resume }: { session?: string; resume?: string } = {}) {
	await using folder = tempFolder();
	writeFileSync(folder.file('agent.cjs'), speaks(capabilities, session));
	const program = { executable: process.execPath, args: [folder.file('agent.cjs')], cwd: folder.path, env: {} };
	const conversation = await AcpConversation.begin(
		{
			program,
			resume: resume === undefined ? undefined : SessionId.parse(resume),
			pull: undefined,
			stop: new AbortController().signal,
		},
		{
			update: () => undefined,
			ask: () => Promise.reject(new Error('it asks nothing')),
			words: () => Promise.resolve(undefined),
		},
	);
	const { session: name } = conversation;
	await conversation.close();
	return name;
}

it('goes on with an earlier conversation only where the agent says that it can', async () => {
	expect(await begin({ loadSession: true }, { resume: 'earlier' })).toBe('earlier');
	await expect(begin({}, { resume: 'earlier' })).rejects.toThrow(
		'This agent cannot go on with an earlier conversation. Start another worker.',
	);
	expect(await begin({})).toBe('s1');
});

it('takes no name of a session that could not be a file’s', async () => {
	await expect(begin({}, { session: '../../elsewhere' })).rejects.toThrow(/the name of its session/);
});
