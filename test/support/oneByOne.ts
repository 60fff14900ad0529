import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The queue of docs/scale.md, whole. */
const script = /\n```sh\n(#!\/bin\/sh\nmkdir [^`]+)```/.exec(readFileSync('docs/scale.md', 'utf8'))?.[1];

/**
 * A real queue, which runs one job after another in the home folder of its caller. Its program is `one-by-one`.
 * @param bin a folder for its programs
 */
export function oneByOne(bin: string, home: string) {
	if (script === undefined) throw new Error('docs/scale.md has no queue');
	const program = join(bin, 'one-by-one');
	writeFileSync(join(bin, 'the-queue'), script, { mode: 0o755 });
	const before = (command: string) => join(home, `before-${command}`);
	writeFileSync(
		program,
		`#!/bin/sh\nif [ -e '${home}/before-'"$1" ]; then . '${home}/before-'"$1"; fi\nexec '${join(bin, 'the-queue')}' "$@"\n`,
		{ mode: 0o755 },
	);
	return {
		program,
		commands: { submit: [program, 'submit'], look: [program, 'look'], cancel: [program, 'cancel'] },
		/** What a command does first, from now on; nothing by default. */
		before(command: 'submit' | 'look' | 'cancel', lines?: string) {
			if (lines === undefined) rmSync(before(command), { force: true });
			else writeFileSync(before(command), `${lines}\n`);
		},
	};
}
