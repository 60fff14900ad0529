import type { McpClient } from '../../core/driver/driver.ts';

export const mcp: McpClient = {
	// Only a settings file or an extension names a server.
	flags: 'none',
	waits: { heard: 590, unheard: 590 },
	session: 'none',
};
