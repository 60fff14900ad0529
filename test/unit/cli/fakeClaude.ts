import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * An executable in the place of Claude Code: tells a version, then writes down how it was started and does what FAKE_CLAUDE says.
 * @returns a PATH on which it is found
 */
export function fakeClaude(folder: string, version = '2.1.329'): string {
	mkdirSync(folder, { recursive: true });
	const program = join(folder, 'claude');
	writeFileSync(
		program,
		[
			'#!/bin/sh',
			`[ "$1" = --version ] && { echo "${version} (Claude Code)"; exit; }`,
			`printf '%s\\n' "$@" > "${folder}/args"`,
			`env > "${folder}/env"`,
			`pwd > "${folder}/cwd"`,
			'eval "$FAKE_CLAUDE"',
			'',
		].join('\n'),
	);
	chmodSync(program, 0o755);
	return `${folder}${delimiter}${process.env['PATH']}`;
}

/** Any other agent's executable in the same folder: tells a version and does nothing. */
export function fakeAgent(folder: string, command: string, version: string): void {
	const program = join(folder, command);
	writeFileSync(program, `#!/bin/sh\necho ${version}\n`);
	chmodSync(program, 0o755);
}
