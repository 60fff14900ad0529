import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

export const program = {
	id: DriverId.parse('gemini-cli'),
	command: 'gemini',
	alsoCalled: [],
	marks: ['GEMINI_CLI', 'GEMINI_SESSION_ID'],
	npmPackage: '@google/gemini-cli',
} satisfies KnownDriver;
