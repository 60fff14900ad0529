import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('codex'),
	command: 'codex',
	alsoCalled: [],
	marks: ['CODEX_THREAD_ID', 'CODEX_SESSION_ID', 'CODEX_TOOL_CALL_ID', 'CODEX_SANDBOX'],
	npmPackage: '@openai/codex',
} satisfies KnownDriver;
