import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ends once the file that it is given is there. By its path: VS Code's terminals have a PATH of their own. */
export const waitForProgram = join(import.meta.dirname, '../fixtures/children/wait-for');

/** A step of an agent's script that lasts until the test lets it go on, however slow either of them is. */
export function gateIn(workspace: string): { step: string; open(): void } {
	const file = join(workspace, 'open.gate');
	return { step: `[[sh:${waitForProgram} ${file}]]`, open: () => writeFileSync(file, '') };
}
