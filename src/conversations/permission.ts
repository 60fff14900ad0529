import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { visible, visibleLine } from '../base/visible.ts';
import { ASKS_PERMISSION, ChosenKind } from '../core/driver/acp.ts';
import type { CalledGuard } from '../core/driver/calledGuard.ts';
import { BROKEN_OFF, CANCELLED } from './acpConversation.ts';
import type { PromptedLines } from './promptedLines.ts';

/** Keys beside the numbers. An agent may offer several of one kind: the first is the plain one. */
const KEYS: Readonly<Record<string, PermissionOption['kind']>> = { y: 'allow_once', n: 'reject_once' };

/** A permission question, in this terminal and at the desk. */
export class PermissionQuestion {
	/** @param over the agent does not wait any more */
	constructor(
		private readonly request: RequestPermissionRequest,
		private readonly lines: PromptedLines,
		private readonly over: AbortSignal,
	) {}

	/**
	 * Asks in both places. The first answer counts. Without one, the question is cancelled: nothing here ever times out to a Yes.
	 * @param hold has a guard hold it at the desk; `undefined` if the agent is gone
	 */
	async answer(
		hold: (asked: { event: string; payload: object }) => CalledGuard | undefined,
	): Promise<RequestPermissionResponse> {
		const { request, over } = this;
		const payload = { session: request.sessionId, cwd: process.cwd(), request };
		const guard = hold({ event: ASKS_PERMISSION, payload });
		const isSettled = new AbortController();
		const here = this.typed(AbortSignal.any([over, isSettled.signal]));
		try {
			const option = await Promise.race(guard ? [here, this.sent(guard)] : [here]);
			guard?.end(option?.kind.startsWith('allow') === true ? 'SIGUSR2' : this.ending());
			return option ? { outcome: { outcome: 'selected', optionId: option.optionId } } : CANCELLED;
		} finally {
			isSettled.abort();
		}
	}

	/** Breaking a turn off is a No to what it asks. Otherwise the agent has ended. */
	private ending(): 'SIGTERM' | 'SIGHUP' {
		return !this.over.aborted || this.over.reason === BROKEN_OFF ? 'SIGTERM' : 'SIGHUP';
	}

	/** A person's answer from elsewhere. Never without one. */
	private async sent(guard: CalledGuard): Promise<PermissionOption> {
		const chosen = ChosenKind.safeParse(json(await guard.printed));
		const option = chosen.success && this.request.options.find(({ kind }) => kind === chosen.data.kind);
		if (!option) return new Promise(() => undefined);
		this.lines.say(`→ ${visibleLine(option.name)} (answered in Nancy)`);
		return option;
	}

	/** The answer that is typed. `undefined` at Ctrl-C, and once the question is over. */
	private async typed(over: AbortSignal): Promise<PermissionOption | undefined> {
		const { options, toolCall } = this.request;
		this.lines.say(`\n${visible(toolCall.title ?? 'The agent asks for a permission.')}`);
		for (const text of remarksOf(toolCall)) this.lines.say(`${visible(text)}`);
		for (const [at, { name }] of options.entries()) this.lines.say(`  ${at + 1}. ${visibleLine(name)}`);
		for (;;) {
			const words = await this.lines.ask('Your answer (y, n or a number): ', over);
			if (words === undefined) return undefined;
			const kind = KEYS[words.toLowerCase()];
			const option = options.find((each, at) =>
				kind === undefined ? at + 1 === Number(words) : each.kind === kind,
			);
			if (option) {
				this.lines.say(`→ ${visibleLine(option.name)}`);
				return option;
			}
			this.lines.say(`Type y, n or a number from 1 to ${options.length}.`);
		}
	}
}

/** Whether an answer lets the agent go on. */
export function isYes({ options }: RequestPermissionRequest, { outcome }: RequestPermissionResponse): boolean {
	if (outcome.outcome !== 'selected') return false;
	return options.some(({ optionId, kind }) => optionId === outcome.optionId && kind.startsWith('allow'));
}

/** What the agent says of the call, and what it would write. */
function remarksOf({ content }: RequestPermissionRequest['toolCall']): string[] {
	return (content ?? []).flatMap(each => {
		if (each.type === 'content') return each.content.type === 'text' ? each.content.text : [];
		if (each.type !== 'diff') return [];
		return [each.path, ...signed('-', each.oldText ?? ''), ...signed('+', each.newText)].join('\n');
	});
}

function signed(sign: string, text: string): string[] {
	return text === '' ? [] : text.split('\n').map(line => sign + line);
}

function json(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
