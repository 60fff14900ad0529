import { join } from 'node:path';
import { NancyError } from './base/errors.ts';
import { stopTree } from './process/stopTree.ts';
import { drivers } from './drivers/index.ts';
import type { Operations } from './ui/ports.ts';

/** What the window asks of drivers, processes and other programs' files. */
export function operationsOf(extensionPath: string): Operations {
	const bin = join(extensionPath, 'dist');
	return {
		agents: async () =>
			drivers.map(driver => ({
				id: driver.id,
				displayName: driver.displayName,
				found: undefined,
				problem: undefined,
				installHint: driver.installHint,
			})),
		setUp: async () => [],
		cleanUp: async () => [],
		doctor: async () => ({ markdown: '', problems: 0, repairable: 0 }),
		plan: async () => {
			throw new NancyError('no-agent', bin);
		},
		stop: async process => {
			await stopTree(process);
		},
	};
}
