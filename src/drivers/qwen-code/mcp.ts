import type { McpClient } from '../../core/driver/driver.ts';

export const mcp: McpClient = {
	// Not measured.
	flags: 'none',
	waits: { heard: 50, unheard: 50 },
	session: 'none',
};
