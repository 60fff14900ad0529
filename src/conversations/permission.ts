import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { visible, visibleLine } from '../base/visible.ts';
import type { AcpAgent } from '../core/driver/acp.ts';
import type { CalledGuard } from '../core/driver/calledGuard.ts';
import { isObject } from '../drivers/summary.ts';
import { LONGEST_WORDS } from '../protocol/question.ts';
import { changeOf, rowsIn, type Change, type Row } from './changeRows.ts';
import { BROKEN_OFF, isAllowing, type Answered, type Asked, type Option } from './conversation.ts';
import { askFields } from './fields.ts';
import type { PromptedLines } from './promptedLines.ts';
import { styled } from './style.ts';

/** Keys beside the numbers, where an agent offers one option of the kind alone. */
const KEYS: Readonly<Record<string, PermissionOption['kind']>> = { y: 'allow_once', n: 'reject_once' };

/** Limit of a request, in rows. The terminal shows no more of a longer request, and offers no Yes. */
const MOST_ROWS = 200;
/** Blanks in a row that are shown as such: more could push what stands before them out of sight. */
const MOST_BLANKS = 40;
/** A tab has no width of its own. */
const TAB = '    ';
/** Width of a terminal that does not say how wide it is, and the least width that rows are made for, in columns. */
const USUAL_WIDTH = 80;
const LEAST_WIDTH = 20;
/** In UTF-16 units. */
const LONGEST = 20_000;
/** In UTF-16 units, of what an option is called. Nancy's own say a whole rule. */
const LONGEST_NAME = 400;

/** A permission question, in this terminal and at the desk. */
export class PermissionQuestion {
	private readonly shown: readonly Row[];
	/** Those that may be chosen here. */
	private readonly options: readonly Option[];

	/** @param over the agent does not wait any more */
	constructor(
		private readonly request: Asked,
		acp: Pick<AcpAgent, 'noYes' | 'toolOf'>,
		private readonly lines: PromptedLines,
		private readonly over: AbortSignal,
	) {
		const { toolCall } = request;
		const tool = acp.toolOf(toolCall) ?? 'a tool';
		const row = visibleLine(tool, LONGEST_NAME);
		const width = Math.max(LEAST_WIDTH, process.stdout.columns ?? USUAL_WIDTH) - MARK.length;
		const shown = [...inputOf(toolCall), ...remarksOf(toolCall)].flatMap(line => rowsOf(line, width));
		const length = shown.reduce((sum, { text }) => sum + text.length + 1, 0);
		const isWhole = length <= LONGEST && shown.length <= MOST_ROWS;
		this.shown = [
			{ text: `${row}:` },
			...firstOf(shown),
			...(isWhole ? [] : [{ text: '… (too long to be shown whole here)' }]),
		];
		const mayAllow = isWhole && row === tool && !acp.noYes.includes(tool);
		this.options = request.options.filter(each => mayAllow || !isAllowing(each));
	}

	/**
	 * Asks in both places. The first answer counts. Without one, the question is cancelled: nothing here ever times out to a Yes.
	 * @param hold has a guard hold it at the desk; `undefined` if that is not possible
	 * @param isAsked in this terminal too
	 */
	async answer(
		hold: (held: Asked['held']) => CalledGuard | undefined,
		isAsked: boolean,
	): Promise<Answered | undefined> {
		const { request, over } = this;
		const guard = hold(request.held);
		const isSettled = new AbortController();
		const here = isAsked ? this.typed(AbortSignal.any([over, isSettled.signal])) : this.told(guard !== undefined);
		try {
			const answer = await Promise.race(guard ? [here, this.sent(guard, isAsked)] : [here]);
			guard?.end(answer && isAllowing(answer.option) ? 'SIGUSR2' : this.ending());
			return answer;
		} finally {
			isSettled.abort();
		}
	}

	/** Breaking a turn off is a No to what it asks. Otherwise the agent has ended. */
	private ending(): 'SIGTERM' | 'SIGHUP' {
		return !this.over.aborted || this.over.reason === BROKEN_OFF ? 'SIGTERM' : 'SIGHUP';
	}

	/** A person's answer from elsewhere. Without one, this terminal may still have one; otherwise nobody has. `undefined` cancels. */
	private async sent(guard: CalledGuard, isAsked: boolean): Promise<Answered | undefined> {
		const answer = this.request.answerIn(await guard.printed);
		if (answer === undefined && isAsked) return new Promise(() => undefined);
		if (answer === undefined) {
			if (!this.over.aborted) this.lines.say('Nobody has answered it: it is denied.');
			return undefined;
		}
		const name = answer === 'cancelled' ? 'Cancelled' : visibleLine(answer.option.name);
		this.lines.say(`→ ${name} (answered in Nancy)`);
		return answer === 'cancelled' ? undefined : answer;
	}

	/** Outside of a turn, this terminal takes prompts. `undefined` if nobody else can answer, and once the question is over. */
	private async told(isHeld: boolean): Promise<undefined> {
		this.show();
		this.lines.say(isHeld ? 'Answer it in Nancy’s view Questions.' : 'Nobody can answer it: it is denied.');
		if (!isHeld || this.over.aborted) return undefined;
		await new Promise(resolve => this.over.addEventListener('abort', resolve));
		return undefined;
	}

