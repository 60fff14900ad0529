import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

/** The second name is that of the process which talks: a report of `kiro-cli acp` shows it (issue 6640 of kirodotdev/Kiro). */
export const program = {
	id: DriverId.parse('kiro'),
	command: 'kiro-cli',
	alsoCalled: ['kiro-cli-chat'],
	marks: [],
	npmPackage: undefined,
} satisfies KnownDriver;
