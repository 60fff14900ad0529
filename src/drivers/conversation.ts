import { dirname, join } from 'node:path';
import { ACP, type AcpStart } from '../core/driver/acp.ts';
import type { AnswersByChoice, OwnTerminal, StartPlace } from '../core/driver/driver.ts';
import type { HeadlessLaunch } from '../core/driver/headless.ts';
import { SessionId } from '../protocol/names.ts';
import { ASK_ME } from './askMe.ts';
import { asWords } from './toldTalk.ts';

const PROMPT = '--prompt-interactive=';
const APPROVAL_MODE = '--approval-mode=';
export const RESUME = '--resume=';
/** Nancy's own word: the agent of a delegate, with these permissions. */
const PERMISSIONS = '--nancy-permissions=';

/**
 * A program of Nancy's in the terminal, which talks with the CLI: see src/conversations.
 * @param flags make the CLI talk in the terminal's place
 * @param isLeft whether a launch with these words is left to the CLI's own terminal
 */
export function conversation(
	driver: string,
	flags: readonly string[],
	isLeft: (words: readonly string[], place: StartPlace) => boolean = () => false,
): OwnTerminal {
	return {
		args: () => flags,
		inPlaceOf: ({ executable, args }, { launcher }, place) => {
			if (isLeft(args, place)) return { executable, args: args.filter(word => !flags.includes(word)) };
			const runtime = dirname(launcher);
			const talk = join(runtime, 'hook', 'conversation.js');
			return {
				executable: join(runtime, 'terminal'),
				args: [talk, driver, launcher, place.workspaceFolder, executable, ...args],
			};
		},
	};
}

/** The same by the Agent Client Protocol. */
export function conversationIn(
	driver: string,
	isLeft: (words: readonly string[], place: StartPlace) => boolean,
): OwnTerminal {
	return conversation(driver, [ACP], isLeft);
}

/** Such a terminal, for the user's choice that the CLI's questions are answered from outside. */
export function answersThere(own: OwnTerminal): AnswersByChoice {
	return {
		...own,
		explanation:
			'The agent then runs in a terminal of Nancy’s own, over the Agent Client Protocol, instead of its own screen.',
	};
}

/** The mode that a launch asks for, by the word that two CLIs have for it. */
export function approvalModeIn(words: readonly string[]): string | undefined {
	return words.findLast(word => word.startsWith(APPROVAL_MODE))?.slice(APPROVAL_MODE.length);
}

/** The words of a launch. A session and a prompt are brought by the protocol, and the CLI gets all others. */
export function readWords(words: readonly string[]): AcpStart {
	const valueOf = (flag: string) => words.find(word => word.startsWith(flag))?.slice(flag.length);
	const resume = valueOf(RESUME);
	return {
		args: words.filter(word => ![PROMPT, RESUME, PERMISSIONS].some(flag => word.startsWith(flag))),
		permissions: valueOf(PERMISSIONS),
		prompt: valueOf(PROMPT),
		resume: resume === undefined ? undefined : SessionId.parse(resume),
	};
}

/**
 * Words of a delegate whose questions wait for its user: Nancy's own program talks with the CLI. Such a run continues no conversation, for it
 * is never tried again.
 * @param args the CLI's own
 */
export function askingTalk(args: readonly string[], prompt: string): HeadlessLaunch {
	return {
		args: [ACP, `${APPROVAL_MODE}default`, `${PERMISSIONS}${ASK_ME}`, ...args],
		stdin: asWords(prompt),
		env: {},
		talks: true,
		sessionIsKnown: false,
	};
}
