import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ends once the file that it is given is there. By its path: VS Code's terminals have a PATH of their own. */
export const waitForProgram = join(import.meta.dirname, '../fixtures/children/wait-for');

/**
 * A step of an agent's script that lasts until the test lets it go on, however slow either of them is.
 * @param first a command that the step runs before
 */
export function gateIn(workspace: string, first?: string): { step: string; open(): void } {
	const file = join(workspace, 'open.gate');
	const waits = `${waitForProgram} ${file}`;
	const step = `[[sh:${first === undefined ? waits : `${first}; ${waits}`}]]`;
	return { step, open: () => writeFileSync(file, '') };
}
