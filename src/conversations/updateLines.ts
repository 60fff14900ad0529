import type { Diff, SessionUpdate, ToolCallContent, UsageUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { visibleLine } from '../base/visible.ts';
import { changeOf } from './changeRows.ts';
import { MarkdownLines } from './markdownLines.ts';
import type { Style } from './style.ts';

/** In UTF-16 units: a longer line is shown in parts. */
const LONGEST_REST = 4000;
/** Rows of the changes of one call, and UTF-16 units of a row. */
const MOST_ROWS = 60;
const LONGEST_ROW = 400;

/** Makes lines for a terminal of what an agent tells while it works. */
export class UpdateLines {
	/** What the agent says, up to its next line end. */
	rest = '';
	/** The calls that are not over. */
	private readonly calls = new Map<string, Call>();
	/** Those whose changes a question has shown. */
	private readonly asked = new Set<string>();
	private readonly markdown = new MarkdownLines();
	private usage = '';
	private saidUsage = '';
	/** What the agent has said since its last call, of a longer text its end: {@link LONGEST_REST}. */
	said = '';
	/** The names of the commands that the agent takes after a slash. */
	commands: readonly string[] = [];

	/** @param say takes one line of somebody's text; one of Nancy's own may have a style */
	constructor(private readonly say: (line: string, style?: Style) => void) {}

	take(update: SessionUpdate): void {
		switch (update.sessionUpdate) {
			case 'agent_message_chunk':
				if (update.content.type === 'text') this.add(update.content.text);
				return;
			case 'tool_call':
			case 'tool_call_update':
				return this.call(update.toolCallId, update);
			case 'plan':
				this.flush();
				for (const { status, content } of update.entries)
					this.say(`  ${MARKS[status] ?? '○'} ${visibleLine(content)}`);
				return;
			case 'usage_update':
				this.usage = usageWords(update);
				return;
			case 'available_commands_update':
				this.commands = update.availableCommands
					.map(({ name }) => name)
					.filter(name => COMMAND.test(name))
					.slice(0, MOST_COMMANDS);
				return;
			default:
				return;
		}
	}

	/** The line that has not ended: something else comes. */
	flush(): void {
		const { rest } = this;
		this.rest = '';
		if (rest !== '') this.sayWords(rest);
	}

	/** A question shows what a call would change: its end shows it no more. */
	askedFor(id: string): void {
		this.asked.add(id);
	}

	/** The turn is over. A call that it broke off has no end. */
	endTurn(): void {
		this.flush();
		this.said = '';
		this.markdown.end();
		this.calls.clear();
		this.asked.clear();
		if (this.usage !== this.saidUsage) this.say(this.usage, 'dim');
		this.saidUsage = this.usage;
	}

	private add(text: string): void {
		this.said = (this.said + text).slice(-LONGEST_REST);
		const lines = (this.rest + text).split('\n');
		this.rest = lines.pop() ?? '';
		for (const line of lines) this.sayWords(line);
		if (this.rest.length > LONGEST_REST) this.flush();
	}

	private sayWords(line: string): void {
		this.say(line, this.markdown.styleOf(line));
	}

	/** Its title and its input may come with its first word, or later. */
	private call(id: string, { title, status, rawInput, content }: Told): void {
		const known = this.calls.get(id);
		const call: Call = {
			title: title ?? known?.title ?? 'a tool',
			input: inputIn(rawInput) ?? known?.input,
			changes: changesIn(content) ?? known?.changes ?? [],
			shownAt: known?.shownAt,
		};
		const isOver = status === 'completed' || status === 'failed';
		if (call.shownAt === undefined && (isOver || status === 'in_progress')) {
			this.flush();
			this.markdown.end();
			this.said = '';
			const input = call.input !== undefined && !call.title.includes(call.input) ? ` ${call.input}` : '';
			this.say(`● ${visibleLine(call.title)}${input}`);
			call.shownAt = Date.now();
		}
		const took = tookWords(Date.now() - (call.shownAt ?? Date.now()));
		if (status === 'failed') this.say(`  ✗ failed${took && ` after ${took}`}`, 'red');
		else if (isOver && took !== '') this.say(`  ✓ ${took}`, 'green');
		if (status === 'completed' && !this.asked.has(id)) this.sayChanges(call.changes);
		if (isOver) this.calls.delete(id);
		else this.calls.set(id, call);
	}

	private sayChanges(changes: readonly Diff[]): void {
		const rows = changes.flatMap(change => changeOf(change).rows);
		for (const { text, style } of rows.slice(0, MOST_ROWS))
			this.say(`  ${text.length > LONGEST_ROW ? `${text.slice(0, LONGEST_ROW)}…` : text}`, style);
		const left = rows.length - MOST_ROWS;
		if (left > 0) this.say(`  … (${left} further ${left === 1 ? 'line' : 'lines'} not shown here)`, 'dim');
	}
}

interface Call {
	title: string;
	input: string | undefined;
	changes: readonly Diff[];
	/** In milliseconds of the clock. */
	shownAt: number | undefined;
}

interface Told {
	readonly title?: string | null;
	readonly status?: string | null;
	readonly rawInput?: unknown;
	readonly content?: ToolCallContent[] | null;
}

/** More than agents have. Each is kept, and looked at with each Tab. */
const MOST_COMMANDS = 1000;
/** What a person can type after a slash. */
const COMMAND = /^[\w][\w:.-]{0,99}$/;

function usageWords({ used, size, cost }: UsageUpdate): string {
	const paid = cost ? `, ${cost.amount.toFixed(2)} ${visibleLine(cost.currency, 10)}` : '';
	return `— ${used.toLocaleString('en')} of ${size.toLocaleString('en')} tokens in context${paid} —`;
}

/** Empty for less than half a second, which nobody waits for. */
function tookWords(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return seconds === 0 ? '' : seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const Input = z.object({
	command: z.optional(z.string()),
	file_path: z.optional(z.string()),
	path: z.optional(z.string()),
});

/** The part of a tool's input that says most, in one line. */
function inputIn(rawInput: unknown): string | undefined {
	const { data } = Input.safeParse(rawInput);
	const input = data?.command ?? data?.file_path ?? data?.path;
	return input === undefined ? undefined : visibleLine(input);
}

/** @returns `undefined` if nothing is told of them: what was told before counts */
function changesIn(content: Told['content']): Diff[] | undefined {
	const changes = (content ?? []).flatMap(each => (each.type === 'diff' ? [each] : []));
	return changes.length > 0 ? changes : undefined;
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '●' };
