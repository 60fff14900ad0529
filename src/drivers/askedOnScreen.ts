import type { AskedRequest } from '../core/driver/asking.ts';
import type { HookCall } from '../core/driver/hooks.ts';
import { ASKS_ON_SCREEN, AskedOnScreen } from '../core/driver/screenStates.ts';
import type { Question } from '../protocol/question.ts';
import { oneLine } from './summary.ts';

/** A tool of the CLI, by the word for it on the screen. */
export interface ToolOnScreen {
	/** As hooks call it. */
	readonly tool: string;
	readonly bodyIs: Question['bodyIs'];
}

/**
 * The question that stands on a screen. `none` if the event is another, or the tool is not known. A No ends the turn, and takes no words. No Yes is
 * offered, for a screen may not show the whole request. CLIs were seen to leave out characters that the shell reads, and the ends of lines.
 */
export function askedOnScreen(
	{ event, payload }: HookCall,
	tools: Readonly<Record<string, ToolOnScreen>>,
): AskedRequest | 'none' {
	if (event !== ASKS_ON_SCREEN) return 'none';
	const { session, cwd, asks, tool, about, what } = AskedOnScreen.parse(payload);
	const known = tools[tool];
	if (!known) return 'none';
	const isCommand = known.bodyIs === 'command';
	return {
		session,
		// The model may have chosen another folder for a command, of which the dialog says nothing.
		...(!isCommand && { cwd }),
		kind: 'tool',
		tool: known.tool,
		title: oneLine(isCommand ? what : about) ?? known.tool,
		body: what,
		bodyIs: known.bodyIs,
		also: about === what ? [] : [{ name: 'explanation', value: about }],
		files: [],
		fields: [],
		choices: [{ effect: 'end', isMute: true }],
		input: { asks, about, what },
	};
}
