import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('copilot-cli'),
	command: 'copilot',
	alsoCalled: [],
	marks: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI', 'COPILOT_LOADER_PID'],
	npmPackage: '@github/copilot',
} satisfies KnownDriver;
