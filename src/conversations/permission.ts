import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { visible, visibleLine } from '../base/visible.ts';
import { ASKS_PERMISSION, ChosenKind } from '../core/driver/acp.ts';
import { callGuard, type BetweenPlace } from '../core/driver/calledGuard.ts';
import type { DriverId } from '../protocol/names.ts';
import { CANCELLED } from './acpConversation.ts';
import type { PromptedLines } from './promptedLines.ts';

export interface Between {
	readonly driver: DriverId;
	readonly place: BetweenPlace;
	/** The process that waits for the answer. */
	readonly agent: number;
	readonly lines: PromptedLines;
	/** The agent does not wait any more. */
	readonly over: AbortSignal;
}

/** Asks in this terminal and at the desk. The first answer counts. Without one, the question is cancelled: nothing here ever times out to a Yes. */
export async function answerOf(
	request: RequestPermissionRequest,
	{ driver, place, agent, lines, over }: Between,
): Promise<RequestPermissionResponse> {
	const { sessionId: session, options } = request;
	const call = { driver, event: ASKS_PERMISSION, slot: 'ask', session, agent } as const;
	const guard = callGuard(place, call, { session, cwd: process.cwd(), request });
	const isSettled = new AbortController();
	const there = guard.printed.then(line => {
		const chosen = ChosenKind.safeParse(json(line));
		const option = chosen.success ? options.find(({ kind }) => kind === chosen.data.kind) : undefined;
		if (!option) return NEVER;
		lines.say(`answered in Nancy: ${visibleLine(option.name)}\n`);
		return option;
	});
	const here = typed(request, lines, AbortSignal.any([over, isSettled.signal]));
	try {
		const option = await Promise.race([here, there]);
		if (!option) {
			guard.end(over.aborted ? 'SIGHUP' : 'SIGTERM');
			return CANCELLED;
		}
		guard.end(option.kind.startsWith('allow') ? 'SIGUSR2' : 'SIGTERM');
		return { outcome: { outcome: 'selected', optionId: option.optionId } };
	} finally {
		isSettled.abort();
	}
}

const KINDS: Readonly<Record<string, PermissionOption['kind']>> = { y: 'allow_once', n: 'reject_once' };

const NEVER = new Promise<PermissionOption>(() => undefined);

/** The answer that is typed. `undefined` at Ctrl-C, and once the question is over. */
async function typed(
	{ toolCall, options }: RequestPermissionRequest,
	lines: PromptedLines,
	over: AbortSignal,
): Promise<PermissionOption | undefined> {
	lines.say(`\n${visible(toolCall.title ?? 'The agent asks for a permission.')}\n`);
	for (const [at, { name }] of options.entries()) lines.say(`  ${at + 1}. ${visibleLine(name)}\n`);
	for (;;) {
		const words = await lines.ask('Your answer (y, n or a number): ', over);
		if (words === undefined) return undefined;
		const kind = KINDS[words.toLowerCase()];
		const option = kind === undefined ? options[Number(words) - 1] : options.find(each => each.kind === kind);
		if (option) return option;
		lines.say(`Type y, n or a number from 1 to ${options.length}.\n`);
	}
}

function json(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
