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

/** The mark of a line that the CLI has cut to the width of the screen. */
const CUT = /\u2026$/;

/**
 * The question that stands on a screen. A person there sees no more of the request than this. `none` if the event is another, or the tool is not
 * known. A No ends the turn, and takes no words.
 */
export function askedOnScreen(
	{ event, payload }: HookCall,
	tools: Readonly<Record<string, ToolOnScreen>>,
): AskedRequest | 'none' {
	if (event !== ASKS_ON_SCREEN) return 'none';
	const { session, cwd, asks, tool, about, what, isWhole } = AskedOnScreen.parse(payload);
	const known = tools[tool];
	if (!known) return 'none';
	const isCommand = known.bodyIs === 'command';
	// Beside a command, that is the command once more, or its description.
	const mayAllow = isWhole && what !== '' && (isCommand || !CUT.test(about));
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
		choices: [...(mayAllow ? [{ effect: 'once' as const }] : []), { effect: 'end', isMute: true }],
		input: { asks, about, what },
	};
}
