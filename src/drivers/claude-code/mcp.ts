import type { McpClient } from '../../core/driver/driver.ts';

export const mcp: McpClient = {
	// In one word: the option would also take the words that follow.
	flags: ([command, ...args]) => [`--mcp-config=${JSON.stringify({ mcpServers: { nancy: { command, args } } })}`],
	// After two minutes the terminal puts a call into the background, whatever it reports.
	waits: { heard: 110, unheard: 110 },
	session: { variable: 'CLAUDE_CODE_SESSION_ID' },
};
