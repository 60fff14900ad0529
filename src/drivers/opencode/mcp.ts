import type { McpClient } from '../../core/driver/driver.ts';

export const mcp: McpClient = {
	// It asks nobody before it calls a tool of a server.
	flags: 'none',
	// A minute, which begins anew with each progress.
	waits: { heard: 3000, unheard: 50 },
	session: 'none',
};
