import type { LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';
import type { SessionId } from '../../protocol/names.ts';
import { AGENT } from './deployment.ts';
import { SESSION } from './hooks.ts';

export function launchPlan({ prompt, session, model, hooks, extra }: LaunchRequest): LaunchPlan {
	return {
		args: [
			'chat',
			...chatFlags({ model, hooks }),
			...extra,
			...(prompt === undefined || prompt === '' ? [] : [asPrompt(prompt)]),
		],
		env: sessionVariable(session),
		sessionIsKnown: true,
	};
}

export function chatFlags({ model, hooks }: { model: string | undefined; hooks: LaunchPlace['hooks'] }): string[] {
	return [...(hooks === undefined ? [] : [`--agent=${AGENT}`]), ...(model === undefined ? [] : [`--model=${model}`])];
}

/** The CLI knows no name of Nancy's for its conversation. Its hooks do. */
export function sessionVariable(session: SessionId): Record<string, string> {
	return { [SESSION]: session };
}

/**
 * By the CLI's source, a prompt with such a beginning is an option, a command, a shell line, or the name of a prompt file. The CLI trims
 * the space before a prompt.
 */
export function asPrompt(prompt: string): string {
	return /^\s*[-/!@]/.test(prompt) ? `Task: ${prompt}` : prompt;
}
