import { dirname, join } from 'node:path';
import type { AnswersByChoice, Driver, LaunchRequest } from '../../core/driver/driver.ts';
import type { AgentServer } from '../../protocol/agentServer.ts';
import type { DriverId } from '../../protocol/names.ts';

/**
 * The words of a launch: the permissions of a delegate, the session to go on with, the first prompt, and the program's own arguments. The
 * first three are empty where there are none: an argument of a program's own could look like any flag. The program's variables are none of
 * the launch: they would be those of Nancy's own program, too.
 */
export function launchOf({ args }: Pick<AgentServer, 'args'>): Driver['launch'] {
	return ({ resume, prompt, extra }: LaunchRequest) => ({
		args: ['', resume ?? '', prompt ?? '', ...args, ...extra],
		env: {},
		sessionIsKnown: resume !== undefined,
	});
}

/** Such words, for a run without a terminal. */
export function withPermissions([, ...others]: readonly string[], permissions: string): readonly string[] {
	return [permissions, ...others];
}

export function wordsFrom([permissions = '', resume = '', prompt = '', ...args]: readonly string[]) {
	return {
		permissions: permissions || undefined,
		resume: resume || undefined,
		prompt: prompt || undefined,
		args,
	};
}

/** Nancy's own program always talks with such an agent: it has no screen. */
export function inOwnTerminal(id: DriverId): AnswersByChoice {
	return {
		isAlways: true,
		args: () => [],
		inPlaceOf: ({ executable, args }, { launcher }, place) => {
			const runtime = dirname(launcher);
			const talk = join(runtime, 'hook', 'conversation.js');
			return {
				executable: join(runtime, 'terminal'),
				args: [talk, id, launcher, place.workspaceFolder, executable, ...args],
			};
		},
		explanation: '',
	};
}
