import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('claude-code'),
	command: 'claude',
	alsoCalled: [],
	marks: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_PID'],
	npmPackage: '@anthropic-ai/claude-code',
} satisfies KnownDriver;
