import type { KnownDriver } from '../../core/asker/asker.ts';
import { DriverId } from '../../protocol/names.ts';

/** The second name is that of the program for chats, which `q` starts. The CLI gives its tools no variable that a person never has. */
export const program = {
	id: DriverId.parse('amazon-q'),
	command: 'q',
	alsoCalled: ['qchat'],
	marks: [],
	npmPackage: undefined,
} satisfies KnownDriver;
