import type { McpClient } from '../../core/driver/driver.ts';

export const mcp: McpClient = {
	flags: ([command, ...args]) => [
		`--additional-mcp-config=${JSON.stringify({ mcpServers: { nancy: { type: 'local', command, args, tools: ['*'] } } })}`,
	],
	// Three minutes, which begin anew with each progress.
	waits: { heard: 3000, unheard: 170 },
	session: { variable: 'COPILOT_AGENT_SESSION_ID' },
};
