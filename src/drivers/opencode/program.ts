import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('opencode'),
	command: 'opencode',
	alsoCalled: [],
	marks: ['OPENCODE', 'OPENCODE_PID', 'OPENCODE_RUN_ID'],
	npmPackage: 'opencode-ai',
} satisfies KnownDriver;
