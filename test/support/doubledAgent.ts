import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFailed } from 'vitest';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { HANG_MS } from './eventually.ts';
import { tempFolder } from './tempFolder.ts';
import { terminal } from './terminal.ts';

/**
 * The `nancy` command with all of Nancy's programs, and a double on the PATH in place of an agent CLI that cannot be installed.
 * @param command the CLI's
 * @param double a program in test/double/
 */
export async function doubledAgent(command: string, double: string) {
	const nancy = await NancyCommand.build({ isPackage: true });
	const folder = tempFolder();
	for (const each of ['bin', 'project', 'tmp']) mkdirSync(folder.file(each));
	const program = join(import.meta.dirname, '../double', double);
	const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
	writeFileSync(folder.file('bin', command), script, { mode: 0o755 });
	const place = {
		cwd: folder.file('project'),
		env: {
			HOME: folder.path,
			// Agents write to the temporary folder, so no question is held in one, and the data of this test may be in the usual one.
			TMPDIR: folder.file('tmp'),
			PATH: `${folder.file('bin')}:/usr/bin:/bin`,
			XDG_DATA_HOME: nancy.dataFolder,
			XDG_CONFIG_HOME: folder.file('.config'),
		},
	};
	const call = (...args: string[]) => nancy.start(args, place);
	const { cwd, env } = place;
	return {
		home: folder,
		project: cwd,
		call,
		/** As Claude Code calls the command: the variable is a mark of its tools. */
		callAsAgent: (...args: string[]) => nancy.start(args, { cwd, env: { ...env, CLAUDECODE: '1' } }),
		json: async (...args: string[]): Promise<unknown> => JSON.parse((await call(...args, '--json')).stdout),
		/** The command in a terminal. What stood there is told of a test that fails. */
		shown: (...args: string[]) => {
			const shown = terminal(process.execPath, [nancy.program, ...args], place);
			onTestFailed(() => console.error(`nancy ${args.join(' ')}\n${shown.history()}`));
			return shown;
		},
		/** Waits until Nancy knows the task's worker as idle; what the worker does instead is in the error. */
		idle: async (task: string) => {
			const { code, stderr } = await call('wait', task, '--until', 'idle', '--timeout', String(HANG_MS / 1000));
			if (code !== 0) throw new Error(stderr);
		},
		async [Symbol.asyncDispose]() {
			await nancy[Symbol.asyncDispose]();
			await folder.remove();
		},
	};
}
export type DoubledAgent = Awaited<ReturnType<typeof doubledAgent>>;
