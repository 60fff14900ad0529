import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { visibleLine } from '../base/visible.ts';
import type { ToolCall } from '../core/driver/acp.ts';
import type { TalkLine } from '../drivers/toldTalk.ts';
import { inputSummary } from '../drivers/summary.ts';
import { knownCall } from './knownCall.ts';

/** Between two signs of life, in milliseconds. The shortest limit of silence is a second. */
const ALIVE_MS = 500;

/** Limit of one text, in UTF-16 units. The end of a longer text is left out. */
const LONGEST_TEXT = 4 * 1024 * 1024;

/** What the agent of a delegate says and does, as lines for its runner. */
export class ToldLines {
	/** Its last text, which is its answer; what it said before a No is none. */
	last = '';
	/** What it says, up to its next call. */
	private text = '';
	/** What is known of each call, by its id. */
	private readonly calls = new Map<string, ToolCall>();
	private toldAliveAt = Date.now();
	/** The calls that were told. */
	private readonly told = new Set<string>();

	/** @param tell writes one line */
	constructor(
		private readonly tell: (line: TalkLine) => void,
		private readonly toolOf: (call: ToolCall) => string,
	) {}

	/** A turn begins. */
	begin(): void {
		this.calls.clear();
		this.told.clear();
	}

	take(update: SessionUpdate): void {
		this.alive();
		if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
			this.text += update.content.text.slice(0, Math.max(0, LONGEST_TEXT - this.text.length));
		if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') this.call(update);
	}

	/** Words of others, which the agent gets. */
	handedOver(words: string): void {
		this.end();
		this.tell({ is: 'text', text: words });
	}

	/** @returns what was not allowed, in a line */
	denied(said: ToolCall): string {
		this.end();
		this.last = '';
		const call = this.known(said);
		const tool = this.toolOf(call);
		const reason = summaryOf(call) ?? tool;
		this.tell({ is: 'denied', tool, reason });
		return reason;
	}

	/** A long text, or the output of a long command, is no silence. */
	private alive(): void {
		const now = Date.now();
		if (now - this.toldAliveAt < ALIVE_MS) return;
		this.toldAliveAt = now;
		this.tell({ is: 'alive' });
	}

	/** A text is over: a call follows, or nothing. */
	end(): void {
		const text = this.text.trim();
		this.text = '';
		if (text === '') return;
		this.last = text;
		this.tell({ is: 'text', text });
	}

	/** Some agents say that a call runs only once it is over. */
	private call(said: ToolCall): void {
		this.end();
		const call = this.known(said);
		const { toolCallId: id, status } = call;
		const hasFailed = status === 'failed';
		if (!this.told.has(id) && (hasFailed || status === 'completed' || status === 'in_progress')) {
			this.told.add(id);
			this.tell({ is: 'tool', tool: this.toolOf(call), summary: summaryOf(call) });
		}
		if (hasFailed) this.tell({ is: 'tool-failed', reason: summaryOf(call) ?? this.toolOf(call) });
	}

	/** With what was said of the call before. */
	private known(said: ToolCall): ToolCall {
		const call = knownCall(said, this.calls.get(said.toolCallId));
		this.calls.set(said.toolCallId, call);
		return call;
	}
}

function summaryOf({ rawInput, title }: ToolCall): string | undefined {
	const summary = inputSummary(rawInput) ?? title ?? '';
	return summary === '' ? undefined : visibleLine(summary);
}