	/** The answer that is typed. `undefined` at Ctrl-C, and once the question is over. */
	private async typed(over: AbortSignal): Promise<Answered | undefined> {
		const { options } = this;
		this.show();
		for (const [at, { name }] of options.entries())
			this.lines.say(`  ${at + 1}. ${visibleLine(name, LONGEST_NAME)}`);
		const keys = new Map(options.flatMap(option => keyOf(option, options).map(key => [key, option] as const)));
		for (;;) {
			const words = await this.lines.ask(`Your answer (${[...keys.keys(), 'a number'].join(', ')}): `, over);
			if (words === undefined) return undefined;
			const option = keys.get(words.toLowerCase()) ?? options.find((_, at) => `${at + 1}` === words);
			if (option) return this.completed(option, over);
			this.lines.say(`Type one of: ${[...keys.keys(), ...options.map((_, at) => at + 1)].join(', ')}`);
		}
	}

	/** With what goes with the choice. */
	private async completed(option: Option, over: AbortSignal): Promise<Answered | undefined> {
		const words = option.takesWords ? await this.lines.ask('Say why: ', over) : '';
		const values = isAllowing(option) ? await askFields(this.request.fields, this.lines, over) : {};
		if (words === undefined || values === undefined) return undefined;
		this.lines.say(`→ ${visibleLine(option.name, LONGEST_NAME)}`);
		return { option, ...(words !== '' && { words: words.slice(0, LONGEST_WORDS) }), values };
	}

	/** Each row of the request has a mark, also where a line is wider than the terminal: none looks like Nancy's own. */
	private show(): void {
		const mark = styled(MARK, 'dim');
		this.lines.say(
			['', ...this.shown.map(({ text, style }) => `${mark}${styled(visible(text), style)}`)].join('\n'),
		);
	}
}

/** What is typed for an option in place of its number. */
function keyOf({ kind, key }: Option, options: readonly Option[]): string[] {
	if (key !== undefined) return [key];
	const isAlone = options.filter(each => each.kind === kind && each.key === undefined).length === 1;
	return Object.keys(KEYS).filter(each => isAlone && KEYS[each] === kind);
}

/** So many as a terminal shows. */
function firstOf(lines: readonly Row[]): Row[] {
	let left = LONGEST;
	const shown: Row[] = [];
	for (const line of lines.slice(0, MOST_ROWS)) {
		if (left <= 0) break;
		shown.push({ ...line, text: line.text.slice(0, left) });
		left -= line.text.length + 1;
	}
	return shown;
}

const MARK = '│ ';

/** A line as the rows that a terminal of this width shows. A character that is no ASCII may take two columns. */
function rowsOf({ text, style }: Row, width: number): Row[] {
	const said = visible(text)
		.replaceAll('\t', TAB)
		.replace(/ +/g, blanks => (blanks.length > MOST_BLANKS ? `⟨${blanks.length} blanks⟩` : blanks));
	const rows: string[] = [''];
	let left = width;
	for (const character of said) {
		const columns = character > '\x7e' ? 2 : 1;
		if (columns > left) {
			rows.push('');
			left = width;
		}
		rows[rows.length - 1] += character;
		left -= columns;
	}
	return rows.map(row => ({ text: row, ...(style && { style }) }));
}

/** Some agents send an input, some what the call would change, and some both: either may say what the other leaves out. */
function inputOf({ rawInput, title, content }: RequestPermissionRequest['toolCall']): Row[] {
	const changes = (content ?? []).flatMap(each => (each.type === 'diff' ? [changeOf(each)] : []));
	const rows = changes.flatMap(each => each.rows);
	if (!isSaying(rawInput)) return [...rowsIn(title ?? 'null'), ...rows];
	const isSaid = !title || JSON.stringify(rawInput).includes(JSON.stringify(title).slice(1, -1));
	return [...(isSaid ? [] : rowsIn(title)), ...withoutShown(rawInput, changes), ...rows];
}

/** An input. A text of which the changes show every line is only named: an edit would soon be too long for a Yes. */
function withoutShown(rawInput: unknown, changes: readonly Change[]): Row[] {
	const fields = isObject(rawInput) ? Object.entries(rawInput) : [];
	const isShown = ([, value]: [string, unknown]) => changes.some(({ shown }) => shown.some(text => text === value));
	const rest = fields.filter(each => !isShown(each));
	if (rest.length === fields.length) return rowsIn(JSON.stringify(rawInput, null, 2));
	return [
		...(rest.length === 0 ? [] : rowsIn(JSON.stringify(Object.fromEntries(rest), null, 2))),
		...fields.filter(isShown).flatMap(([name]) => rowsIn(`${JSON.stringify(name)}: a text of the change below`)),
	];
}

function isSaying(rawInput: unknown): boolean {
	return typeof rawInput === 'object' ? Object.keys(rawInput ?? {}).length > 0 : rawInput !== undefined;
}

/** What the agent says of the call. */
function remarksOf({ content }: RequestPermissionRequest['toolCall']): Row[] {
	return (content ?? []).flatMap(each =>
		each.type === 'content' && each.content.type === 'text' ? rowsIn(each.content.text) : [],
	);
}
