import type { McpClient } from '../../core/driver/driver.ts';
import { toml } from './flags.ts';

export const mcp: McpClient = {
	// The CLI gives a server none of its environment but what is named.
	flags: ([command, ...args]) => [
		'-c',
		`mcp_servers.nancy=${toml({ command, args, env_vars: ['NANCY_TASK_DIR', 'NANCY_WORKER'] })}`,
	],
	waits: { heard: 290, unheard: 290 },
	session: { field: 'threadId' },
};
